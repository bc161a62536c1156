/// Decides by a workflow's table whether an event may fire between two states.
///
/// Machines use the same rules. A validator needs no machine. It is pure: it calls no guard and no hook, takes no lock,
/// and always gives the same answer. ``Workflow/table`` lists the events that lead from a state.
///
/// ```swift
/// let validator = TransitionValidator<Download>()
/// try validator.validate(\.load, from: IdleState.self, to: LoadingState.self)
/// try validator.validate(named: "load", from: "IdleState", to: "LoadingState")
/// ```
public struct TransitionValidator<W: Workflow>: Sendable {
    package let definition: Definition

    package init(_ definition: Definition) { self.definition = definition }

    /// Makes a validator.
    ///
    /// The first use of a workflow reads its definition, and stops the program for an invalid one.
    public init() { self.init(W.definition) }

    /// Throws unless an event may fire between two states.
    ///
    /// An event that the source ignores may fire to any destination.
    /// - Parameters:
    ///   - event: The event.
    ///   - source: The class of the source.
    ///   - destination: The class of the destination; `nil` for any destination.
    ///   - userInfo: Values that the error carries.
    /// - Throws: ``InvalidTransition``: `unknownEvent`, `unregisteredState` or `notAllowed`.
    public func validate<S, D>(
        _ event: KeyPath<W, W.Event<S, D>>,
        from source: any WorkflowState.Type,
        to destination: (any WorkflowState.Type)? = nil,
        userInfo: UserInfo = [:]
    ) throws(InvalidTransition) {
        try validate(
            definition.index(of: event),
            calling: nil,
            from: (definition.stateIndex(of: source), source.name),
            to: destination.map { (definition.stateIndex(of: $0), $0.name) },
            orElse: .unregisteredState,
            userInfo: userInfo
        )
    }

    /// Throws unless an event may fire between two states, all given by name.
    ///
    /// An event that the source ignores may fire to any destination.
    /// - Parameters:
    ///   - event: The event's name.
    ///   - source: The name of the source.
    ///   - destination: The name of the destination; `nil` for any destination.
    ///   - userInfo: Values that the error carries.
    /// - Throws: ``InvalidTransition``: `unknownEvent`, `unknownState` or `notAllowed`.
    public func validate(
        named event: String,
        from source: String,
        to destination: String? = nil,
        userInfo: UserInfo = [:]
    ) throws(InvalidTransition) {
        try validate(
            definition.eventIndex(named: event),
            calling: event,
            from: (definition.stateIndex(named: source), source),
            to: destination.map { (definition.stateIndex(named: $0), $0) },
            orElse: .unknownState,
            userInfo: userInfo
        )
    }

    /// Throws unless the table allows a transition by an event; also throws for an ignored event.
    package func validateTransition(
        named event: String,
        from source: String,
        to destination: String,
        userInfo: UserInfo
    ) throws(InvalidTransition) {
        try validate(named: event, from: source, to: destination, userInfo: userInfo)
        guard let index = definition.eventIndex(named: event), let from = definition.stateIndex(named: source),
            definition.verdict(on: index, from: from) == .ignored
        else { return }
        let details = InvalidTransition.Details(destination: destination, userInfo: userInfo)
        throw InvalidTransition(.notAllowed, in: definition, event: index, from: from, details)
    }
}

// MARK: - Numbers

extension TransitionValidator {
    private func validate(
        _ eventIndex: Int?,
        calling eventName: String?,
        from source: (index: Int?, name: String),
        to destination: (index: Int?, name: String)?,
        orElse missingState: InvalidTransition.Reason,
        userInfo: UserInfo
    ) throws(InvalidTransition) {
        func rejection(_ reason: InvalidTransition.Reason, candidates: [String] = []) -> InvalidTransition {
            let details = InvalidTransition.Details(
                event: eventName,
                source: source.name,
                destination: destination?.name,
                candidates: candidates,
                userInfo: userInfo
            )
            return InvalidTransition(reason, in: definition, event: eventIndex, from: source.index, details)
        }
        guard let eventIndex else {
            throw rejection(.unknownEvent)
        }
        guard let sourceIndex = source.index else { throw rejection(missingState, candidates: [source.name]) }
        switch definition.verdict(on: eventIndex, from: sourceIndex) {
        case .ignored: return
        case .notAllowed: throw rejection(.notAllowed)
        case .allowed: break
        }
        guard let destination else { return }
        guard let destinationIndex = destination.index else {
            throw rejection(missingState, candidates: [destination.name])
        }
        if definition.verdict(on: eventIndex, from: sourceIndex, to: destinationIndex) == .notAllowed {
            throw rejection(.notAllowed)
        }
    }
}
