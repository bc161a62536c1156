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
    public var reason: Reason { refusal.reason }

    /// What the caller passed along.
    public let userInfo: UserInfo

    private let refusal: Refusal
    private let definition: Definition

    init(_ refusal: Refusal, in definition: Definition, userInfo: UserInfo) {
        self.refusal = refusal
        self.definition = definition
        self.userInfo = userInfo
    }

    /// The name of the workflow.
    public var workflow: String { definition.workflow }

    /// The name of the event that was fired; `nil` where `enter` found none or several, and for one that has none.
    public var event: String? { refusal.event.map { definition.events[$0].name } ?? refusal.details?.event }

    /// The name of the state that the machine was in, or would have been in when its turn came.
    public var source: String { refusal.source.map { definition.states[$0].name } ?? refusal.details?.source ?? "" }

    /// The name of the state that was to be entered, as far as it is known.
    public var destination: String? {
        if let destination = refusal.details?.destination { return destination }
        guard let only = refusal.event.flatMap({ definition.events[$0].reach.onlyDestination }) else { return nil }
        return definition.states[only.index].name
    }

    /// What a guard or a builder threw.
    public var underlyingError: (any Error)? { refusal.details?.underlyingError }

    /// The names that would have answered an ambiguous or unknown one: events or states, as the ``reason`` says.
    public var candidates: [String] { refusal.details?.candidates ?? [] }

    /// The workflows of the machines that wait for one another in a ``Reason-swift.enum/deadlock``.
    public var machines: [String] { refusal.details?.machines ?? [] }

    /// The names of the events that the table allows in the source, in the order of the definition.
    public var allowedEvents: [String] {
        refusal.source.map(definition.eventNames(acceptedIn:)) ?? []
    }
}

/// Why a fire is refused, by number: names are made when somebody asks, because an error is often caught and forgotten.
struct Refusal: Error {
    let reason: InvalidTransition.Reason
    private let eventNumber: Int32
    private let sourceNumber: Int32
    let details: Details?

    init(_ reason: InvalidTransition.Reason, event: Int?, from source: Int?, _ details: Details? = nil) {
        self.reason = reason
        eventNumber = Int32(truncatingIfNeeded: event ?? -1)
        sourceNumber = Int32(truncatingIfNeeded: source ?? -1)
        self.details = details
    }

    /// The number of the event that was fired, where there is one.
    var event: Int? { eventNumber < 0 ? nil : Int(eventNumber) }

    /// The number of the state that the machine was in, where that is registered.
    var source: Int? { sourceNumber < 0 ? nil : Int(sourceNumber) }

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
        case .declined:
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
