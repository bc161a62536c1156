/// A state with work of its own: a task that runs as long as the machine is in the state.
///
/// ```swift
/// final class ConnectingState: SessionState, Working {
///     let host: String
///     init(host: String) { self.host = host }
///
///     func work(_ call: WorkCall<Session>) async throws {
///         let socket = try await call.context.open(host)
///         try call.fire.connected(ConnectedState(socket))
///     }
/// }
/// ```
///
/// The work begins once, when everybody has been called who hears of the state's entering or restoring, and one of Swift's threads is free. If
/// the machine has left the state by then, it does not begin; if the machine leaves the state just then, it begins cancelled. It is cancelled when
/// the machine leaves the state, before ``Exiting/didExit(_:)``, or is released; in a ``StateMachine/run()`` it counts no longer from then on, and is
/// cancelled a moment later. It does not keep the machine alive.
public protocol Working<MachineWorkflow>: Capability {
    /// The workflow of the state; inferred from ``work(_:)``.
    associatedtype MachineWorkflow: Workflow

    /// Does the work of the state, in a task of its own, or in a child task of ``StateMachine/run()``.
    ///
    /// A task of its own has no task-local values, and neither the priority nor the actor of whoever has fired. What the work fires through the
    /// workplace is rejected as ``InvalidTransition/Reason-swift.enum/notCurrent`` once it does not count any more: when the machine has left the
    /// state or is about to, when other work has begun after an update, or when its run was cancelled. It may fire updates of its state at any rate:
    /// they keep it going.
    /// - Parameter call: The machine's context, and the events that it may fire.
    ///
    /// When it returns, it fires the event of the state with ``WorkflowEvent/whenDone()``.
    /// - Throws: Any error. It fires the event of the state with `whenFailed(enters:)`; without one, observers get
    ///   ``Occurrence/Kind-swift.enum/failed``. A `CancellationError` is no failure if the state was left before.
    func work(_ call: WorkCall<MachineWorkflow>) async throws

    /// Takes over the work of the data before, when an update has replaced that by this object.
    ///
    /// Called on the firing thread right after the update was committed, before `didFire` and the observers. Hand over here what only lives in the
    /// old object, such as an open connection. The work may still be about to make it: ``WorkCall/machine`` tells the work which object is current.
    /// It is not called when the work has not begun yet: that begins with this object.
    /// - Parameter old: The object before the update, whose ``work(_:)`` is running or was completed, or that has taken over such work itself.
    /// - Returns: Whether that work counts for this object; otherwise it is cancelled, and the work of this object begins. By default
    ///   `true`.
    func continuesWork(of old: Self) -> Bool
}

extension Working {
    /// Lets the work go on.
    public func continuesWork(of old: Self) -> Bool { true }
}

/// Where the work of a state is done: what it is handed.
///
/// It does not keep the machine alive. It is for the state's ``Working/work(_:)`` and what that calls.
public struct WorkCall<W: Workflow>: Sendable {
    /// What the machine was given for its states.
    public let context: W.Context

    /// What tells whether the work still counts, and which machine it is for: a `StateWork`, which this layer does not know.
    let work: any AnyObject & Sendable

    /// The class of the state.
    let state: any WorkflowState.Type

    init(_ context: W.Context, _ work: any AnyObject & Sendable, in state: any WorkflowState.Type) {
        self.context = context
        self.work = work
        self.state = state
    }
}

// MARK: - Work that fails

/// What an event that fires when the work of a state has failed enters.
struct FailureRule: Sendable {
    /// The states whose work it is about.
    let sources: ClosureTypes.Parameter

    /// Builds the state to enter from the one that is left and the error; `nil` for what the event enters anyway.
    let build: StateBuilder?
}

extension WorkflowEvent {
    /// Makes the event fire by itself when the work of its source has thrown an error.
    ///
    /// ```swift
    /// let fail = Event(from: ConnectingState.self, to: BackingOffState.self)
    ///     .whenFailed { connecting, error in BackingOffState(after: connecting) }
    /// ```
    ///
    /// The source is ``Working``, and has no other event of this kind. ``StateTransition/failure`` is the error. If the event is
    /// rejected, observers get the error all the same. A builder that needs the context or the date is one of `enters`: it has the error in
    /// ``EventCall/failure``.
    /// - Parameter build: Builds the state to enter from the one that is left and the error. What it throws declines the transition.
    /// - Returns: The event with this cause.
    public func whenFailed(
        enters build: @escaping @Sendable (Source, any Error) throws -> Destination
    ) -> Self {
        adding(
            Self.rule { source, _, userInfo, _ in
                guard let error = userInfo.failure else { preconditionFailure("The work has thrown an error.") }
                return try build(source, error)
            }
        )
    }

    /// Makes the event fire by itself when the work of its source has thrown an error.
    ///
    /// It enters what the event's builder makes, or else the only empty state that it leads to.
    /// - Returns: The event with this cause.
    public func whenFailed() -> Self { adding(nil) }

    private func adding(_ builder: BuilderRule?) -> Self {
        let sources = ClosureTypes.Parameter(Source.self, of: W.AnyState.self)
        return .init(declaration.adding(failure: FailureRule(sources: sources, build: builder?.build)))
    }
}

extension WorkflowEvent {
    /// Makes the event fire by itself when the work of its source is done: when it has returned without an error.
    ///
    /// ```swift
    /// let done = Event(from: ConvertingState.self, to: ConvertedState.self).whenDone().enters { ConvertedState(file: $0.file) }
    /// ```
    ///
    /// It enters what the event's builder makes, or else the only empty state that it leads to. The source is ``Working``, and has no other event of
    /// this kind. It does not fire if the machine has left the state, or if the work does not count any more. What a guard declines does not come
    /// again; observers hear of the rejection.
    /// - Returns: The event with this cause.
    public func whenDone() -> Self {
        .init(declaration.adding(done: ClosureTypes.Parameter(Source.self, of: W.AnyState.self)))
    }
}

extension StateTransition {
    /// The error of the work that has failed, if the event has fired for that.
    public var failure: (any Error)? { fullUserInfo.failure }
}
