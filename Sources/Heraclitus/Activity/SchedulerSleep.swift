package import HeraclitusEssentials

extension Scheduler {
    /// Sleeps until a date by the scheduler's clock, or until the task is cancelled.
    package func sleep(until date: Date) async throws {
        let sleeper = ScheduledSleeper()
        let ticket = add(sleeper, at: date)
        wake()
        await withTaskCancellationHandler {
            await sleeper.wait()
        } onCancel: {
            sleeper.end()
        }
        remove(ticket)
        try Task.checkCancellation()
    }
}

/// A task that waits for a date.
private final class ScheduledSleeper: Due {
    private let content = Lock<(isOver: Bool, continuation: CheckedContinuation<Void, Never>?)>((false, nil))

    func comesDue(by date: Date) { end() }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOver = content.withLock { content in
                if !content.isOver { content.continuation = continuation }
                return content.isOver
            }
            if isOver { continuation.resume() }
        }
    }

    func end() {
        let continuation = content.withLock { content in
            content.isOver = true
            return content.continuation.take()
        }
        continuation?.resume()
    }
}
