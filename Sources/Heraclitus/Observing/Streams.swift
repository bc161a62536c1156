extension StateMachine {
    /// The transitions that are made from now on, for `for await transition in machine.transitions`.
    ///
    /// Each access returns a new stream for one reader, and each stream gets all transitions, in order. Transitions that were
    /// not read yet are buffered; ``transitions(buffering:)`` limits the buffer. The stream does not keep the machine alive. It
    /// ends with the machine, or when the task that reads is cancelled. An update is a transition from a state to itself;
    /// activation is not a transition.
    ///
    /// Take the stream before the task that reads it. `Task { for await transition in machine.transitions { … } }` captures the machine, and so
    /// keeps it alive until you cancel the task.
    ///
    /// ```swift
    /// let transitions = machine.transitions
    /// Task { for await transition in transitions { print(transition) } }
    /// ```
    public var transitions: AsyncStream<StateTransition> { transitions(buffering: .unbounded) }

    /// The transitions that are made from now on, with a limited buffer.
    /// - Parameter policy: How many transitions are buffered, and whether the oldest or the newest are dropped.
    /// - Returns: A stream for one reader, which ends with the machine.
    public func transitions(
        buffering policy: AsyncStream<StateTransition>.Continuation.BufferingPolicy
    ) -> AsyncStream<StateTransition> {
        stream(buffering: policy) { continuation in
            onTransition { [weak self] transition in
                // Asked now: the machine may have been given its context since the stream was made.
                continuation.yield(transition.forLater(keeping: self?.core.context))
            }
        }
    }

    /// The current state, and then each that the machine enters.
    ///
    /// Each state comes exactly once, an update with the new object. States that were not read yet are buffered;
    /// ``states(buffering:)`` limits the buffer. Each access returns a new stream for one reader. The stream does not keep the
    /// machine alive. It ends with the machine, or when the task that reads is cancelled. Take it before that task, as ``transitions``.
    public var states: AsyncStream<W.AnyState> { states(buffering: .unbounded) }

    /// The current state, and then each that the machine enters, with a limited buffer.
    ///
    /// With `.bufferingNewest(1)` a slow reader gets the newest state.
    /// - Parameter policy: How many states are buffered, and whether the oldest or the newest are dropped.
    /// - Returns: A stream for one reader, which ends with the machine.
    public func states(
        buffering policy: AsyncStream<W.AnyState>.Continuation.BufferingPolicy
    ) -> AsyncStream<W.AnyState> {
        stream(buffering: policy) { continuation in
            // The revision that was given last, so that a transition which is made meanwhile is neither left out nor given twice.
            let given = Shared(-1)
            let registration = onTransition { [weak self] transition in
                // Only a callback of the machine itself gets here, which it outlives.
                guard let self, let state = transition.destinationObject as? W.AnyState else { return }
                given.give(revision) { continuation.yield(state) }
            }
            let snapshot = core.snapshot
            if let state = snapshot.state as? W.AnyState {
                given.give(snapshot.revision) { continuation.yield(state) }
            }
            return registration
        }
    }

    /// Makes a stream that ends when the closure, which `register` adds to the machine, is gone; and the other way round.
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

/// What a closure at a machine feeds a stream through: the stream ends when the closure is gone.
private final class Feed<Element: Sendable>: Sendable {
    private let continuation: AsyncStream<Element>.Continuation

    init(_ continuation: AsyncStream<Element>.Continuation) { self.continuation = continuation }

    @discardableResult
    func yield(_ element: Element) -> AsyncStream<Element>.Continuation.YieldResult { continuation.yield(element) }

    deinit { continuation.finish() }
}

/// The revision that was given last.
private final class Shared: Sendable {
    private let last: Lock<Int>

    init(_ revision: Int) { last = Lock(revision) }

    /// Calls a body, unless that revision was given.
    ///
    /// What it returns, such as a state for which there was no room, is released outside the lock.
    @discardableResult
    func give<Result: Sendable>(_ revision: Int, _ body: () -> Result) -> Result? {
        last.withLock { last in
            // Beyond the largest one it says nothing any more.
            guard revision > last || revision == MachineCore.largestRevision else { return nil }
            last = revision
            return body()
        }
    }
}
