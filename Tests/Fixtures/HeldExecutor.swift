import Foundation
import Heraclitus

/// An executor that runs jobs on request.
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

    /// Runs the waiting jobs and the jobs that follow from them.
    /// - Parameter latestFirst: Whether the latest job is the first to run.
    func runWhatWaits(latestFirst: Bool = false) {
        func next() -> UnownedJob? {
            contents.withLock { $0.jobs.isEmpty ? nil : latestFirst ? $0.jobs.removeLast() : $0.jobs.removeFirst() }
        }
        while let job = next() {
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    /// Runs the waiting jobs, and from now on all jobs at once.
    func runAlways() {
        contents.withLock { $0.holds = false }
        runWhatWaits()
    }
}
