/// One workflow in progress: it holds the current state, rejects events that are not allowed, and calls hooks and observers.
///
/// ```swift
/// let machine = StateMachine<Download>()
/// try machine.fire.load(LoadingState(request: request), userInfo: ["attempt": 1])
/// machine.state.request
/// machine.can.cancel
/// ```
///
/// **Order.** A fire resolves the event, checks the table, builds the destination where a closure was given, and asks the
/// guards, each exactly once: the event's, `source.shouldExit`, `destination.shouldEnter`, those added to this machine.
/// Then it calls `event.willFire`, `source.willExit`, `destination.willEnter`, **commits**, and calls `source.didExit`,
/// `destination.didEnter`, `event.didFire` and the observers. A machine's own closure runs right after the definition's at
/// the same place, in the order added.
///
/// **All or nothing.** Only guards and builders can throw, and they run before anything has changed.
///
/// **Firing from callbacks.** From `did…` hooks and observers the machine may be fired again. Such a fire is validated and
/// guarded at once, against the state that the machine will have after everything accepted so far. So it throws at once or
/// is certain to happen. It is carried out, in order, after the transition under way has called every callback, and before
/// the outermost `fire` returns. From guards, builders and `will…` hooks, firing throws `.transitionInProgress`.
///
/// **Threads.** Transitions of one machine are serialised; callbacks run on the firing thread. Reading `state`, `can`,
/// `revision` and the like never waits for a callback. A `fire` from another thread does wait for the callbacks of the
/// transition under way. So a callback must not wait for another thread's fire of the same machine, and a task that fires
/// blocks its thread meanwhile. Fires that would wait for one another in a circle throw `.deadlock`.
///
/// **Activation.** ``activate(userInfo:)``, or the first fire, makes a new machine enter its initial state, and calls
/// `didRestore` of a restored machine's state.
public final class StateMachine<W: Workflow>: Sendable {
    @usableFromInline let core: MachineCore

    @usableFromInline
    init(_ core: consuming MachineCore) {
        self.core = core
        if definition.hasComposites { self.core.takeFirstRegions(of: self) }
    }

    // `nil` for the system's scheduler, which most machines do not keep: to count a reference to it is a tenth of making a machine.
    @inlinable
    convenience init(
        placing state: consuming W.AnyState,
        due activation: PackedStatus.Activation,
        _ scheduler: Scheduler?,
        _ context: GivenContext? = nil,
        in definition: Definition = CompiledWorkflow<W>.shared.definition,
        journal: JournalLimit? = nil
    ) {
        let object = definition.object(of: state)
        self.init(MachineCore(definition, beginningIn: object, activation, scheduler, context, journal))
    }
}

extension MachineCore {
    /// Makes a machine that begins in a state, which has to be registered.
    @usableFromInline
    init(
        _ definition: Definition,
        beginningIn state: consuming OwnedObject,
        _ activation: PackedStatus.Activation,
        _ scheduler: Scheduler? = nil,
        _ context: GivenContext? = nil,
        _ journal: JournalLimit? = nil
    ) {
        let index = state.withObject(definition.indexOfBeginning)
        self.init(
            definition,
            state,
            PackedStatus(index, activation),
            activity: definition.activity(scheduler, entered: nil),
            journal: definition.journalBook(journal.map { Journal([]).limited(to: $0) }),
            context
        )
    }
}

extension Definition {
    /// The number of the class of an object with which a machine is to begin, which has to be registered.
    func indexOfBeginning(_ state: AnyObject) -> Int {
        if let index = stateIndex(ofBeginning: state), layout(of: state, of: index) != nil { return index }
        fatalError(
            "\(fullName(of: type(of: state))) is not registered with the workflow "
                + "\(workflow): name it in an event or list it in `states`."
        )
    }
}

// MARK: - Reading

// None of these waits for a callback. On the thread whose callback is running, `can` and `allowedEvents` answer for the
// state in which everything already accepted will leave the machine; everywhere else for the one it shows.
extension StateMachine {
    /// The current state object.
    @inlinable public var state: W.AnyState { core.state.read(as: W.AnyState.self) }

    /// The state object that the last transition left; `nil` before the first, and after restoring.
    public var previousState: W.AnyState? {
        // Without an object there is nothing to cast: `nil` itself can be cast to an `AnyState` that may be anything.
        core.snapshot.previous.flatMap { $0 as? W.AnyState }
    }

    /// The name of the current state.
    public var stateName: String { definition.states[core.now.index].name }

    /// The number of transitions since the machine was made, through archives and copies; activation is none.
    ///
    /// It stops at 2⁵³, the largest whole number that every JSON reader represents exactly.
    public var revision: Int { core.currentRevision }

    /// Whether the machine was activated: by ``activate(userInfo:)`` or by the first fire.
    ///
    /// A ``copy()`` of an active machine is active, although its deadlines and its work begin only when it is activated or fired itself.
    public var isActive: Bool { core.now.isEntered }

    /// Whether the current state is an object of a class or of a subclass of it, or conforms to a protocol.
    ///
    /// A machine whose state holds machines, as ``Composite`` says, is also in the states that those are in.
    /// - Parameter type: The class, or the protocol: `(any DownloadState).self`.
    /// - Returns: `true` for an object of a subclass, too.
    @inlinable
    public func isIn<S>(_ type: S.Type) -> Bool {
        let state = state
        return state is S || definition.hasComposites && isInRegion(type, of: state)
    }

    @usableFromInline
    func isInRegion<S>(_ type: S.Type, of state: W.AnyState) -> Bool {
        regions(of: state).contains { $0.isIn(type) }
    }

    /// Whether the current state, a registered superclass, or a group of it has a name.
    ///
    /// A machine whose state holds machines, as ``Composite`` says, is also in the states that those are in.
    /// - Parameter name: The name.
    /// - Returns: `false` for an unknown name, too.
    public func isIn(named name: String) -> Bool {
        let index = core.now.index
        if let named = definition.stateIndex(named: name), definition.lineage(of: index).contains(named) {
            return true
        }
        if definition.content.value.groups.contains(where: { $0.name == name && $0.members.contains(index) }) {
            return true
        }
        return definition.hasComposites && regions(of: state).contains { $0.isIn(named: name) }
    }

    private func regions(of state: W.AnyState) -> [any TreeMachine] {
        ((state as? any Composite)?.regions ?? []).compactMap { $0 as? any TreeMachine }
    }

    /// The names of the events that lead from the current state, in the order of the definition.
    ///
    /// Guards are not asked: ``eventAvailability(userInfo:)`` asks them. Events that are ignored now are left out, because to fire them does
    /// nothing; ``can`` is `true` for them, because to fire them is no error.
    public var allowedEvents: [String] { definition.eventNames(leaving: core.expectedState(of: self)) }

    /// Whether the table allows an event: `machine.can.load`, `machine.can(named: "load")`.
    ///
    /// Guards are not asked: ``rehearse`` asks them. It is `true` for an event that is ignored, because to fire it is not an error.
    /// Inside a callback of this machine, on its thread, the answer is for the state that the machine will have after everything
    /// accepted so far.
    @inlinable public var can: Can<W> { Can(machine: self) }

    /// Fires events: `machine.fire.load(…)`, `machine.fire(event, …)`, `machine.fire(named: "load", …)`.
    @inlinable public var fire: Fire<W> { Fire(machine: self) }

    /// Answers what a fire would do, guards included, and changes nothing: `try machine.rehearse.pay(PaidState(…))`.
    ///
    /// It throws the ``InvalidTransition`` that the fire would throw now, and returns if the fire would be carried out or ignored. A
    /// rehearsal is a fire that ends after the guards: it waits for its turn, builds the destination and asks every guard. It calls no
    /// hook and no observer, and neither the state nor the ``revision`` changes. So builders and guards must have no side effects.
    /// ``can`` answers by the table alone, without waiting.
    ///
    /// Another thread may fire between a rehearsal and the fire. In a `did…` hook, an observer or ``perform(block:)`` the answer is for
    /// the state that the machine will have after everything accepted so far. In a guard, a builder or a `will…` hook of the machine it
    /// throws `.transitionInProgress`, as a fire does.
    ///
    /// A rehearsal does not activate the machine. The answer is for its current state, although the hooks of its activation, at the
    /// first fire, may lead to another state.
    @inlinable public var rehearse: Fire<W> { Fire(machine: self, isRehearsal: true) }

    @inlinable var workflow: CompiledWorkflow<W> { CompiledWorkflow(core.definition) }

    @inlinable var definition: Definition { core.definition }

    /// The state that a fire leaves, as the type that the event says it is.
    @inlinable
    func source<S>(of candidate: CandidateTransition, as type: S.Type) -> S {
        let object = core.source(of: candidate)
        if S.self == W.AnyState.self { return core.sourceLayout(of: candidate).handedOut(object, as: S.self) }
        guard let source = object as? S else {
            preconditionFailure("An event that leads from one class or group only was accepted in another state.")
        }
        return source
    }
}

extension StateMachine: CustomStringConvertible {
    /// The workflow and the state: `Download in LoadingState, revision 1`.
    public var description: String {
        let snapshot = core.snapshot
        let name = definition.states[snapshot.status.index].name
        return "\(definition.workflow) in \(name), revision \(snapshot.revision)"
    }
}

extension StateTransition {
    /// The machine of this transition, if it is one of a workflow.
    ///
    /// Through it a state's own hook fires its machine:
    ///
    /// ```swift
    /// func didEnter(_ transition: StateTransition) {
    ///     try? transition.machine(as: Download.self)?.fire.finish(CompletedState(byteCount: 0))
    /// }
    /// ```
    ///
    /// A transition that you store keeps its machine alive; one that was read from ``StateMachine/transitions`` does not.
    /// - Parameter workflow: The workflow.
    /// - Returns: The machine; `nil` if it is one of another workflow, or was released.
    public func machine<W: Workflow>(as workflow: W.Type) -> StateMachine<W>? {
        machine as? StateMachine<W>
    }
}

extension StateMachine: Parkable {
    /// The name of the workflow.
    @usableFromInline package var workflowName: String { definition.workflow }

    /// The version of the workflow.
    package var workflowVersion: Int { definition.version }

    @usableFromInline var ownerNumber: UInt? { core.ownership.ownerNumber }

    @usableFromInline var isHeld: Bool { core.ownership.isHeld }

    @usableFromInline
    func tryAcquire(by thread: ThreadID, othersWait: Bool) -> Bool {
        core.ownership.tryAcquire(by: thread, othersWait: othersWait)
    }

    @usableFromInline
    func noteWaiting() -> Bool { core.ownership.noteWaiting() }
}
