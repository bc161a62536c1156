// How is a task cancelled that has begun before anybody could note it?

/// A task of the library's own, which can be cancelled from when it begins.
final class WorkTask: Sendable {
    /// The two refer to each other until the task has ended.
    private let task = Lock<Task<Void, Never>?>(nil)

    /// Starts it.
    /// - Parameter body: Is called with this object when a thread is free.
    func start(_ body: @escaping @Sendable (WorkTask) async -> Void) {
        // Detached, because work belongs to its state and not to whoever has fired.
        // In the lock: who cancels the task when it has begun, and is not noted yet, waits for that. Nobody else takes the lock.
        task.withLock { task in
            task = Task.detached { await body(self) }
        }
    }

    /// Cancels it, if it was started.
    func cancel() {
        // Not in the lock, because cancellation handlers are user code.
        task.withLock { $0 }?.cancel()
    }
}
