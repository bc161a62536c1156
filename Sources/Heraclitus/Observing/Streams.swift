extension StateMachine {
    /// Makes a stream of the transitions from now on, for `for await transition in machine.transitions()`.
    ///
    /// Each call makes a new stream for one reader, with the transitions in order. An update is a transition from a
    /// state to itself; activation is not a transition. Unread transitions are buffered.
    ///
    /// The stream leaves the machine unretained. It ends with the machine, or when the reading task is cancelled.
    ///
    /// Make the stream outside the task that reads it. A task with
    /// `for await transition in machine.transitions() { … }` captures the machine, and keeps it alive until you cancel
    /// the task.
    ///
    /// ```swift
    /// let transitions = machine.transitions()
    /// Task { for await transition in transitions { print(transition) } }
    /// ```
    /// - Parameter policy: The size of the buffer, and whether the oldest or the newest transitions are dropped; by
    ///   default the stream has all transitions.
    /// - Returns: A stream for one reader, which ends with the machine.
    public func transitions(
        buffering policy: AsyncStream<StateTransition>.Continuation.BufferingPolicy = .unbounded
    ) -> AsyncStream<StateTransition> {
        stream(buffering: policy) { continuation in
            onTransition { [weak self] transition in
                // The context is read at each transition, because the machine may get it after the stream was made.
                continuation.yield(transition.forLater(keeping: self?.core.context))
            }
        }
    }

    /// Makes a stream of the current state, followed by each state that the machine enters.
    ///
    /// Each state comes exactly once; an update brings its new object. Unread states are buffered. With
    /// `.bufferingNewest(1)` a slow reader gets the newest state. Each call makes a new stream for one reader.
    ///
    /// The stream leaves the machine unretained. It ends with the machine, or when the reading task is cancelled. Make
    /// it outside that task, like the stream of ``transitions(buffering:)``.
    /// - Parameter policy: The size of the buffer, and whether the oldest or the newest states are dropped; by default
    ///   the stream has all states.
    /// - Returns: A stream for one reader, which ends with the machine.
    public func states(
        buffering policy: AsyncStream<W.AnyState>.Continuation.BufferingPolicy = .unbounded
    ) -> AsyncStream<W.AnyState> {
        stream(buffering: policy) { continuation in
            // The revision of the last state in the stream, so that a concurrent transition appears exactly once.
            let last = Box(Lock(-1))
            @Sendable func give(_ object: AnyObject, _ revision: Int) {
                guard let state = object as? W.AnyState else { return }
                // The result, such as a dropped state, is released outside the lock.
                _ = last.value.withLock { last -> AsyncStream<W.AnyState>.Continuation.YieldResult? in
                    // The largest revision repeats, so it always passes.
                    guard revision > last || revision == MachineCore.largestRevision else { return nil }
                    last = revision
                    return continuation.yield(state)
                }
            }
            let registration = onTransition { [weak self] transition in
                // Only a callback of the machine runs this, so the machine is alive.
                if let self { give(transition.destinationObject, revision) }
            }
            let snapshot = core.snapshot
            give(snapshot.state, snapshot.revision)
            return registration
        }
    }

    /// Makes a stream that ends when the registered closure is removed, and whose end removes the closure.
    private func stream<Element>(
        buffering policy: AsyncStream<Element>.Continuation.BufferingPolicy,
        _ register: (Feed<Element>) -> Registration
    ) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream<Element>.makeStream(bufferingPolicy: policy)
        let registration = register(Feed(continuation))
        continuation.onTermination = { _ in registration.cancel() }
        return stream
    }
}

/// The input of a stream, retained by a closure on a machine.
///
/// The stream ends when the closure is removed.
private final class Feed<Element: Sendable>: Sendable {
    private let continuation: AsyncStream<Element>.Continuation

    init(_ continuation: AsyncStream<Element>.Continuation) { self.continuation = continuation }

    @discardableResult
    func yield(_ element: Element) -> AsyncStream<Element>.Continuation.YieldResult { continuation.yield(element) }

    deinit { continuation.finish() }
}
