import Foundation
import Synchronization

/// Runs a body on several threads, all started at once, and returns when all are done.
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

/// Starts a body on its own thread, and returns a semaphore that signals its end.
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
    /// Tests occupy the few threads of tasks, so a signal from a task may take as long as the whole run.
    func comes(within seconds: Double = 300) -> Bool { wait(timeout: .now() + seconds) == .success }
}

/// Runs a body that waits for tasks on its own thread, because tasks have only one thread per core.
func onOwnThread(_ body: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { continuation in
        Thread { continuation.resume(with: Result(catching: body)) }.start()
    }
}

/// Calls a body while all threads of tasks are busy.
///
/// Call it on its own thread, in a process without other work.
func onBusyThreadsOfTasks(_ body: () throws -> Void) rethrows {
    let hold = Hold()
    defer { hold.isOver.store(true, ordering: .relaxed) }
    // The threads stay busy, because the pool replaces sleeping threads.
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
    // Some platforms have more threads.
    repeat { occupyThread() } while hold.begun.comes(within: 0.1)
    try body()
}

private final class Hold: Sendable {
    let begun = DispatchSemaphore(value: 0)
    let isOver = Atomic(false)
}
