import Foundation
import Synchronization

/// A socket between processes of one computer, at the path of a file.
///
/// It closes when it is released.
package final class Socket: Sendable {
    private let descriptor: Int32

    /// Received bytes without a complete line.
    private let rest = Mutex<[UInt8]>([])

    private init(_ descriptor: Int32) {
        self.descriptor = descriptor
        Self.noSignal(descriptor)
    }

    deinit { close(descriptor) }

    /// Connects to a listener, or throws at once if there is none.
    package convenience init(connectingTo path: String) throws {
        self.init(try Self.made(path))
        // The call would wait until the other side accepts.
        try setWaiting(false)
        try unsafe Self.call("connect to", path) { unsafe connect(descriptor, $0, $1) }
        try setWaiting(true)
    }

    /// Listens, and replaces the file of an ended listener.
    package convenience init(listeningAt path: String) throws {
        self.init(try Self.made(path))
        if (try? Socket(connectingTo: path)) == nil, Self.isSocket(path) { unsafe unlink(path) }
        try unsafe Self.call("listen at", path) { unsafe bind(descriptor, $0, $1) }
        guard listen(descriptor, 64) == 0 else { throw SocketError("listen at", path) }
        try setWaiting(false)
    }

    /// The next connected client; `nil` if none waits.
    package func accept() throws -> Socket? {
        let other = Foundation.accept(descriptor, nil, nil)
        guard other >= 0 else {
            if errno == EAGAIN || errno == EINTR || errno == ECONNABORTED { return nil }
            throw SocketError("accept")
        }
        let socket = Socket(other)
        try socket.setWaiting(true)
        return socket
    }

    /// Waits for the next complete line; `nil` when the other side has closed the connection.
    package func readLine() throws -> String? {
        while true {
            if let line = takeLine() { return line }
            var bytes = [UInt8](repeating: 0, count: 1 << 12)
            let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SocketError("read") }
            guard count > 0 else { return nil }
            let length = rest.withLock { rest in
                rest += bytes[..<count]
                return rest.count
            }
            guard length < 1 << 16 else { throw SocketError("read", nil, EMSGSIZE) }
        }
    }

    private func takeLine() -> String? {
        rest.withLock { rest in
            guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            defer { rest.removeSubrange(...end) }
            return String(decoding: rest[..<end], as: UTF8.self)
        }
    }

    /// Sends a line.
    package func send(_ line: String) throws {
        var bytes = Array("\(line)\n".utf8)[...]
        while !bytes.isEmpty {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe Foundation.send(descriptor, $0.baseAddress, $0.count, Self.quietly)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SocketError("send") }
            bytes = bytes.dropFirst(count)
        }
    }

    /// Whether a side has closed the connection, and nothing more can be read.
    package var isHungUp: Bool {
        var byte: UInt8 = 0
        return unsafe recv(descriptor, &byte, 1, Self.looking) == 0
    }

    /// Closes the connection, which ends waits for a line.
    package func shutDown() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
}

/// The reason of a socket's failure.
package struct SocketError: LocalizedError {
    package let errorDescription: String?

    fileprivate init(_ what: String, _ path: String? = nil, _ number: Int32 = errno) {
        let reason = unsafe String(cString: strerror(number))
        errorDescription = "cannot \(what)\(path.map { " \($0)" } ?? ""): \(reason)"
    }
}

// MARK: - The system's calls

extension Socket {
    // Suppresses the signal for writes to a closed connection: once on Apple's systems, and per message on others.
    #if canImport(Darwin)
        private static let stream = SOCK_STREAM
        private static let quietly: Int32 = 0
        private static let looking = Int32(MSG_PEEK | MSG_DONTWAIT)

        private static func noSignal(_ descriptor: Int32) {
            var yes: Int32 = 1
            _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size))
        }
    #else
        private static let stream = Int32(SOCK_STREAM.rawValue)
        private static let quietly = Int32(MSG_NOSIGNAL)
        private static let looking = Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)

        private static func noSignal(_ descriptor: Int32) {}
    #endif

    private static func made(_ path: String) throws -> Int32 {
        let descriptor = socket(AF_UNIX, stream, 0)
        guard descriptor >= 0 else { throw SocketError("make a socket for", path) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return descriptor
    }

    private func setWaiting(_ waits: Bool) throws {
        guard fcntl(descriptor, F_SETFL, waits ? 0 : O_NONBLOCK) == 0 else { throw SocketError("set") }
    }

    private static func isSocket(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }

    private static func call(
        _ what: String,
        _ path: String,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard path.utf8.count < room else { throw SocketError(what, path, ENAMETOOLONG) }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        let result = unsafe withUnsafePointer(to: address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw SocketError(what, path) }
    }
}
