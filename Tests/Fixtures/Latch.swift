/// An event that happens once, and for which one task waits.
final class Latch: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream<Void>.makeStream() }

    func open() { continuation.finish() }

    /// Waits for the event or the cancellation of the task.
    func wait() async throws {
        for await _ in stream {}
        try Task.checkCancellation()
    }

    /// Waits for the event and ignores the cancellation of the task.
    func waitStubbornly() async { _ = await Task.detached { try? await self.wait() }.value }
}
