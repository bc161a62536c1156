// Sleeps by the clock of a scheduler.

package import HeraclitusEssentials

/// A deadline that a task awaits.
private final class Sleep: Due {
    private let wakening: AsyncStream<Never>
    private let continuation: AsyncStream<Never>.Continuation

    init() { (wakening, continuation) = AsyncStream.makeStream() }

    func comesDue(by date: Date) { continuation.finish() }

    /// Waits until the deadline or the cancellation of the task.
    func wait() async { for await _ in wakening {} }
}

extension Scheduler {
    /// Sleeps until a date or the cancellation of the task.
    package func sleep(until date: Date) async throws { try await sleeping(until: date)() }

    /// Prepares a sleep until a date.
    ///
    /// The deadline is in the schedule from this call on, before the returned function runs.
    /// - Returns: A function that sleeps; throws `CancellationError` when its task is cancelled.
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
