/// One workflow in progress.
///
/// It holds the current state, rejects events that are not allowed, and calls hooks and observers.
///
/// ```swift
/// let machine = StateMachine<Download>()
/// try machine.fire.load(LoadingState(request: request), userInfo: ["attempt": 1])
/// machine.state.request
/// machine.can.cancel
/// ```
///
/// **Order.** A fire resolves the event, checks the table, builds the destination, and asks each guard once: the guards
/// of the event, `source.shouldExit`, `destination.shouldEnter`, and the machine's own. It then calls `event.willFire`,
/// `source.willExit` and `destination.willEnter`, and **commits**. Finally it calls `source.didExit`,
/// `destination.didEnter`, `event.didFire` and the observers. A machine's closure runs right after the definition's
/// hook of the same place, in the order of adding.
///
/// **All or nothing.** Only guards and builders can throw, and they run before any change.
///
/// **Firing from callbacks.** `did…` hooks and observers may fire the machine. Such a fire is validated and guarded at
/// once, against the state that all accepted fires lead to. It therefore throws at once, or is certain to happen. It is
/// carried out in order, after all callbacks of the transition under way, before the outermost `fire` returns. In
/// guards, builders and `will…` hooks, a fire throws `.transitionInProgress`.
///
/// **Threads.** Transitions of one machine are serialised; callbacks run on the firing thread. Reads of `state`, `can`,
/// `revision` and similar properties never wait for a callback. A `fire` from another thread waits for the callbacks of
/// the transition under way, and blocks its thread meanwhile. A callback must therefore not wait for another thread's
/// fire of the same machine. A circle of waits throws `.deadlock`.
///
/// **Activation.** ``activate(context:userInfo:)``, or the first fire, enters the initial state of a new machine, and
/// calls `didRestore` of a restored machine's state.
public final class StateMachine<W: Workflow>: Sendable {
    @usableFromInline let core: MachineCore

    @usableFromInline
    init(_ core: consuming MachineCore) {
        self.core = core
        if definition.hasComposites { self.core.takeFirstRegions(of: self) }
    }

    // `nil` for the system's scheduler: counting a reference to it would be a tenth of making a machine.
    @inlinable
    convenience init(
        placing state: consuming W.AnyState,
        due activation: PackedStatus.Activation,
        _ scheduler: Scheduler?,
        _ context: GivenContext? = nil,
        journal: Int = 0
    ) {
        let definition = W.definition(given: context)
        let object = definition.object(of: state)
        self.init(MachineCore(definition, beginningIn: object, activation, scheduler, context, journal))
    }
}

extension MachineCore {
    /// Makes a machine that begins in a registered state.
    @usableFromInline
    init(
        _ definition: Definition,
        beginningIn state: consuming OwnedObject,
        _ activation: PackedStatus.Activation,
        _ scheduler: Scheduler? = nil,
        _ context: GivenContext? = nil,
        _ journal: Int = 0
    ) {
        let index = state.withObject(definition.indexOfBeginning)
        self.init(
            definition,
            state,
            PackedStatus(index, pending: activation),
            activity: definition.activity(scheduler, entered: nil),
            journal: definition.journalBook(journal > 0 ? Journal(limit: journal) : nil),
            context
        )
    }
}

extension Definition {
    /// The number of the class of an initial object, which has to be registered.
    func indexOfBeginning(_ state: AnyObject) -> Int {
        if let index = stateIndex(of: state), layout(of: state, of: index) != nil { return index }
        fatalError(
            "\(fullName(of: type(of: state))) is not registered with the workflow "
                + "\(workflow): name it in an event or list it in `static var states`."
        )
    }
}

// MARK: - Reading

// These properties never wait for a callback. In a callback, on its thread, `can` and `allowedEvents` answer for the
// state that all accepted fires lead to. Elsewhere they answer for the current state.
extension StateMachine {
    /// The current state object.
    @inlinable public var state: W.AnyState { core.cell.read(as: W.AnyState.self) }

    /// The state object that the last transition left; `nil` before the first transition and after restoring.
    public var previousState: W.AnyState? {
        // `nil` itself can be cast to an `AnyState` for any value, so the cast needs an object.
        core.snapshot.previous.flatMap { $0 as? W.AnyState }
    }

    /// The name of the current state.
    public var stateName: String { definition.states[core.now.index].name }

    /// The number of transitions since the machine was made, through archives and copies.
    ///
    /// Activation does not count.
    ///
    /// It stops at 2⁵³, the largest whole number that every JSON reader represents exactly.
    public var revision: Int { core.currentRevision }

    /// Whether the machine was activated, by ``activate(context:userInfo:)`` or by the first fire.
    ///
    /// A ``copy()`` of an active machine is active, although its deadlines and work begin only when it is activated or
    /// fired itself.
    public var isActive: Bool { core.now.isActive }

    /// Whether the current state is an object of a class or its subclass, or conforms to a protocol.
    ///
    /// A machine is also in the states of the machines in its state: see ``Composite``.
    /// - Parameter type: The class, or the protocol: `(any DownloadState).self`.
    /// - Returns: `true` also for an object of a subclass.
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
    /// A machine is also in the states of the machines in its state: see ``Composite``.
    /// - Parameter name: The name.
    /// - Returns: `false` also for an unknown name.
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
    /// Use ``eventAvailability(userInfo:)`` to ask guards as well. Ignored events are left out, because firing them does
    /// nothing; ``can`` is `true` for them, because firing them is no error.
    public var allowedEvents: [String] { definition.eventNames(leaving: core.expectedState(of: self)) }

    /// Whether the current state is in a group, which the workflow declares as a static property: `machine.is.loading`.
    public var `is`: StateQuery<W> { StateQuery(machine: self) }

    /// Whether the table allows an event: `machine.can.load`, `machine.can[named: "load"]`.
    ///
    /// Use ``rehearse`` to ask guards as well. It is `true` for an ignored event, because firing it is no error. In a
    /// callback of this machine, on its thread, the answer is for the state that all accepted fires lead to.
    @inlinable public var can: Can<W> { Can(machine: self) }

    /// Fires events: `machine.fire.load(…)`, `machine.fire[event](…)`, `machine.fire[named: "load"](…)`.
    @inlinable public var fire: Fire<W> { Fire(machine: self) }

    /// Reports the result of a fire, including guards, without a change: `try machine.rehearse.pay(PaidState(…))`.
    ///
    /// It throws the ``InvalidTransition`` of the fire, and returns if the fire would be carried out or ignored. A
    /// rehearsal is a fire that ends after the guards: it waits for its turn, builds the destination and asks every
    /// guard. Hooks and observers are skipped, and the state and the ``revision`` stay. Builders and guards must
    /// therefore have no side effects. ``can`` checks only the table, without waiting.
    ///
    /// Another thread may fire between a rehearsal and the fire. In a `did…` hook, an observer or ``perform(block:)``
    /// the answer is for the state that all accepted fires lead to. In a guard, a builder or a `will…` hook, a
    /// rehearsal throws `.transitionInProgress`, as a fire does.
    ///
    /// A rehearsal leaves the machine inactive. The answer is for its current state, although the activation's hooks
    /// may lead to another state at the first fire.
    @inlinable public var rehearse: Fire<W> { Fire(machine: self, isRehearsal: true) }

    @inlinable package var definition: Definition { core.definition }

    /// The machine at this moment.
    package var snapshot: Snapshot { core.snapshot }

    /// The workflow's table with the machines in the state of a moment.
    package func table(of snapshot: Snapshot) -> TransitionTable { core.table(knowing: snapshot.state) }

    /// The machines in the state of a moment, in order.
    package func regions(of snapshot: Snapshot) -> [any Region] {
        definition.states[snapshot.status.index].hooks.regions(of: snapshot.state)
    }

    /// The state that a fire leaves, typed as the event declares.
    @inlinable
    func source<S>(of candidate: CandidateTransition, as type: S.Type) -> S {
        let object = core.source(of: candidate)
        if S.self == W.AnyState.self { return core.sourceLayout(of: candidate).handedOut(object, as: S.self) }
        guard let source = object as? S else {
            preconditionFailure("An event was accepted in a state outside its source.")
        }
        return source
    }
}

extension StateMachine: CustomStringConvertible {
    /// The workflow and the state: `Download in LoadingState, revision 1`.
    ///
    /// The description of a restored, inactive machine names its passed deadline. The description also tells that a
    /// machine lacks its ``Workflow/Context``. A machine of a store, as in a unit of work, is passive: its description
    /// says that the state's work does not run.
    public var description: String {
        let snapshot = core.snapshot
        let state = definition.states[snapshot.status.index]
        let missed = missedDeadline.map { ", inactive with a deadline of \($0)" } ?? ""
        // Without its context a machine is not activated, which throws nothing.
        let bare = core.isEquipped ? "" : ", without its context"
        let isIdle = state.hooks.working != nil && core.activity?.isPassive == true
        let idle = isIdle ? ", passive: the work of its state does not run" : ""
        return "\(definition.workflow) in \(state.name), revision \(snapshot.revision)\(missed)\(bare)\(idle)"
    }
}
