import Dispatch
import Synchronization

/// The threads of a pool, which run the jobs of tasks.
///
/// Each thread belongs to a serial queue, and the system starts it when needed.
package final class ConnectionThreads: TaskExecutor {
    private struct Contents {
        var idle: [DispatchQueue]

        /// The waiting jobs; the first `taken` of them have been taken.
        var jobs: [UnownedJob] = []
        var taken = 0
    }

    private let contents: Mutex<Contents>

    /// Makes an executor of at most `limit` threads.
    package init(limit: Int, name: String) {
        // The thread of a serial queue is separate from the threads of Swift's default executor.
        contents = Mutex(Contents(idle: (0..<limit).map { _ in DispatchQueue(label: name) }))
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let queue = contents.withLock { contents in
            if contents.idle.isEmpty { contents.jobs.append(job) }
            return contents.idle.popLast()
        }
        guard let queue else { return }
        queue.async { [self] in
            // The job holds the executor unowned, and this closure retains it.
            let executor = unsafe asUnownedTaskExecutor()
            unsafe job.runSynchronously(on: executor)
            while let next = next(orIdle: queue) { unsafe next.runSynchronously(on: executor) }
        }
    }

    /// The next job; `nil` if none waits, and then the queue is idle.
    private func next(orIdle queue: DispatchQueue) -> UnownedJob? {
        contents.withLock { contents in
            guard contents.taken < contents.jobs.count else {
                contents.idle.append(queue)
                return nil
            }
            let job = contents.jobs[contents.taken]
            contents.taken += 1
            // Removing many jobs at once keeps the cost of each low.
            if contents.taken == contents.jobs.count || contents.taken > 1_000 {
                contents.jobs.removeFirst(contents.taken)
                contents.taken = 0
            }
            return job
        }
    }
}

extension ConnectionThreads {
    /// Whether the current task is on these threads.
    package var isCurrent: Bool {
        unsafe withUnsafeCurrentTask { unsafe $0?.unownedTaskExecutor } == asUnownedTaskExecutor()
    }
}
