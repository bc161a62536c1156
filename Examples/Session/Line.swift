import Foundation
import SessionSocketExample

/// A connection to the server that delivers lines, and closes when it is released.
struct Line: AsyncSequence, AsyncIteratorProtocol, Sendable {
    private let socket: Socket

    init(to path: String) throws { socket = try Socket(connectingTo: path) }

    func say(_ text: String) throws { try socket.send(text) }

    /// Waits for the next line, until the task is cancelled; `nil` when the server has closed the connection.
    func next() async throws -> String? {
        let line = await withTaskCancellationHandler { [socket] in
            await withCheckedContinuation { continuation in
                // A separate thread may block; the threads that tasks share must not.
                Thread.detachNewThread { continuation.resume(returning: Result { try socket.readLine() }) }
            }
        } onCancel: {
            socket.shutDown()
        }
        try Task.checkCancellation()
        return try line.get()
    }

    func makeAsyncIterator() -> Line { self }
}
