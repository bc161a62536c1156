/// A state with work: a task that runs while the machine is in the state.
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
/// The work begins once, after all callbacks of entering or restoring the state, when a thread is free. If the machine
/// has already left the state, the work never begins; if it leaves the state at that moment, the work begins cancelled.
///
/// The work is cancelled when the machine leaves the state, before ``Exiting/didExit(_:)``, or is released. In a
/// ``StateMachine/run()`` it is invalid from then on, and is cancelled a moment later. It leaves the machine
/// unretained.
public protocol Working<MachineWorkflow>: WorkflowState {
    /// The workflow of the state; inferred from ``work(_:)``.
    associatedtype MachineWorkflow: Workflow

    /// Does the work of the state, in its own task or in a child task of ``StateMachine/run()``.
    ///
    /// Its own task has no task-local values, and neither the priority nor the actor of the caller of `fire`. Fires
    /// through the call are rejected as ``InvalidTransition/Reason-swift.enum/notCurrent`` once the work is invalid.
    /// This happens when the machine has left the state or is about to, when other work has begun after an update, and
    /// when its run was cancelled. It may fire updates of its state at any rate, which keep it going.
    ///
    /// After an update, `self` is still the old object. Build the next state from the current object, which the closure
    /// of the fire gets: `try call.fire.done { loading in LoadedState(count: loading.count) }`.
    ///
    /// After returning, it fires the state's event with ``WorkflowEvent/whenDone()``.
    /// - Parameter call: The machine's context, and the events that the work may fire.
    /// - Throws: Any error. It fires the event of the state with `whenFailed(enters:)`; without one, observers get
    ///   ``Occurrence/Kind-swift.enum/failed``. Errors after the state was left are no failures.
    func work(_ call: WorkCall<MachineWorkflow>) async throws

    /// Takes over the old data's work after an update to this object.
    ///
    /// Called on the firing thread right after the commit of the update, before `didFire` and the observers. Pass on
    /// live parts of the old object here, such as an open connection. The work may still be about to make it;
    /// ``WorkCall/machine`` gives the work the current object. The method is skipped if the work has not begun: it then
    /// begins with this object.
    /// - Parameter old: The object before the update, whose ``work(_:)`` runs or is completed, or which has taken over
    ///   work itself.
    /// - Returns: Whether the work continues for this object, by default `true`; otherwise it is cancelled, and this
    ///   object's work begins.
    func continuesWork(of old: Self) -> Bool
}

extension Working {
    /// Continues the work.
    public func continuesWork(of old: Self) -> Bool { true }
}

/// The environment of a state's work.
///
/// It leaves the machine unretained. Use it in ``Working/work(_:)`` and in the functions called there.
public struct WorkCall<W: Workflow>: Sendable {
    /// The machine's context.
    public let context: W.Context

    /// The work, which has the machine.
    let work: StateWork

    /// The class of the state.
    let state: any WorkflowState.Type
}

// MARK: - Work that fails

extension WorkflowEvent {
    /// Makes the event automatic: it fires after the work of its source has thrown an error.
    ///
    /// ```swift
    /// let fail = Event(from: ConnectingState.self, to: BackingOffState.self)
    ///     .whenFailed { connecting, error in BackingOffState(after: connecting) }
    /// ```
    ///
    /// The source is ``Working``, and has no other event of this kind. ``StateTransition/failure`` is the error. If the
    /// event is rejected, observers still get the error. A builder that needs the context or the date is a builder of
    /// `enters`, with the error in ``MachineCall/failure``.
    /// - Parameter build: Builds the destination from the state being left and the error. Its error declines the
    ///   transition. By default the event enters the state of its `enters` builder, or the only empty state that it
    ///   leads to.
    /// - Returns: The event with this cause.
    public func whenFailed(
        enters build: (@Sendable (Source, any Error) throws -> Destination)? = nil
    ) -> Self {
        let rule = build.map { build in
            Self.rule { source, call in
                guard let error = call.fullUserInfo.failure else { preconditionFailure("Failed work has no error.") }
                return try build(source, error)
            }
        }
        return adding(.failure(rule?.build))
    }

    /// Makes the event automatic: it fires after the work of its source has returned.
    ///
    /// ```swift
    /// let done = Event(from: ConvertingState.self, to: ConvertedState.self).whenDone().enters { ConvertedState(file: $0.file) }
    /// ```
    ///
    /// It enters the state of the event's builder, or the only empty state that it leads to. The source is ``Working``,
    /// and has no other event of this kind. It stays off if the machine has left the state, or if the work is invalid.
    /// A declined event is not retried; observers are told of the rejection.
    /// - Returns: The event with this cause.
    public func whenDone() -> Self { adding(.done) }
}
