import Foundation

/// Jobs for threads that wait for them.
final class JobQueue<Job: Sendable>: @unchecked Sendable {
    /// Protects all below.
    private let condition = NSCondition()
    private var jobs: [Job?] = []
    private var taken = 0
    private var waiting = 0
    private var threads = 0
    private var isClosed = false

    /// Adds a job.
    /// - Returns: Whether it needs another thread, of which there may be `limit`; then it counts as started.
    func add(_ job: Job, atMost limit: Int) -> Bool {
        condition.withLock {
            jobs.append(job)
            condition.signal()
            guard waiting < jobs.count - taken, threads < limit else { return false }
            threads += 1
            return true
        }
    }

    /// Waits for a job; `nil` when there are no more, and never will be.
    func next() -> Job? {
        condition.withLock {
            waiting += 1
            defer { waiting -= 1 }
            while taken == jobs.count {
                guard !isClosed else { return nil }
                condition.wait()
            }
            let job = jobs[taken]
            jobs[taken] = nil
            taken += 1
            // Now and then, so that it costs nothing for each.
            if taken == jobs.count || taken > 1_000 {
                jobs.removeFirst(taken)
                taken = 0
            }
            return job
        }
    }

    func close() {
        condition.withLock {
            isClosed = true
            condition.broadcast()
        }
    }
}
