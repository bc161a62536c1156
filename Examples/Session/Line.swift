import Foundation
import SessionSocketExample

/// A connection to the server, on which lines come; it is hung up when nobody has it any more.
struct Line: AsyncSequence, AsyncIteratorProtocol, Sendable {
    private let socket: Socket

    init(to path: String) throws { socket = try Socket(connectingTo: path) }

    func say(_ text: String) throws { try socket.send(text) }

    /// Waits for the next line, until the task is cancelled; `nil` when the server has hung up.
    func next() async throws -> String? {
        let line = await withTaskCancellationHandler { [socket] in
            await withCheckedContinuation { continuation in
                // A thread of its own may wait as long as it takes; those that all tasks share may not.
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
