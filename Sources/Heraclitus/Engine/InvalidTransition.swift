/// The error of a rejected fire: what was tried, where, why not, and what would be allowed.
///
/// Nothing has changed when it is thrown. The machine is in the same state, and can be fired again.
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

        /// The event does not lead from the source, or not to that destination.
        case notAllowed

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

        /// The machine was fired from a guard, a builder or a `will…` hook of its own.
        case transitionInProgress

        /// Callbacks fired the machine more often than ``StateMachine/chainLimit`` before the outermost fire returned.
        case endlessChain

        /// Waiting for the machine would never end: the thread that owns it waits for this thread, through the machines in
        /// ``InvalidTransition/machines``.
        case deadlock
    }

    /// Why the fire was rejected.
    public let reason: Reason

    /// The values that the caller passed.
    public let userInfo: UserInfo

    // Numbers, of which names are made when somebody asks: an error is often caught and forgotten.
    private let definition: Definition
    private let eventIndex: Int?
    private let sourceIndex: Int?
    private let details: Details?

    /// What most errors have nothing to say about, and what only a name can say.
    final class Details: Sendable {
        let event: String?
        let source: String?
        let destination: String?
        let underlyingError: (any Error)?
        let candidates: [String]
        let machines: [String]

        init(
            event: String? = nil,
            source: String? = nil,
            destination: String? = nil,
            underlyingError: (any Error)? = nil,
            candidates: [String] = [],
            machines: [String] = []
        ) {
            self.event = event
            self.source = source
            self.destination = destination
            self.underlyingError = underlyingError
            self.candidates = candidates
            self.machines = machines
        }
    }

    @usableFromInline
    init(_ reason: Reason, event: Int, from source: Int, in definition: Definition, userInfo: UserInfo) {
        self.init(reason, event: event, from: source, in: definition, userInfo: userInfo, details: nil)
    }

    init(
        _ reason: Reason,
        event: Int?,
        from source: Int?,
        in definition: Definition,
        userInfo: UserInfo,
        details: Details?
    ) {
        self.reason = reason
        self.userInfo = userInfo
        self.definition = definition
        eventIndex = event
        sourceIndex = source
        self.details = details
    }

    /// The name of the workflow.
    public var workflow: String { definition.workflow }

    /// The name of the event; `nil` if `enter` found none or several, and for an event without a name.
    public var event: String? { eventIndex.map { definition.events[$0].name } ?? details?.event }

    /// The name of the state that the machine was in, or would have been in after everything accepted before.
    public var source: String { sourceIndex.map { definition.states[$0].name } ?? details?.source ?? "" }

    /// The name of the state to enter, if it is known.
    public var destination: String? {
        if let destination = details?.destination { return destination }
        guard let only = eventIndex.flatMap({ definition.events[$0].reach.onlyDestination }) else { return nil }
        return definition.states[only.index].name
    }

    /// The error that a guard or a builder has thrown.
    public var underlyingError: (any Error)? { details?.underlyingError }

    /// The names of events or states to choose from, depending on the ``reason``.
    ///
    /// For an unknown name they are all that there are, those first that are most like it.
    public var candidates: [String] {
        switch reason {
        case .unknownEvent: definition.events.map(\.name).nearestFirst(to: event)
        case .unknownState: definition.states.map(\.name).nearestFirst(to: unknownState)
        default: details?.candidates ?? []
        }
    }

    /// The name that no state has: only of states that there are the number is known.
    var unknownState: String? { sourceIndex == nil ? details?.source : details?.destination }

    /// The workflows of the machines that wait for one another in a ``Reason-swift.enum/deadlock``.
    public var machines: [String] { details?.machines ?? [] }

    /// The names of the events that lead from the source, in the order of the definition; without those that are ignored there.
    public var allowedEvents: [String] {
        sourceIndex.map(definition.eventNames(leaving:)) ?? []
    }
}
