import Foundation
import Heraclitus

/// Runs what tasks do when it is told to.
final class HeldExecutor: TaskExecutor {
    private struct Contents {
        var jobs: [UnownedJob] = []
        var holds = true
    }

    private let contents = Lock(Contents())

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isHeld = contents.withLock { contents in
            if contents.holds { contents.jobs.append(job) }
            return contents.holds
        }
        if !isHeld { Thread.detachNewThread { [self] in unsafe job.runSynchronously(on: asUnownedTaskExecutor()) } }
    }

    /// Runs what waits, and what comes of that.
    func runWhatWaits() {
        while let job = contents.withLock({ $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }) {
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    /// Runs what waits, and from now on whatever comes at once.
    func runAlways() {
        contents.withLock { $0.holds = false }
        runWhatWaits()
    }
}
