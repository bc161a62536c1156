// What cancels the work of a state?

/// A task of the library's own, which can be cancelled from when it begins.
final class WorkTask: Sendable {
    /// The two refer to each other until the task has ended.
    private let task = Lock<Task<Void, Never>?>(nil)

    /// Starts it.
    /// - Parameter body: Is called with this object when a thread is free.
    func start(_ body: @escaping @Sendable (WorkTask) async -> Void) {
        // Detached, because work belongs to its state and not to whoever has fired.
        // In the lock, which nobody takes but who cancels it: that may be sooner than this returns.
        task.withLock { task in
            task = Task.detached { await body(self) }
        }
    }

    /// Cancels it; when it was started.
    func cancel() {
        // Not in the lock, because cancellation handlers are user code.
        task.withLock { $0 }?.cancel()
    }
}
