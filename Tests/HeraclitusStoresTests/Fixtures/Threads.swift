import Foundation
import Synchronization

/// Runs a body on real threads, all started at once, and returns when all are done.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let start = DispatchSemaphore(value: 0)
    let done = DispatchGroup()
    for index in 0..<count {
        done.enter()
        let thread = Thread {
            start.wait()
            body(index)
            done.leave()
        }
        thread.stackSize = 1 << 20
        thread.start()
    }
    for _ in 0..<count { start.signal() }
    done.wait()
}

/// Starts a body on a thread of its own and returns a semaphore that tells when it is done.
func onThread(_ body: @escaping @Sendable () -> Void) -> DispatchSemaphore {
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
        body()
        done.signal()
    }
    thread.start()
    return done
}

extension DispatchSemaphore {
    /// Whether it is signalled within some seconds.
    ///
    /// A signal from a task comes only after all tests that wait for one of the few threads of tasks, so the limit is longer than a
    /// whole run.
    func comes(within seconds: Double = 300) -> Bool { wait(timeout: .now() + seconds) == .success }
}

/// Runs a body on a thread of its own, for what waits for tasks: these have no more threads than there are cores.
func onOwnThread(_ body: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { continuation in
        Thread { continuation.resume(with: Result(catching: body)) }.start()
    }
}

/// Calls a body while no task begins, because all threads that tasks have are busy; on a thread of its own, in a process where nothing else runs.
func onBusyThreadsOfTasks(_ body: () throws -> Void) rethrows {
    let hold = Hold()
    defer { hold.isOver.store(true, ordering: .relaxed) }
    // Busy and not asleep, because the pool gets further threads in place of those that sleep.
    func occupyThread() {
        Task.detached {
            hold.begun.signal()
            while !hold.isOver.load(ordering: .relaxed) { sched_yield() }
        }
    }
    for _ in 0..<ProcessInfo.processInfo.activeProcessorCount {
        occupyThread()
        precondition(hold.begun.comes(), "tasks have a thread for each core")
    }
    // Where they have more.
    repeat { occupyThread() } while hold.begun.comes(within: 0.1)
    try body()
}

private final class Hold: Sendable {
    let begun = DispatchSemaphore(value: 0)
    let isOver = Atomic(false)
}
