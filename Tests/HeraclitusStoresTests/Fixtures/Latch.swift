/// Something that happens once, for one task that waits for it.
final class Latch: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream<Void>.makeStream() }

    func open() { continuation.finish() }

    /// Waits until it happens, or the task is cancelled.
    func wait() async throws {
        for await _ in stream {}
        try Task.checkCancellation()
    }

    /// Waits until it happens, whatever becomes of the task.
    func waitStubbornly() async { _ = await Task.detached { try? await self.wait() }.value }
}
