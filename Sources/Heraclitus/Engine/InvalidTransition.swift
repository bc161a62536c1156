/// The error of a rejected fire or action, or of a failed wait, with its place, reason and remedies.
///
/// Its texts shorten names to 200 characters, texts of other errors to 1,000, and lists to 20 names. Its properties have
/// them whole.
///
/// A rejected fire changes nothing, and you can fire the machine again. Only the activation by a first fire remains.
///
/// ```swift
/// do {
///     try machine.fire.cancel()
/// } catch {                        // `error` is an InvalidTransition
///     print(error)                 // Download cannot fire "cancel" in CompletedState: no transition …
///     error.reason                 // .notAllowed
///     error.allowedEvents          // []
/// }
/// ```
public struct InvalidTransition: Error, Sendable {
    /// The reason of a rejection, or of a failed wait.
    @nonexhaustive
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The workflow lacks the event; ``InvalidTransition/candidates`` are its events, the nearest names first.
        case unknownEvent

        /// The workflow lacks the action; ``InvalidTransition/candidates`` are its actions, the nearest names first.
        case unknownAction

        /// The table has no such transition, or the state does not allow the action.
        case notAllowed

        /// The action threw the ``InvalidTransition/underlyingError``.
        ///
        /// Observers get this reason; the caller gets the action's own error.
        case actionFailed

        /// The fire comes too late: its state object, or the machine itself, is no longer current.
        case notCurrent

        /// A machine in the destination's data belongs to another machine, or is in a transition of its own.
        ///
        /// See ``InvalidTransition/machines`` and ``Composite``.
        case regionInUse

        /// A guard or a builder of the destination threw the ``InvalidTransition/underlyingError``.
        case declined

        /// The workflow lacks the state; ``InvalidTransition/candidates`` are its states, the nearest names first.
        case unknownState

        /// The class of the state in ``InvalidTransition/candidates`` is unregistered.
        ///
        /// Name the class in an event or list it in ``Workflow/states``.
        case unregisteredState

        /// The destination lacks the type of the workflow's states, ``Workflow/AnyState``.
        case unsuitableState

        /// The event was fired without an object, but its destination is not exactly one ``EmptyState``.
        ///
        /// ``InvalidTransition/candidates`` are its destinations.
        case destinationNeeded

        /// `enter` found no event that leads to the state.
        case noEvent

        /// `enter` found several events that lead to the state: ``InvalidTransition/candidates``.
        case ambiguousEvent

        /// A guard, a builder or a `will…` hook fired its own machine or a region of it.
        case transitionInProgress

        /// Callbacks or passed deadlines fired the machine more than 10,000 times in one outermost call.
        case endlessChain

        /// Another call of ``StateMachine/run()`` is under way.
        case alreadyRunning

        /// The machine has not got its ``Workflow/Context`` yet.
        ///
        /// Pass the context to the machine's initializer or to its store, or call
        /// ``StateMachine/activate(context:userInfo:)``. A machine in a machine's state gets its holder's context, or
        /// one of the holder's ``Workflow/regionContexts``.
        case missingContext

        /// Waiting for the machine would never end, because its owner waits for this thread.
        ///
        /// ``InvalidTransition/machines`` are the machines between them.
        case deadlock

        /// The timeout of ``StateMachine/wait(for:timeout:)`` has passed.
        case timedOut

        /// ``StateMachine/wait(for:timeout:)`` would never end, because no events lead to the state.
        case unreachable
    }

    /// The reason of the rejection.
    public private(set) var reason: Reason

    private let definition: Definition

    // Names are looked up only on demand, because many errors are caught and dropped.
    private let eventNumber: Int32
    private let sourceNumber: Int32

    /// The details in a box, which keeps an error without details small.
    private var box: Box<Details>?

    /// Makes an error.
    /// - Parameters:
    ///   - reason: The reason.
    ///   - definition: The machine's definition.
    ///   - event: The number of the fired event, if it is known.
    ///   - source: The number of the source, if it is registered.
    ///   - details: Names and values that only some errors have.
    @inline(__always)
    init(_ reason: Reason, in definition: Definition, event: Int?, from source: Int?, _ details: Details? = nil) {
        (self.reason, self.definition) = (reason, definition)
        eventNumber = Int32(truncatingIfNeeded: event ?? -1)
        sourceNumber = Int32(truncatingIfNeeded: source ?? -1)
        box = details.map(Box.init)
    }

    /// Adds the caller's values with the cause of an automatic event, and the machine's place in its tree.
    mutating func add(_ userInfo: UserInfo, at path: String?) {
        if userInfo.storage == nil, path == nil { return }
        var details = details ?? Details()
        (details.userInfo, details.path) = (userInfo, path)
        box = Box(details)
    }

    /// The details that only some errors have, and those that need a name.
    struct Details: Sendable {
        var event: String?
        var source: String?
        var destination: String?
        var underlyingError: (any Error)?

        /// The errors of the declining guards: of all if the rehearsal asks all, or else of the first.
        var unmetGuards: [any Error] = []
        var candidates: [String] = []
        var machines: [String] = []

        /// The action that was tried.
        var action: ActionTerms?

        /// The attempt, unless that was a fire or an action: "be run".
        var attempt: String?

        /// The passed deadline of a restored, inactive machine, as text.
        var missedDeadline: String?
        var path: String?

        /// The caller's values, with the cause of an automatic event.
        var userInfo: UserInfo = [:]
    }

    var details: Details? { box?.value }

    /// The number of the fired event, if it is known.
    private var eventIndex: Int? { eventNumber < 0 ? nil : Int(eventNumber) }

    /// The number of the source, if it is registered.
    private var sourceIndex: Int? { sourceNumber < 0 ? nil : Int(sourceNumber) }

    /// The name of the workflow.
    public var workflow: String { definition.workflow }

    /// The caller's values.
    public var userInfo: UserInfo { (details?.userInfo ?? [:]).withoutCause }

    /// The machine's place in its tree; `nil` for a machine on its own.
    ///
    /// The path has the outer workflow and the properties that lead to the machine, such as `Order.payment`
    /// or `House.cars[1].door`.
    public var path: String? { details?.path }

    /// The name of the fired event; `nil` for an action, a wait or an unbound event, and if `enter` found no event or
    /// several.
    public var event: String? { eventIndex.map { definition.events[$0].name } ?? details?.event }

    /// The name of the rejected action; `nil` for a fire and for an unnamed block.
    public var action: String? { details?.action?.name }

    /// Whether an action was rejected.
    var isOfAction: Bool { details?.action != nil }

    /// The names of the events that lead from the source to a state that allows the action.
    ///
    /// They are `nil` if only an object shows whether its state allows the action.
    var leadingEvents: [String]? {
        guard let source = sourceIndex, let states = details?.action?.states else { return nil }
        return definition.events
            .filter { event in states.contains { event.reach.leads(from: source, to: $0) } }.map(\.name)
    }

    /// The name of the source: the machine's state, or the state that its queued transitions lead to.
    public var source: String { sourceIndex.map { definition.states[$0].name } ?? details?.source ?? "" }

    /// The name of the destination, if it is known, or of the expected state.
    public var destination: String? {
        if let destination = details?.destination { return destination }
        guard let only = eventIndex.flatMap({ definition.events[$0].reach.onlyDestination }) else { return nil }
        return definition.states[only].name
    }

    /// The error of a guard, a builder or an action.
    public var underlyingError: (any Error)? { details?.underlyingError }

    /// The errors of the declining guards, in the order of the guards.
    ///
    /// A fire stops at the first one. ``StateMachine/eventAvailability(userInfo:)`` asks all guards of an event.
    public var unmetGuards: [any Error] { details?.unmetGuards ?? [] }

    /// Names to choose from: events, actions or states, depending on the ``reason``.
    ///
    /// For an unknown name they are all names. The most similar comes first, unless there are more than 1,000. For an
    /// action in the wrong state they are the events that lead to a state that allows the action.
    public var candidates: [String] {
        switch reason {
        case .unknownEvent: definition.events.map(\.name).nearestFirst(to: event)
        case .unknownAction: definition.actions.map(\.name).nearestFirst(to: action)
        case .notAllowed where isOfAction: leadingEvents ?? []
        case .unknownState: definition.states.map(\.name).nearestFirst(to: unknownState)
        default: details?.candidates ?? []
        }
    }

    /// The unknown name of a state, which is the source or the destination of the rejection.
    var unknownState: String? { sourceIndex == nil ? details?.source : details?.destination }

    /// The workflows of the machines in the conflict.
    ///
    /// For a ``Reason-swift.enum/deadlock`` they are the machines that wait for one another. For
    /// ``Reason-swift.enum/regionInUse`` they are the machine and its holder.
    public var machines: [String] { details?.machines ?? [] }

    /// The names of the event's destinations from the source.
    var reachable: [String] {
        guard let event = eventIndex, let source = sourceIndex else { return [] }
        return definition.states.indices.filter { definition.events[event].reach.leads(from: source, to: $0) }
            .map { definition.states[$0].name }
    }

    /// The names of the events that leave the source, in the definition's order.
    ///
    /// Events that the source ignores are left out.
    public var allowedEvents: [String] {
        sourceIndex.map(definition.eventNames(leaving:)) ?? []
    }
}
