/// The error of a fire that was refused: what was tried, where, why not, and what would be allowed.
///
/// Nothing has changed when it is thrown; the machine is in the state it was in and can be fired again.
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
    /// Why a fire was refused.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The workflow has no event of that name; ``InvalidTransition/candidates`` are those it has.
        case unknownEvent

        /// The event does not lead from the source, or not to that destination.
        case notAllowed

        /// The event belongs to a state object that is no longer the current one: it has come too late.
        case notCurrent

        /// A guard or a closure that builds the destination threw; its error is the ``InvalidTransition/underlyingError``.
        case declined

        /// A state is not registered, ``InvalidTransition/candidates``: name it in an event or in ``Workflow/states``.
        case unregisteredState

        /// The destination is not what the workflow calls a state of its own, its ``Workflow/AnyState``.
        case unsuitableState

        /// The event was fired without an object, and there is not just one ``EmptyState`` that it leads to;
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

        /// Waiting for the machine would never end: its turn is held by a thread that waits, through the machines in
        /// ``InvalidTransition/machines``, for this one.
        case deadlock
    }

    /// Why it was refused.
    public let reason: Reason

    /// What the caller passed along.
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

    /// The name of the event that was fired; `nil` where `enter` found none or several, and for one that has none.
    public var event: String? { eventIndex.map { definition.events[$0].name } ?? details?.event }

    /// The name of the state that the machine was in, or would have been in when its turn came.
    public var source: String { sourceIndex.map { definition.states[$0].name } ?? details?.source ?? "" }

    /// The name of the state that was to be entered, as far as it is known.
    public var destination: String? {
        if let destination = details?.destination { return destination }
        guard let only = eventIndex.flatMap({ definition.events[$0].reach.onlyDestination }) else { return nil }
        return definition.states[only.index].name
    }

    /// What a guard or a builder threw.
    public var underlyingError: (any Error)? { details?.underlyingError }

    /// The names that would have answered an ambiguous or unknown one: events or states, as the ``reason`` says.
    public var candidates: [String] { details?.candidates ?? [] }

    /// The workflows of the machines that wait for one another in a ``Reason-swift.enum/deadlock``.
    public var machines: [String] { details?.machines ?? [] }

    /// The names of the events that the table allows in the source, in the order of the definition.
    public var allowedEvents: [String] {
        sourceIndex.map(definition.eventNames(acceptedIn:)) ?? []
    }
}

// MARK: - Texts

extension InvalidTransition: CustomStringConvertible {
    /// What was tried, where, why not, and what would be allowed.
    public var description: String {
        "\(attempt): \(explanation)" + (suggestion.map { " " + $0 } ?? "")
    }

    /// What was tried, and where: `Download cannot fire "cancel" in CompletedState`.
    var attempt: String {
        let what =
            event.map { "fire \"\($0)\"" } ?? destination.map { "enter \($0)" } ?? "fire an event that it does not know"
        return "\(workflow) cannot \(what) in \(source)"
    }

    /// Why not.
    var explanation: String {
        switch reason {
        case .unknownEvent:
            event == nil
                ? "the event is no stored property of the workflow, or a modified copy of one."
                : "the workflow has no such event."
        case .notAllowed:
            "it does not lead from there\(destination.map { " to \($0)" } ?? "")."
        case .notCurrent:
            "it belongs to a state that was left."
        case .declined:
            "it was declined: \(underlyingError.map { "\($0)" } ?? "no error given")"
        case .unregisteredState:
            "the state \(candidates.first ?? destination ?? "") is not registered with the workflow."
        case .unsuitableState:
            "\(destination ?? "the object") is not of the type of this workflow's states."
        case .destinationNeeded:
            "it was fired without a state object, and there is not exactly one empty state that it leads to."
        case .noEvent:
            "no event leads there."
        case .ambiguousEvent:
            "several events lead there: \(Self.list(candidates))."
        case .transitionInProgress:
            "a guard, a builder or a will hook of the transition under way is running."
        case .endlessChain:
            "callbacks have fired the machine too often before the outermost fire returned."
        case .deadlock:
            "threads wait for one another's machines in a circle: \(machines.joined(separator: " → "))."
        }
    }

    /// What would work, if anything does.
    var suggestion: String? {
        switch reason {
        case .notAllowed, .noEvent:
            allowedEvents.isEmpty
                ? "\(source) is not left by any event." : "Allowed in \(source): \(Self.list(allowedEvents))."
        case .unknownEvent:
            "Its events are \(Self.list(candidates))."
        case .declined, .notCurrent:
            nil
        case .unregisteredState:
            "Name it in an event or list it in the workflow's `states`."
        case .unsuitableState:
            "Conform it to the protocol that the workflow's `initial` is declared as."
        case .destinationNeeded:
            "Pass an object of one of: \(candidates.joined(separator: ", "))."
        case .ambiguousEvent:
            "Fire one of them."
        case .transitionInProgress:
            "Fire from a did hook or an observer instead; it is carried out when the transition under way is done."
        case .endlessChain:
            "Look for hooks that fire one another without an end."
        case .deadlock:
            "Let callbacks fire the machines in one order, or after the transition under way."
        }
    }

    private static func list(_ names: [String]) -> String {
        names.isEmpty ? "none" : names.map { "\"\($0)\"" }.joined(separator: ", ")
    }
}
