import Foundation

/// Where bytes come from: a file, a pipe, or what the system's `gzip` unpacks.
final class ByteSource {
    let path: String
    private let descriptor: Int32
    private let gzip: Process?
    /// What was looked at and not read yet.
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
        // Nobody reads what it may still have to write.
        if gzip.isRunning { gzip.terminate() }
        gzip.waitUntilExit()
    }

    /// How many bytes there are, if that is known.
    static func size(of path: String) -> Int? {
        var status = stat()
        guard path != "-", unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }

    /// Whether it can be read from the beginning again.
    static func isFile(_ path: String) -> Bool { size(of: path) != nil }

    /// What it begins with, which is still to be read.
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

    /// Reads into a buffer what is there, but waits for the first byte.
    /// - Returns: How many bytes; 0 at the end.
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

    /// Whether something is there to read, or will be within a time.
    func isReady(within time: Duration) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        // The call waits for some 24 days at most; after them the archive is written early.
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
        // One that no other process inherits, or gzip would wait for that one to read.
        let descriptor = fcntl(output.fileHandleForReading.fileDescriptor, F_DUPFD_CLOEXEC, 3)
        guard descriptor >= 0 else { throw Refused.unreadable(path) }
        try? output.fileHandleForReading.close()
        return (descriptor, gzip)
    }
}

/// The system's call, which within the class has the name of one of its methods.
private func readFromSystem(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    unsafe read(descriptor, buffer.baseAddress, buffer.count)
}

/// Why the tool does not do what it was asked to do, in one sentence.
struct Refused: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// What the system has just said about a file.
    static func unreadable(_ path: String) -> Refused {
        Refused("\(path) cannot be read: \(unsafe String(cString: strerror(errno))).")
    }

    /// What the system says of an error, without the wrapping.
    static func explanation(of error: any Error) -> String {
        let error = error as NSError
        if let underlying = error.userInfo[NSUnderlyingErrorKey] as? any Error { return explanation(of: underlying) }
        if error.domain == NSPOSIXErrorDomain { return unsafe String(cString: strerror(Int32(error.code))) + "." }
        return error.localizedDescription
    }
}
