/// A signal that is sent once, and that a task awaits.
final class AsyncSignal: Sendable {
    private let stream: AsyncStream<Never>
    private let continuation: AsyncStream<Never>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func send() { continuation.finish() }

    /// Waits for the signal or for the cancellation of the task.
    func wait() async { for await _ in stream {} }
}
