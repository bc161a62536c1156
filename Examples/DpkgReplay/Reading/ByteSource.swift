import Foundation

/// A source of bytes: a file, a pipe, or the output of the system's `gzip`.
final class ByteSource {
    let path: String
    private let descriptor: Int32
    private let gzip: Process?
    /// Bytes that were examined and not read yet.
    private var beginning: [UInt8] = []

    /// Opens a file; `-` is the standard input.
    init(_ path: String) throws(Refused) {
        self.path = path
        if path == "-" {
            (descriptor, gzip) = (0, nil)
            return
        }
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw Refused.unreadable(path) }
        guard Self.isGzip(file) else {
            (descriptor, gzip) = (file, nil)
            return
        }
        close(file)
        (descriptor, gzip) = try Self.unpack(path)
    }

    deinit {
        if descriptor > 0 { close(descriptor) }
        guard let gzip else { return }
        // The rest of gzip's output has no reader.
        if gzip.isRunning { gzip.terminate() }
        gzip.waitUntilExit()
    }

    /// The number of bytes, if it is known.
    static func size(of path: String) -> Int? {
        var status = stat()
        guard path != "-", unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }

    /// Whether the source can be read again from its beginning.
    static func isFile(_ path: String) -> Bool { size(of: path) != nil }

    /// The first bytes, which remain to be read.
    func peek() throws(Refused) -> [UInt8] {
        if beginning.isEmpty {
            var bytes = [UInt8](repeating: 0, count: 1 << 13)
            let result = unsafe bytes.withUnsafeMutableBytes { all in
                Result { () throws(Refused) in try unsafe read(into: all) }
            }
            beginning = Array(bytes.prefix(try result.get()))
        }
        return beginning
    }

    /// Reads the available bytes into a buffer, and waits for the first one.
    /// - Returns: The number of bytes; 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(Refused) -> Int {
        guard beginning.isEmpty else {
            let count = min(beginning.count, buffer.count)
            unsafe buffer.copyBytes(from: beginning.prefix(count))
            beginning.removeFirst(count)
            return count
        }
        while true {
            let count = unsafe readFromSystem(descriptor, buffer)
            if count > 0 { return count }
            if count < 0, errno == EINTR { continue }
            guard count == 0 else { throw Refused.unreadable(path) }
            try requireUnpacked()
            return 0
        }
    }

    /// Whether bytes are available, or become available within a time.
    func isReady(within time: Duration) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        // The call waits for at most 24 days, after which the archive is written early.
        return unsafe poll(&request, 1, Int32(min(time / .milliseconds(1), Double(Int32.max)))) != 0
    }

    private func requireUnpacked() throws(Refused) {
        guard let gzip else { return }
        gzip.waitUntilExit()
        // 2 is a warning.
        guard gzip.terminationReason == .exit, gzip.terminationStatus == 0 || gzip.terminationStatus == 2 else {
            throw Refused("\(path) cannot be unpacked: gzip found that it is damaged.")
        }
    }

    private static func isGzip(_ file: Int32) -> Bool {
        var magic: [UInt8] = [0, 0]
        return unsafe pread(file, &magic, 2, 0) == 2 && magic == [0x1F, 0x8B]
    }

    private static func unpack(_ path: String) throws(Refused) -> (Int32, Process) {
        let gzip = Process()
        let output = Pipe()
        gzip.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        gzip.arguments = ["gzip", "-dc", "--", path]
        gzip.standardOutput = output
        gzip.standardError = FileHandle.nullDevice
        do {
            try gzip.run()
        } catch {
            throw Refused("\(path) is compressed, and gzip cannot be run: \(Refused.explanation(of: error))")
        }
        // A pipe that no other process inherits, because gzip would wait for an inherited one.
        let descriptor = fcntl(output.fileHandleForReading.fileDescriptor, F_DUPFD_CLOEXEC, 3)
        guard descriptor >= 0 else { throw Refused.unreadable(path) }
        try? output.fileHandleForReading.close()
        return (descriptor, gzip)
    }
}

/// The system call, which a method of the class hides by its name.
private func readFromSystem(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    unsafe read(descriptor, buffer.baseAddress, buffer.count)
}

/// The reason why the tool refuses a request, in one sentence.
struct Refused: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// The last error of the system about a file.
    static func unreadable(_ path: String) -> Refused {
        Refused("\(path) cannot be read: \(unsafe String(cString: strerror(errno))).")
    }

    /// The system's description of an error, without the wrapping.
    static func explanation(of error: any Error) -> String {
        let error = error as NSError
        if let underlying = error.userInfo[NSUnderlyingErrorKey] as? any Error { return explanation(of: underlying) }
        if error.domain == NSPOSIXErrorDomain { return unsafe String(cString: strerror(Int32(error.code))) + "." }
        return error.localizedDescription
    }
}
