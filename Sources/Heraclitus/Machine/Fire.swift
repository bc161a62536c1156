/// What `machine.fire` is: the workflow's events as functions.
///
/// ```swift
/// try machine.fire.load(LoadingState(request: request))                    // an object
/// try machine.fire.fail { loading in FailureState(.timedOut) }             // built from the state that is left
/// try machine.fire.cancel()                                                // an empty state needs none
/// try machine.fire(\.load, LoadingState(request: request))                 // a key path in hand
/// try machine.fire(named: "load", entering: LoadingState(request: request))
/// ```
@frozen @dynamicMemberLookup
public struct Fire<W: Workflow>: Sendable {
    @usableFromInline let machine: StateMachine<W>

    @inlinable
    init(machine: StateMachine<W>) { self.machine = machine }

    /// An event, ready to be fired.
    /// - Parameter event: The event's property.
    @inlinable @inline(__always)  // to where the key path is written, which is no more than a number then
    public subscript<S, D>(dynamicMember event: KeyPath<W, W.Event<S, D>>) -> FireableEvent<W, S, D> {
        FireableEvent(machine.workflow.index(of: event), machine: machine)
    }

    /// Fires an event given by key path, with a state object.
    ///
    /// As ``FireableEvent/callAsFunction(_:userInfo:)``, which says when what is evaluated and thrown.
    /// - Parameters:
    ///   - event: The event's property.
    ///   - state: The state to enter.
    ///   - userInfo: What callbacks and errors get.
    /// - Throws: ``InvalidTransition``.
    @inlinable
    public func callAsFunction<S, D>(
        _ event: KeyPath<W, W.Event<S, D>>,
        _ state: @autoclosure () throws -> D,
        userInfo: UserInfo = [:]
    ) throws(InvalidTransition) {
        try self[dynamicMember: event](try state(), userInfo: userInfo)
    }

    /// Fires an event given by key path with a closure that builds the state to enter from the one that is left.
    /// - Parameters:
    ///   - event: The event's property.
    ///   - userInfo: What callbacks and errors get.
    ///   - build: Gets the state that is left.
    /// - Throws: ``InvalidTransition``.
    @inlinable
    public func callAsFunction<S, D>(
        _ event: KeyPath<W, W.Event<S, D>>,
        userInfo: UserInfo = [:],
        _ build: (S) throws -> D
    ) throws(InvalidTransition) {
        try self[dynamicMember: event](userInfo: userInfo, build)
    }

    /// Fires an event given by key path that leads to an empty state.
    /// - Parameters:
    ///   - event: The event's property.
    ///   - userInfo: What callbacks and errors get.
    /// - Throws: ``InvalidTransition``; `destinationNeeded` if there is not just one empty state that it leads to.
    @inlinable
    public func callAsFunction<S, D>(
        _ event: KeyPath<W, W.Event<S, D>>,
        userInfo: UserInfo = [:]
    ) throws(InvalidTransition) {
        let selector = EventSelector(machine.workflow.index(of: event))
        try machine.fire(selector, userInfo: userInfo) { try machine.core.onlyEmptyState(of: $0) }
    }

    /// Fires an event value, such as one that was decoded, with a state object.
    /// - Parameters:
    ///   - event: The event.
    ///   - state: The state to enter.
    ///   - userInfo: What callbacks and errors get.
    /// - Throws: ``InvalidTransition``.
    @inlinable
    public func callAsFunction<S, D>(
        _ event: W.Event<S, D>,
        _ state: @autoclosure () throws -> D,
        userInfo: UserInfo = [:]
    ) throws(InvalidTransition) {
        try FireableEvent<W, S, D>(event.slot.index, machine: machine)(try state(), userInfo: userInfo)
    }

    /// Fires an event value, such as one that was decoded, with a closure that builds the state to enter.
    /// - Parameters:
    ///   - event: The event.
    ///   - userInfo: What callbacks and errors get.
    ///   - build: Gets the state that is left.
    /// - Throws: ``InvalidTransition``.
    @inlinable
    public func callAsFunction<S, D>(
        _ event: W.Event<S, D>,
        userInfo: UserInfo = [:],
        _ build: (S) throws -> D
    ) throws(InvalidTransition) {
        try FireableEvent<W, S, D>(event.slot.index, machine: machine)(userInfo: userInfo, build)
    }

    /// Fires an event value, such as one that was decoded, that leads to an empty state.
    /// - Parameters:
    ///   - event: The event.
    ///   - userInfo: What callbacks and errors get.
    /// - Throws: ``InvalidTransition``; `destinationNeeded` if there is not just one empty state that it leads to.
    @inlinable
    public func callAsFunction<S, D>(
        _ event: W.Event<S, D>,
        userInfo: UserInfo = [:]
    ) throws(InvalidTransition) {
        try machine.fire(EventSelector(event.slot.index), userInfo: userInfo) {
            try machine.core.onlyEmptyState(of: $0)
        }
    }

    /// Fires an event by its name, for names that arrive as text, with a state object.
    /// - Parameters:
    ///   - name: The event's name.
    ///   - state: The state to enter.
    ///   - userInfo: What callbacks and errors get.
    /// - Throws: ``InvalidTransition``; `unknownEvent` lists the names that there are.
    @inlinable
    public func callAsFunction(
        named name: String,
        entering state: @autoclosure () throws -> W.AnyState,
        userInfo: UserInfo = [:]
    ) throws(InvalidTransition) {
        try machine.fire(.named(name), userInfo: userInfo) { _ in machine.object(of: try state()) }
    }

    /// Fires an event by its name with a closure that builds the state to enter from the one that is left.
    /// - Parameters:
    ///   - name: The event's name.
    ///   - userInfo: What callbacks and errors get.
    ///   - build: Gets the state that is left.
    /// - Throws: ``InvalidTransition``; `unknownEvent` lists the names that there are.
    @inlinable
    public func callAsFunction(
        named name: String,
        userInfo: UserInfo = [:],
        _ build: (W.AnyState) throws -> W.AnyState
    ) throws(InvalidTransition) {
        try machine.fire(.named(name), userInfo: userInfo) { candidate in
            machine.object(of: try build(machine.source(of: candidate, as: W.AnyState.self)))
        }
    }

    /// Fires an event that leads to an empty state by its name.
    /// - Parameters:
    ///   - name: The event's name.
    ///   - userInfo: What callbacks and errors get.
    /// - Throws: ``InvalidTransition``; `destinationNeeded` if there is not just one empty state that it leads to.
    @inlinable
    public func callAsFunction(named name: String, userInfo: UserInfo = [:]) throws(InvalidTransition) {
        try machine.fire(.named(name), userInfo: userInfo) { try machine.core.onlyEmptyState(of: $0) }
    }
}

/// An event and the machine to fire it: what `machine.fire.load` is before it is called.
@frozen
public struct FireableEvent<W: Workflow, Source, Destination>: Sendable {
    @usableFromInline let index: Int?
    @usableFromInline let machine: StateMachine<W>

    @inlinable
    init(_ index: Int?, machine: StateMachine<W>) {
        self.index = index
        self.machine = machine
    }

    /// Fires the event with the state to enter.
    ///
    /// The argument is evaluated when the machine's turn has come and the table lets the event leave the current state; a
    /// refused fire makes no object. What evaluating it throws comes back as `.declined`, like a guard's error.
    /// - Parameters:
    ///   - state: The state to enter.
    ///   - userInfo: What callbacks and errors get.
    /// - Throws: ``InvalidTransition``.
    @inlinable
    public func callAsFunction(
        _ state: @autoclosure () throws -> Destination,
        userInfo: UserInfo = [:]
    ) throws(InvalidTransition) {
        try machine.fire(EventSelector(index), userInfo: userInfo) { _ in machine.object(of: try state()) }
    }

    /// Fires the event with a closure that builds the state to enter from the one that is left.
    ///
    /// The closure runs once, on this thread, when the machine's turn has come and the table lets the event leave the
    /// current state. It must not fire the machine. What it throws comes back as `.declined`, like a guard's error.
    /// - Parameters:
    ///   - userInfo: What callbacks and errors get.
    ///   - build: Gets the state that is left.
    /// - Throws: ``InvalidTransition``.
    @inlinable
    public func callAsFunction(
        userInfo: UserInfo = [:],
        _ build: (Source) throws -> Destination
    ) throws(InvalidTransition) {
        try machine.fire(EventSelector(index), userInfo: userInfo) { candidate in
            machine.object(of: try build(machine.source(of: candidate, as: Source.self)))
        }
    }

    /// Fires the event to an empty state.
    /// - Parameter userInfo: What callbacks and errors get.
    /// - Throws: ``InvalidTransition``.
    @inlinable
    public func callAsFunction(userInfo: UserInfo = [:]) throws(InvalidTransition) where Destination: EmptyState {
        try machine.fire(EventSelector(index), userInfo: userInfo) { _ in machine.object(of: Destination()) }
    }

    /// Fires an event with several destinations to the only one that it has from the current state, an empty one.
    /// - Parameter userInfo: What callbacks and errors get.
    /// - Throws: ``InvalidTransition``; `destinationNeeded` if there is not just one, or if that is not empty.
    @inlinable
    public func callAsFunction(userInfo: UserInfo = [:]) throws(InvalidTransition) where Destination == W.AnyState {
        try machine.fire(EventSelector(index), userInfo: userInfo) { try machine.core.onlyEmptyState(of: $0) }
    }

    /// Fires an event with several destinations, where what they have in common is itself the class of an empty state.
    /// - Parameter userInfo: What callbacks and errors get.
    /// - Throws: ``InvalidTransition``; `destinationNeeded` if there is not just one, or if that is not empty.
    @inlinable
    public func callAsFunction(userInfo: UserInfo = [:]) throws(InvalidTransition)
    where Destination: EmptyState, Destination == W.AnyState {
        try machine.fire(EventSelector(index), userInfo: userInfo) { try machine.core.onlyEmptyState(of: $0) }
    }
}

extension StateMachine {
    /// How many fires of callbacks are carried out before the outermost fire returns: 10,000.
    ///
    /// The one that exceeds it throws `.endlessChain`; those before it happen, and the outermost fire succeeds.
    public static var chainLimit: Int { MachineTurn.chainLimit }

    /// The object that a state is, whether it is handed around as its class or as the workflow's `AnyState`.
    @inlinable @inline(__always)
    func object<State>(of state: __owned State) -> OwnedObject { core.definition.object(of: state) }

    @inlinable
    func fire(
        _ selector: EventSelector,
        userInfo: UserInfo,
        building build: (CandidateTransition) throws -> OwnedObject
    ) throws(InvalidTransition) {
        try core.fire(selector, of: self, userInfo: userInfo, building: build)
    }

    /// Enters a state by firing the one event that leads there from the current state.
    ///
    /// Events that only update a state are not considered.
    /// - Parameters:
    ///   - state: The state to enter.
    ///   - userInfo: What callbacks and errors get.
    /// - Throws: ``InvalidTransition``; `noEvent` or `ambiguousEvent`, with the events that lead there, if there is not
    ///   exactly one.
    @inlinable
    public func enter(_ state: W.AnyState, userInfo: UserInfo = [:]) throws(InvalidTransition) {
        try fire(.entering(type(of: state as AnyObject)), userInfo: userInfo) { _ in object(of: state) }
    }

    /// Enters an empty state, given by name, by firing the one event that leads there from the current state.
    ///
    /// Events that only update a state are not considered.
    /// - Parameters:
    ///   - name: The name of the state.
    ///   - userInfo: What callbacks and errors get.
    /// - Throws: ``InvalidTransition``; `unknownState` for a name that there is not, with those that there are; `noEvent` or `ambiguousEvent` if there
    ///   is not exactly one event; `destinationNeeded` if the state is not an ``EmptyState``.
    public func enter(named name: String, userInfo: UserInfo = [:]) throws(InvalidTransition) {
        try fire(.enteringNamed(name), userInfo: userInfo) { _ in try core.emptyState(named: name) }
    }
}

extension MachineCore {
    /// The object of the only state that an event leads to, if that is an empty one.
    @usableFromInline
    func onlyEmptyState(of candidate: CandidateTransition) throws -> OwnedObject {
        let destinations = definition.declaredDestinations(
            of: candidate.event.value,
            from: candidate.source
        )
        guard destinations.count == 1, let make = destinations[0].make else {
            throw DestinationNeeded(candidates: destinations.map(\.name))
        }
        return OwnedObject(make())
    }

    /// An object of the state of a name, if that is an empty one.
    func emptyState(named name: String) throws -> OwnedObject {
        guard let index = definition.stateIndex(named: name), let make = definition.states[index].make else {
            throw DestinationNeeded(candidates: [name])
        }
        return OwnedObject(make())
    }
}
