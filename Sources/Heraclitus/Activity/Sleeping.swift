// How does work wait, by the clock of its machine?
import HeraclitusEssentials

/// Something that somebody awaits until it is due.
private final class Sleep: Due {
    private let wakening: AsyncStream<Never>
    private let continuation: AsyncStream<Never>.Continuation

    init() { (wakening, continuation) = AsyncStream.makeStream() }

    func comesDue(by date: Date) { continuation.finish() }

    /// Waits until it is due, or until the task is cancelled.
    func wait() async { for await _ in wakening {} }
}

extension Scheduler {
    /// Sleeps until a date has come.
    ///
    /// It waits in the schedule from the call on, and not only when the function runs.
    /// - Returns: What sleeps; throws `CancellationError` when its task is cancelled.
    func sleeping(until date: Date) -> @Sendable () async throws -> Void {
        let sleep = Sleep()
        let ticket = add(sleep, at: date)
        wake()
        return { [self] in
            await sleep.wait()
            remove(ticket)
            try Task.checkCancellation()
        }
    }
}
