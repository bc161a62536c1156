public import Synchronization

/// One workflow in progress: it keeps the current state, refuses what is not allowed, and calls everyone who asked.
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
/// **All or nothing.** Only guards and builders can throw, and that is before anything changed.
///
/// **Firing from callbacks.** From `did…` hooks and observers the machine may be fired again. Such a fire is validated and
/// guarded at once, against the state in which everything already accepted will leave the machine; so it throws at once or
/// is certain to happen. It is carried out, in order, when the transition under way has called everyone, before the
/// outermost `fire` returns. From guards, builders and `will…` hooks it throws `.transitionInProgress`.
///
/// **Threads.** Transitions of one machine take turns; callbacks run on the firing thread. Reading `state`, `can`,
/// `revision` and the like never waits for a callback. A `fire` from another thread does wait for the callbacks of the one
/// under way: so a callback must not wait for another thread's fire of the same machine, and a task that fires holds its
/// thread meanwhile. Fires that would wait for one another in a circle throw `.deadlock`.
///
/// **Activation.** A new machine enters its initial state, and a restored one is told so, at ``activate(userInfo:)`` or at
/// the first fire, whichever comes first.
public final class StateMachine<W: Workflow>: Sendable {
    /// What readers see.
    @usableFromInline
    struct Position: Sendable {
        @usableFromInline var standing: Standing
        @usableFromInline var previous: W.AnyState?
        @usableFromInline var revision: Int
        @usableFromInline var activation: Activation

        @inlinable
        init(standing: Standing, previous: W.AnyState?, revision: Int, activation: Activation) {
            self.standing = standing
            self.previous = previous
            self.revision = revision
            self.activation = activation
        }
    }

    /// A state object with the number of its class.
    @usableFromInline
    struct Standing: Sendable {
        @usableFromInline var state: W.AnyState
        @usableFromInline var index: Int

        @inlinable
        init(state: W.AnyState, index: Int) {
            self.state = state
            self.index = index
        }
    }

    /// What is due before the first transition.
    @usableFromInline
    enum Activation: Sendable {
        /// To call the hooks of entering the state.
        case entry

        /// To tell the state that it was restored.
        case restoring

        /// Nothing.
        case done
    }

    @usableFromInline let workflow: CompiledWorkflow<W>
    @usableFromInline let turn = Turn()
    @usableFromInline let position: Mutex<Position>
    @usableFromInline let ownHooks = AtomicLazyReference<OwnHooks>()

    // Beside the reference, because asking that is a call into another module, eight times a transition.
    @usableFromInline let hasOwnHooks = Atomic<Bool>(false)

    // Unsafe is only the compiler's view: written and followed by the thread whose turn it is and nobody else. It points
    // into the stack frame in which that thread has the turn, and is `nil` again before the turn is passed.
    @usableFromInline nonisolated(unsafe) var run: UnsafeMutablePointer<Run>?

    @inlinable
    init(at position: Position, in workflow: CompiledWorkflow<W>) {
        self.workflow = workflow
        self.position = Mutex(position)
    }

    /// Makes a machine in the workflow's initial state.
    ///
    /// The first use of a workflow reads its definition and stops the program if that is wrong.
    @inlinable
    public convenience init() {
        self.init(placing: W.initial, due: .entry)
    }

    /// Makes a machine that begins in another state than the workflow's initial one, and enters it.
    ///
    /// Its activation enters that state, as that of ``init()`` does the initial one; ``init(in:)`` enters nothing. An
    /// object whose class is not registered with the workflow stops the program.
    /// - Parameter state: The state to begin in.
    public convenience init(initially state: W.AnyState) {
        self.init(placing: state, due: .entry)
    }

    /// Makes a machine that is found in the middle of its life, in a state that it has entered long ago.
    ///
    /// Its activation tells the state that it was restored, as after an archive; nothing is entered. An object whose class
    /// is not registered with the workflow stops the program.
    /// - Parameter state: The state it is in.
    public convenience init(in state: W.AnyState) {
        self.init(placing: state, due: .restoring)
    }

    @inlinable
    convenience init(placing state: W.AnyState, due activation: Activation) {
        let workflow = CompiledWorkflow<W>.shared
        let type: any AnyObject.Type = Swift.type(of: state as AnyObject)
        guard let index = workflow.definition.stateIndex(of: type) else { Self.stop(at: type) }
        let standing = Standing(state: state, index: index)
        self.init(at: Position(standing: standing, previous: nil, revision: 0, activation: activation), in: workflow)
    }
}

extension StateMachine {
    @usableFromInline
    static func stop(at type: any AnyObject.Type) -> Never {
        fatalError(
            "\(String(reflecting: type)) is not registered with the workflow \(W.name): "
                + "name it in an event or list it in `states`."
        )
    }
}

// MARK: - Reading

// None of these waits for a callback. On the thread whose callback is running, `can` and `allowedEvents` answer for the
// state in which everything already accepted will leave the machine; everywhere else for the one it shows.
extension StateMachine {
    /// The current state object.
    @inlinable public var state: W.AnyState { position.withLock { $0.standing.state } }

    /// The state object that the last transition left; `nil` before the first, and after restoring.
    public var previousState: W.AnyState? { position.withLock { $0.previous } }

    /// The name of the current state.
    public var stateName: String { definition.states[position.withLock { $0.standing.index }].name }

    /// The number of transitions since the machine was made, through archives and copies; activation is none.
    ///
    /// It ends at 2⁵³, the largest whole number that every JSON reader keeps exactly.
    public var revision: Int { position.withLock { $0.revision } }

    /// Whether the machine has entered its initial state, or told its restored one.
    public var isActive: Bool { position.withLock { $0.activation == .done } }

    /// Whether the current state is an object of a class or of a subclass of it, or conforms to a protocol.
    /// - Parameter type: The class, or the protocol: `(any DownloadState).self`.
    /// - Returns: `true` for an object of a subclass, too.
    public func isIn<S>(_ type: S.Type) -> Bool { state is S }

    /// Whether the current state, or a registered superclass of it, has a name.
    /// - Parameter name: The name.
    /// - Returns: `false` for an unknown name, too.
    public func isIn(named name: String) -> Bool {
        guard let index = definition.stateIndex(named: name) else { return false }
        return definition.states[position.withLock { $0.standing.index }].lineage.contains(index)
    }

    /// The names of the events that the table allows now, in the order of the definition; guards are not asked.
    public var allowedEvents: [String] { definition.eventNames(acceptedIn: expectedIndex) }

    /// Whether an event would be accepted by the table: `machine.can.load`, `machine.can(named: "load")`.
    ///
    /// Guards are not asked. Inside a callback of this machine, on its thread, the answer is for the state in which
    /// everything already accepted will leave the machine.
    @inlinable public var can: Can<W> { Can(machine: self) }

    /// Fires events: `machine.fire.load(…)`, `machine.fire(\.load, …)`, `machine.fire(named: "load", …)`.
    @inlinable public var fire: Fire<W> { Fire(machine: self) }

    @inlinable static var largestRevision: Int { 1 << 53 }

    @inlinable var hooksInUse: OwnHooks? { hasOwnHooks.load(ordering: .acquiring) ? ownHooks.load() : nil }

    @inlinable var definition: Definition { workflow.definition }

    /// The number of the state for which a fire on this thread would be validated.
    @inlinable var expectedIndex: Int {
        if turn.isMine, let run { return run.pointee.standing.index }
        return position.withLock { $0.standing.index }
    }
}

extension StateMachine: CustomStringConvertible {
    /// The workflow and the state: `Download in LoadingState, revision 1`.
    public var description: String {
        let (index, revision) = position.withLock { ($0.standing.index, $0.revision) }
        return "\(definition.workflow) in \(definition.states[index].name), revision \(revision)"
    }
}

extension StateTransition {
    /// The machine that makes this transition, if it is one of a workflow.
    ///
    /// Through it a state's own hook fires its machine:
    ///
    /// ```swift
    /// func didEnter(_ transition: StateTransition) {
    ///     try? transition.machine(as: Download.self)?.fire.finish(CompletedState(byteCount: 0))
    /// }
    /// ```
    ///
    /// A transition that is kept keeps its machine alive.
    /// - Parameter workflow: The workflow.
    /// - Returns: `nil` for a machine of another workflow.
    public func machine<W: Workflow>(as workflow: W.Type) -> StateMachine<W>? {
        machine as? StateMachine<W>
    }
}
