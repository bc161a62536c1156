/// The error of a rejected fire or action: what was tried, where, why not, and what would be allowed.
///
/// Its texts shorten a name of more than 200 characters, which may come from outside, and what another error says to 1,000. Its properties have
/// them whole.
///
/// The fire has changed nothing when it is thrown, and the machine can be fired again. If it was the first fire, it has activated the
/// machine, which stands.
///
/// ```swift
/// do {
///     try machine.fire.cancel()
/// } catch {                        // `error` is an InvalidTransition
///     print(error)                 // Download cannot fire "cancel" in CompletedState: it does not lead from there …
///     error.reason                 // .notAllowed
///     error.allowedEvents          // []
/// }
/// ```
public struct InvalidTransition: Error, Sendable {
    /// Why a fire was rejected.
    @nonexhaustive
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The workflow has no event with that name; ``InvalidTransition/candidates`` are the names of its events, the nearest first.
        case unknownEvent

        /// The workflow lists no action with that name; ``InvalidTransition/candidates`` are the names of its actions, the nearest first.
        case unknownAction

        /// The event does not lead from the source, or not to that destination; or the state does not allow the action.
        case notAllowed

        /// The action threw. Observers get this reason, the caller gets the ``InvalidTransition/underlyingError``.
        case actionFailed

        /// The event belongs to a state object that is not the current one, or the machine does: it comes too late.
        case notCurrent

        /// A machine in the destination's data belongs to another machine, or is in the middle of a transition of its own:
        /// ``InvalidTransition/machines``.
        ///
        /// See ``Composite``.
        case regionInUse

        /// A guard, or a closure that builds the destination, threw the ``InvalidTransition/underlyingError``.
        case declined

        /// The workflow has no state with that name; ``InvalidTransition/candidates`` are the names of its states, the nearest first.
        case unknownState

        /// The class of a state is not registered: name it in an event or list it in ``Workflow/states``.
        ///
        /// ``InvalidTransition/candidates`` has its name.
        case unregisteredState

        /// The destination is not of the type of the workflow's states, ``Workflow/AnyState``.
        case unsuitableState

        /// The event was fired without an object, and does not lead to exactly one ``EmptyState``;
        /// ``InvalidTransition/candidates`` are the states that it leads to.
        case destinationNeeded

        /// `enter` was called and no event leads to that state.
        case noEvent

        /// `enter` was called and several events lead to that state: ``InvalidTransition/candidates``.
        case ambiguousEvent

        /// The machine was fired from a guard, a builder or a `will…` hook of its own, or of the machine that it belongs to.
        case transitionInProgress

        /// Callbacks, or deadlines that have passed, fired the machine more often than ``StateMachine/chainLimit`` before the outermost call
        /// returned.
        case endlessChain

        /// The machine is run already: ``StateMachine/run()`` was called before the one under way has returned.
        case alreadyRunning

        /// The machine was not given its ``Workflow/Context`` yet: call ``StateMachine/activate(context:userInfo:)``.
        case missingContext

        /// Waiting for the machine would never end: the thread that owns it waits for this thread, through the machines in
        /// ``InvalidTransition/machines``.
        case deadlock
    }

    /// Why the fire was rejected.
    @inlinable public var reason: Reason { rejection.reason }

    @usableFromInline let rejection: Rejection
    private let definition: Definition

    /// Makes the error of a rejection.
    /// - Parameters:
    ///   - rejection: Why the fire was rejected.
    ///   - definition: The machine's definition.
    ///   - userInfo: What the caller passed along.
    ///   - path: Where the machine is, if it belongs to another one.
    @inline(__always)
    init(_ rejection: consuming Rejection, in definition: Definition, userInfo: UserInfo, at path: String? = nil) {
        if !userInfo.isEmpty { rejection.changeDetails { $0.userInfo = userInfo } }
        if let path { rejection.changeDetails { $0.path = path } }
        self.rejection = rejection
        self.definition = definition
    }

    /// The name of the workflow.
    public var workflow: String { definition.workflow }

    /// The values that the caller passed.
    public var userInfo: UserInfo { rejection.details?.userInfo ?? [:] }

    /// Where the machine is, if it belongs to another one: that one's workflow, and the properties on the way, such as `Order.payment`.
    public var path: String? { rejection.details?.path }

    /// The name of the event that was fired; `nil` where `enter` found none or several, and for one that has none.
    public var event: String? { rejection.event.map { definition.events[$0].name } ?? rejection.details?.event }

    /// The name of the rejected action; `nil` for a fire, and for a block without a name.
    public var action: String? { rejection.details?.action?.name }

    /// Whether an action was rejected and not a fire.
    var isOfAction: Bool { rejection.details?.action != nil }

    /// The states that allow the action, as texts name them; `nil` if any does.
    var expectedState: String? { rejection.details?.action?.expected }

    /// The names of the events that lead from the source to a state that allows the action; `nil` if only objects show which states do.
    var leadingEvents: [String]? {
        guard let source = rejection.source, let states = rejection.details?.action?.states else { return nil }
        return definition.events.filter { event in states.contains { event.reach.leads(from: source, to: $0) } }.map(
            \.name
        )
    }

    /// The names of the actions that the source allows, in the order of the definition.
    public var allowedActions: [String] { rejection.source.map(definition.actionNames(allowedIn:)) ?? [] }

    /// The name of the state that the machine was in, or would have been in when its turn came.
    public var source: String { rejection.source.map { definition.states[$0].name } ?? rejection.details?.source ?? "" }

    /// The name of the state that was to be entered, as far as it is known.
    public var destination: String? {
        if let destination = rejection.details?.destination { return destination }
        guard let only = rejection.event.flatMap({ definition.events[$0].reach.onlyDestination }) else { return nil }
        return definition.states[only.index].name
    }

    /// What a guard, a builder or an action threw.
    public var underlyingError: (any Error)? { rejection.details?.underlyingError }

    /// The errors of all guards that decline, in the order in which they were asked; of a survey.
    var unmetGuards: [any Error] { rejection.details?.unmetGuards ?? [] }

    /// The names to choose from: events, actions or states, depending on the ``reason``.
    ///
    /// For an action that the state does not allow they are the events that lead to a state which does.
    /// For an unknown name they are all names, the most similar first.
    public var candidates: [String] {
        switch reason {
        case .unknownEvent: definition.events.map(\.name).nearestFirst(to: event)
        case .unknownAction: definition.actions.map(\.name).nearestFirst(to: action)
        case .notAllowed where isOfAction: leadingEvents ?? []
        case .unknownState: definition.states.map(\.name).nearestFirst(to: unknownState)
        default: rejection.details?.candidates ?? []
        }
    }

    /// What could not be done, if that was no fire.
    var attemptInsteadOfFire: String? { rejection.details?.attempt }

    /// The name that no state has: only of states that there are the number is known.
    var unknownState: String? { rejection.source == nil ? rejection.details?.source : rejection.details?.destination }

    /// The workflows of the machines that wait for one another in a ``Reason-swift.enum/deadlock``; those of the machine and the one to
    /// which it belongs for ``Reason-swift.enum/regionInUse``.
    public var machines: [String] { rejection.details?.machines ?? [] }

    /// The names of the states to which the event leads from the source.
    var reachable: [String] {
        guard let event = rejection.event, let source = rejection.source else { return [] }
        return definition.states.indices.filter { definition.events[event].reach.leads(from: source, to: $0) }
            .map { definition.states[$0].name }
    }

    /// The names of the events that lead from the source, in the order of the definition; without those that are ignored there.
    public var allowedEvents: [String] {
        rejection.source.map(definition.eventNames(leaving:)) ?? []
    }
}

/// Why a fire is rejected, by number: names are made when somebody asks, because an error is often caught and forgotten.
@usableFromInline
struct Rejection: Error {
    @usableFromInline let reason: InvalidTransition.Reason
    private let eventNumber: Int32
    private let sourceNumber: Int32
    private var box: Box?

    @inline(__always)
    init(_ reason: InvalidTransition.Reason, event: Int?, from source: Int?, _ details: Details? = nil) {
        self.reason = reason
        eventNumber = Int32(truncatingIfNeeded: event ?? -1)
        sourceNumber = Int32(truncatingIfNeeded: source ?? -1)
        box = details.map(Box.init)
    }

    /// The number of the event that was fired, where there is one.
    var event: Int? { eventNumber < 0 ? nil : Int(eventNumber) }

    /// The number of the state that the machine was in, where that is registered.
    var source: Int? { sourceNumber < 0 ? nil : Int(sourceNumber) }

    /// What most errors have nothing to say about, and what only a name can say.
    struct Details: Sendable {
        var event: String?
        var source: String?
        var destination: String?
        var underlyingError: (any Error)?

        /// The errors of all guards that decline, where all were asked.
        var unmetGuards: [any Error] = []
        var candidates: [String] = []
        var machines: [String] = []

        /// The action that was tried in place of a fire.
        var action: ActionTerms?

        /// What could not be done in place of a fire: "be run".
        var attempt: String?
        var path: String?
        var userInfo: UserInfo = [:]
    }

    var details: Details? { box?.details }

    @inline(never)
    mutating func changeDetails(_ change: (inout Details) -> Void) {
        var details = details ?? Details()
        change(&details)
        box = Box(details)
    }

    /// The details apart, so that an error without them is a few words.
    private final class Box: Sendable {
        let details: Details

        init(_ details: Details) { self.details = details }
    }
}
