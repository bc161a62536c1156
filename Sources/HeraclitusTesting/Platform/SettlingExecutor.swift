import Dispatch
import Heraclitus

/// Runs the work of machines, and detects when all work has ended or waits.
final class SettlingExecutor: TaskExecutor {
    private let contents = Lock(Contents())

    private struct Contents {
        /// The number of jobs that run or wait for a thread.
        var jobs = 0
        var waiters: [CheckedContinuation<Void, Never>] = []

        mutating func endJob() -> [CheckedContinuation<Void, Never>] {
            jobs -= 1
            guard jobs == 0 else { return [] }
            defer { waiters = [] }
            return waiters
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        contents.withLock { $0.jobs += 1 }
        DispatchQueue.global().async { [self] in
            // The job lives until it was run, and only this block runs it.
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
            // Jobs that the job has resumed are already counted.
            for waiter in contents.withLock({ $0.endJob() }) { waiter.resume() }
        }
    }

    /// Waits until all work has ended or waits for something.
    func idle() async {
        await withCheckedContinuation { continuation in
            let isIdle = contents.withLock { contents in
                if contents.jobs > 0 { contents.waiters.append(continuation) }
                return contents.jobs == 0
            }
            if isIdle { continuation.resume() }
        }
    }
}
