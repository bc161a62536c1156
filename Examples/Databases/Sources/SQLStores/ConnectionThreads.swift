import Dispatch
import Synchronization

/// The threads of a pool, which carry out what tasks do that have come to it: one for each of a few queues, which the system starts when they are
/// needed.
package final class ConnectionThreads: TaskExecutor {
    private struct Contents {
        var idle: [DispatchQueue]

        /// What waits for a queue, behind what has been taken.
        var jobs: [UnownedJob] = []
        var taken = 0
    }

    private let contents: Mutex<Contents>

    /// There will be `limit` threads at most.
    package init(limit: Int, name: String) {
        // A serial queue has a thread that is none of those on which tasks run by themselves.
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
            // Not owned by what runs on it; this closure keeps it.
            let executor = unsafe asUnownedTaskExecutor()
            unsafe job.runSynchronously(on: executor)
            while let next = next(orIdle: queue) { unsafe next.runSynchronously(on: executor) }
        }
    }

    /// What comes next; `nil` if nothing does, and the queue is idle.
    private func next(orIdle queue: DispatchQueue) -> UnownedJob? {
        contents.withLock { contents in
            guard contents.taken < contents.jobs.count else {
                contents.idle.append(queue)
                return nil
            }
            let job = contents.jobs[contents.taken]
            contents.taken += 1
            // Now and then, so that it costs nothing for each.
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
