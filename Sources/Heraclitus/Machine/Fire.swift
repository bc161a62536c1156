/// The type of `machine.fire`: the workflow's events as functions.
///
/// There are three ways to choose an event:
///
/// ```swift
/// machine.fire.load              // by its property
/// machine.fire[event]            // by its value, such as `Download.events.load` or a decoded event
/// machine.fire[named: "load"]    // by its name, for names from outside
/// ```
///
/// There are three ways to call an event, which fires it:
///
/// ```swift
/// try machine.fire.load(LoadingState(request: request))           // with an object
/// try machine.fire.fail { loading in FailureState(.timedOut) }    // with a closure that gets the state being left
/// try machine.fire.cancel()                                       // an empty state needs no object
/// ```
///
/// After a subscript, write the closure in parentheses: `try machine.fire[event]({ loading in … })`. The compiler takes
/// a trailing closure for an argument of the subscript.
///
/// ``StateMachine/rehearse`` has the same type. Its fires end after the guards, without a change.
@frozen @dynamicMemberLookup
public struct Fire<W: Workflow>: Sendable {
    @usableFromInline let machine: StateMachine<W>
    @usableFromInline let isRehearsal: Bool

    /// The work that fires; `nil` for other callers.
    @usableFromInline let work: StateWork.ID?

    @inlinable
    init(machine: StateMachine<W>, isRehearsal: Bool = false, work: StateWork.ID? = nil) {
        self.machine = machine
        self.isRehearsal = isRehearsal
        self.work = work
    }

    /// An event to fire, chosen by its property.
    /// - Parameter event: The event's property.
    @inlinable @inline(__always)  // inlined where the key path is written, which then is only a number
    public subscript<S, D>(dynamicMember event: KeyPath<W, W.Event<S, D>>) -> FireableEvent<W, S, D> {
        FireableEvent(EventSelector(machine.core.definition.index(of: event)), by: self)
    }

    /// An event to fire, chosen by its value, for example a decoded one.
    ///
    /// Only a call fires the event: `try machine.fire[event](LoadingState(request: request))`. The call throws
    /// `unknownEvent` for a value that is no event of the workflow.
    /// - Parameter event: The event.
    @inlinable
    public subscript<S, D>(event: W.Event<S, D>) -> FireableEvent<W, S, D> {
        FireableEvent(EventSelector(event.slot.index), by: self)
    }

    /// An event to fire, chosen by its name, for names from outside.
    ///
    /// Only a call fires the event: `try machine.fire[named: "load"](state)`. The call throws `unknownEvent` for an
    /// unknown name, and lists the existing names, the nearest first.
    /// - Parameter name: The event's name.
    @inlinable
    public subscript(named name: String) -> FireableEvent<W, W.AnyState, W.AnyState> {
        FireableEvent(.named(name), by: self)
    }
}

/// The type of `machine.fire.load`: an event with its machine.
///
/// A call fires it.
///
/// It is also the type of `machine.rehearse.load`. A call then does everything except the transition.
@frozen
public struct FireableEvent<W: Workflow, Source, Destination>: Sendable {
    @usableFromInline let selector: EventSelector
    @usableFromInline let firing: Fire<W>

    @inlinable @inline(__always)
    init(_ event: EventSelector, by firing: Fire<W>) {
        (selector, self.firing) = (event.bound(to: firing.work), firing)
    }

    /// Fires the event with the state to enter.
    ///
    /// The argument is evaluated in the machine's turn, after the table has allowed the event in the current state. A
    /// rejected event therefore makes no object. An error of the argument declines the fire, as a guard's error does.
    /// - Parameters:
    ///   - state: The state to enter.
    ///   - userInfo: Values passed to callbacks and carried by errors.
    /// - Throws: ``InvalidTransition``.
    @inlinable
    public func callAsFunction(
        _ state: @autoclosure () throws -> Destination,
        userInfo: UserInfo = [:]
    ) throws(InvalidTransition) {
        let definition = firing.machine.definition
        try firing.machine.fire(selector, isRehearsal: firing.isRehearsal, userInfo: userInfo) { _ in
            definition.object(of: try state())
        }
    }

    /// Fires the event with a closure that builds the destination from the state being left.
    ///
    /// The closure runs once, on this thread, in the machine's turn, after the table has allowed the event. It must not
    /// fire the machine. An error of the closure declines the fire, as a guard's error does.
    /// - Parameters:
    ///   - userInfo: Values passed to callbacks and carried by errors.
    ///   - build: Gets the state being left, and returns the state to enter.
    /// - Throws: ``InvalidTransition``.
    @inlinable
    public func callAsFunction(
        userInfo: UserInfo = [:],
        _ build: (Source) throws -> Destination
    ) throws(InvalidTransition) {
        try firing.machine.fire(selector, isRehearsal: firing.isRehearsal, userInfo: userInfo) { candidate in
            firing.machine.definition.object(of: try build(firing.machine.source(of: candidate, as: Source.self)))
        }
    }

    /// Fires the event to an empty state.
    /// - Parameter userInfo: Values passed to callbacks and carried by errors.
    /// - Throws: ``InvalidTransition``.
    @inlinable
    public func callAsFunction(userInfo: UserInfo = [:]) throws(InvalidTransition) where Destination: EmptyState {
        // Where `AnyState` is an empty class, the destination may be any of its subclasses.
        if Destination.self == W.AnyState.self {
            return try firing.machine.fire(selector, isRehearsal: firing.isRehearsal, userInfo: userInfo)
        }
        let definition = firing.machine.definition
        try firing.machine.fire(selector, isRehearsal: firing.isRehearsal, userInfo: userInfo) { _ in
            definition.object(of: Destination())
        }
    }

    /// Fires an event to the state that its definition builds, or to the only empty state that it leads to from here.
    /// - Parameter userInfo: Values passed to callbacks and carried by errors.
    /// - Throws: ``InvalidTransition``; `destinationNeeded` unless the definition builds the state, or the event leads
    ///   to exactly one state, which is empty.
    @inlinable @_disfavoredOverload  // because both forms suit an `AnyState` that is an empty class
    public func callAsFunction(userInfo: UserInfo = [:]) throws(InvalidTransition) where Destination == W.AnyState {
        try firing.machine.fire(selector, isRehearsal: firing.isRehearsal, userInfo: userInfo)
    }
}

extension StateMachine {
    /// The number of nested fires that one turn carries out: 10,000.
    ///
    /// The next fire throws `.endlessChain`. Earlier fires are carried out, and the outermost fire succeeds.
    package static var chainLimit: Int { MachineTurn.chainLimit }

    @usableFromInline
    func fire(
        _ selector: EventSelector,
        isRehearsal: Bool = false,
        userInfo: UserInfo,
        building build: (CandidateTransition) throws -> OwnedObject
    ) throws(InvalidTransition) {
        try core.fire(
            for: isRehearsal ? .rehearsal(asksAll: false) : .fire,
            selector,
            Call(self, userInfo),
            building: build
        )
    }

    /// Fires an event to the state that its definition makes.
    @usableFromInline
    func fire(_ selector: EventSelector, isRehearsal: Bool = false, userInfo: UserInfo) throws(InvalidTransition) {
        try core.fire(for: isRehearsal ? .rehearsal(asksAll: false) : .fire, selector, Call(self, userInfo))
    }

    /// Enters a state by firing the only event that leads there from the current state.
    ///
    /// Updates are ignored.
    /// - Parameters:
    ///   - state: The state to enter.
    ///   - userInfo: Values passed to callbacks and carried by errors.
    /// - Throws: ``InvalidTransition``; `noEvent`, or `ambiguousEvent` with the events that lead there.
    @inlinable
    public func enter(_ state: W.AnyState, userInfo: UserInfo = [:]) throws(InvalidTransition) {
        try fire(.entering(state), userInfo: userInfo) { _ in definition.object(of: state) }
    }

    /// Enters an empty state, given by name, by firing the only event that leads there from the current state.
    ///
    /// Updates are ignored.
    /// - Parameters:
    ///   - name: The name of the state.
    ///   - userInfo: Values passed to callbacks and carried by errors.
    /// - Throws: ``InvalidTransition``; `unknownState` with the existing names, the nearest first; `noEvent` or
    ///   `ambiguousEvent`; `destinationNeeded` for a state that is no ``EmptyState``.
    public func enter(named name: String, userInfo: UserInfo = [:]) throws(InvalidTransition) {
        try fire(.enteringNamed(name), userInfo: userInfo) { try core.emptyState(named: name, leaving: $0) }
    }
}

extension MachineCore {
    /// Fires or rehearses an event to the state that its definition makes.
    func fire(
        for purpose: CallPurpose = .fire,
        _ selector: EventSelector,
        _ call: borrowing Call
    ) throws(InvalidTransition) {
        try fire(for: purpose, selector, call) { candidate in try destination(of: candidate, call) }
    }

    /// The destination that an event makes: by its builder, or as the only state if that is empty.
    func destination(of candidate: CandidateTransition, _ call: borrowing Call) throws -> OwnedObject {
        for builder in candidate.event.value.declaration.builders.reversed() {
            if let state = try build(builder.build, candidate, call) { return state }
        }
        func make(_ state: Int) -> OwnedObject? {
            definition.states[state].make(leaving: { source(of: candidate) }).map { OwnedObject($0) }
        }
        // The row shows most destinations without a list.
        let row = candidate.event.value.reach.row(of: candidate.source)
        let only = row.only ?? (row.updates && !row.leaves ? candidate.source : nil)
        if let only, let state = make(only) { return state }
        let destinations = candidate.event.value.routes.declaredDestinations(from: candidate.source)
        if only == nil, destinations.count == 1, let state = make(destinations[0]) { return state }
        throw DestinationNeeded(candidates: destinations.map { definition.states[$0].name })
    }

    /// The object of a builder; `nil` if the builder is for other states.
    func build(
        _ builder: StateBuilder,
        _ candidate: CandidateTransition,
        _ call: borrowing Call
    ) throws -> OwnedObject? {
        try builder(self, candidate, call).map { OwnedObject($0) }
    }

    /// An object of a state given by name; throws for a state with data.
    func emptyState(named name: String, leaving candidate: CandidateTransition) throws -> OwnedObject {
        guard let index = definition.stateIndex(named: name),
            let state = definition.states[index].make(leaving: { source(of: candidate) })
        else {
            throw DestinationNeeded(candidates: [name])
        }
        return OwnedObject(state)
    }
}
