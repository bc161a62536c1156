import Foundation
import Synchronization

/// Forwards connections from a program to a server of this computer, and simulates a stalled network: connections stay open, and no data arrives.
public final class Proxy: Sendable {
    /// The direction of forwarded data.
    public enum Direction: Sendable, CaseIterable {
        /// Data of the program.
        case requests

        /// Data of the server.
        case answers

        /// The last message of each answer, with which the server signals that it is ready.
        case ends
    }

    /// The listening port.
    public let port: Int

    /// The longest delay before the proxy cuts a connection, so that a program without a time-out fails instead of hanging.
    private static let maximumDelay: Duration = .seconds(30)

    private let listener: Int32
    private let state = Mutex(State())

    private struct State {
        var last = 0
        var isStalled = false

        /// For each direction, the number up to which connections are stalled.
        var stalled: [Direction: Int] = [:]

        /// The delay of each request, in microseconds.
        var delay: UInt32 = 0
        var roundTrips = 0
    }

    /// Listens on a free port.
    public init(for server: Int) throws {
        // A write to a closed connection then returns an error, and the process survives.
        signal(SIGPIPE, SIG_IGN)
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let listener = listener
        port = try Self.bound(listener, to: 0)
        listen(listener, 32)
        Thread.detachNewThread { [weak self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0, let self else { return }
                self.forward(client, to: server)
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    /// Stops or continues forwarding on all connections, including new ones.
    public func setStalled(_ isStalled: Bool) { state.withLock { $0.isStalled = isStalled } }

    /// Stops forwarding in one direction, permanently, on the existing connections.
    public func stallConnections(_ direction: Direction) {
        state.withLock { $0.stalled[direction] = $0.last }
    }

    /// Delays each request, as a network does.
    public func setDelay(_ delay: Duration) {
        state.withLock { $0.delay = UInt32(delay / .microseconds(1)) }
    }

    /// How often the server has signalled that it is ready.
    public var roundTrips: Int { state.withLock { $0.roundTrips } }

    private func mayForward(_ number: Int, _ direction: Direction) -> Bool {
        state.withLock { !$0.isStalled && $0.stalled[direction, default: 0] < number }
    }

    /// The length of the message "ReadyForQuery" at the end of a server's data.
    private static func end(of bytes: ArraySlice<UInt8>) -> Int {
        bytes.suffix(6).starts(with: [UInt8(ascii: "Z"), 0, 0, 0, 5]) ? 6 : 0
    }

    private func forward(_ client: Int32, to port: Int) {
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard unsafe Self.withAddress(port, { unsafe connect(server, $0, $1) }) == 0 else {
            close(client)
            close(server)
            return
        }
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        for (from, to, direction) in [(client, server, Direction.requests), (server, client, .answers)] {
            Thread.detachNewThread { [weak self] in
                var buffer = [UInt8](repeating: 0, count: 1 << 16)
                reading: while true {
                    let count = unsafe read(from, &buffer, buffer.count)
                    guard count > 0 else { break }
                    let end = direction == .answers ? Self.end(of: buffer[..<count]) : 0
                    let parts = [(buffer[..<(count - end)], direction), (buffer[(count - end)..<count], .ends)]
                    let delay = self?.note(direction, hasEnd: end > 0) ?? 0
                    if delay > 0 { usleep(delay) }
                    for (part, direction) in parts where !part.isEmpty {
                        // A permanently stalled connection discards its data.
                        let deadline = ContinuousClock.now + Self.maximumDelay
                        while let self, !self.mayForward(number, direction), .now < deadline { usleep(5_000) }
                        guard self?.mayForward(number, direction) == true else { break reading }
                        let written = unsafe part.withUnsafeBytes { unsafe write(to, $0.baseAddress, $0.count) }
                        guard written == part.count else { break reading }
                    }
                }
                shutdown(to, Int32(SHUT_RDWR))
                shutdown(from, Int32(SHUT_RDWR))
            }
        }
    }

    /// Counts a completed answer.
    /// - Returns: The delay of a request, in microseconds.
    private func note(_ direction: Direction, hasEnd: Bool) -> UInt32 {
        state.withLock { state in
            if hasEnd { state.roundTrips += 1 }
            return direction == .requests ? state.delay : 0
        }
    }

    private static func bound(_ socket: Int32, to port: Int) throws -> Int {
        guard unsafe withAddress(port, { unsafe bind(socket, $0, $1) }) == 0 else { throw POSIXError(.EADDRINUSE) }
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = unsafe getsockname(socket, address, &size)
            }
        }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// A recently free port of this computer.
    public static func freePort() throws -> Int {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        return try bound(socket, to: 0)
    }

    private static func withAddress(_ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = UInt16(port).bigEndian
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe body(address, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
