public import HeraclitusEssentials

// The texts of the error of machines: the attempt, the reason and a remedy. They shorten names and lists.

/// The text of an error: that of a `LocalizedError`, or else its description.
func ownWords(of error: any Error) -> String { localizedWords(of: error) ?? text(of: error) }

private func localizedWords(of error: any Error) -> String? {
    let localized = error as? any LocalizedError
    return localized?.errorDescription ?? localized?.failureReason
}

extension InvalidTransition: LocalizedError, CustomStringConvertible {
    /// The attempt, its place, the reason and the remedy.
    public var description: String { sentence + (help.map { " " + $0 } ?? "") }

    /// The attempt, its place and the reason.
    public var errorDescription: String? { sentence }

    /// The reason: only the text of the guard's error if that is a `LocalizedError`.
    public var failureReason: String? { wordsForPeople ?? shortReason }

    /// The remedy.
    public var recoverySuggestion: String? { help }

    var attempt: String {
        let text = "\(place) cannot \(attemptWords)"
        return source.isEmpty ? text : "\(text) in \(source.shortened)"
    }

    private var attemptWords: String {
        if isOfAction { return action.map { "perform \"\($0.shortened)\"" } ?? "perform a block" }
        if let attempt = details?.attempt { return attempt }
        if let event { return "fire \"\(event.shortened)\"" }
        return shownDestination.map { "enter \($0)" } ?? "fire an unknown event"
    }

    var explanation: String {
        switch reason {
        case .unknownEvent:
            event == nil
                ? "the event is not a stored property of the workflow, or is a modified copy."
                : "the workflow has no such event."
        case .unknownState:
            "the workflow has no state \"\(unknownState?.shortened ?? "")\"."
        case .unknownAction:
            "the workflow lists no such action."
        case .actionFailed:
            "the action failed: \(causeWords)"
        case .notAllowed where isOfAction:
            "allowed only in \(details?.action?.expected ?? "another state")."
        case .notAllowed:
            wrongDestination ?? "no transition\(shownDestination.map { " to \($0)" } ?? " from there")."
        case .notCurrent:
            "the state object, or the one that holds this machine, is no longer current."
        case .regionInUse:
            "a machine in \(isOfAction ? "the state" : shownDestination ?? "the destination") is in use: \(machines.joined(separator: " in "))."
        case .declined:
            "declined: \(causeWords)"
        case .unregisteredState:
            "the state \(candidates.first?.shortened ?? shownDestination ?? "") is not registered with the workflow."
        case .unsuitableState:
            underlyingError == nil
                ? "\(shownDestination ?? "the object") lacks the type of this workflow's states."
                : causeWords
        case .destinationNeeded:
            "the event needs a state object to enter."
        case .noEvent:
            "no event leads there from \(source.shortened)."
        case .ambiguousEvent:
            "several events lead there: \(Self.list(candidates))."
        case .transitionInProgress:
            "a guard, builder or will hook of the current transition is running."
        case .endlessChain:
            "callbacks, conditions or passed deadlines fired the machine too often in one call."
        case .alreadyRunning:
            "another run is under way."
        case .missingContext:
            "the machine has no context yet."
        case .deadlock:
            "threads wait for one another's machines in a circle: \(machines.joined(separator: " → "))."
        case .timedOut:
            "\(shownDestination ?? "the state") was not reached in time."
        case .unreachable:
            "no events lead from \(source.shortened) to \(shownDestination ?? "the state")."
        }
    }

    var suggestion: String? {
        switch reason {
        case .notAllowed where isOfAction:
            leadingEvents.map {
                $0.isEmpty
                    ? "No event leads there from \(source.shortened)."
                    : "Events that lead there: \(Self.list($0))."
            }
        case .notAllowed where wrongDestination != nil:
            nil
        case .notAllowed, .noEvent:
            allowedEvents.isEmpty
                ? "\(source.shortened) is final."
                : "Allowed: \(Self.list(allowedEvents))."
        case .unknownEvent:
            "Its events are \(Self.list(candidates))."
        case .unknownAction:
            candidates.isEmpty ? "The workflow has no actions." : "Its actions are \(Self.list(candidates))."
        case .unknownState:
            "Its states are \(Self.list(candidates))."
        case .declined, .notCurrent, .actionFailed, .unreachable:
            nil
        case .regionInUse:
            "Give each state its own machine, such as a copy."
        case .unregisteredState:
            "Name it in an event or list it in the workflow's `states`."
        case .unsuitableState:
            underlyingError == nil
                ? "Conform it to the protocol that the workflow's `initial` is declared as."
                : nil
        case .destinationNeeded:
            "Pass an object of one of: \(candidates.inText())."
        case .ambiguousEvent:
            "Fire one of them."
        case .transitionInProgress:
            "Fire from a did hook or an observer instead, which queues the fire."
        case .endlessChain:
            "Look for hooks that fire one another endlessly, for conditions that stay true, and for deadlines that pass again at once."
        case .alreadyRunning:
            "Wait until that run returns, or cancel its task."
        case .missingContext:
            path == nil
                ? "Make it by `StateMachine(context: …)` or `store.workflow(_, context: …)`, or call "
                    + "`activate(context:)` first. In a machine's state it gets its holder's context, or one of the "
                    + "holder's `regionContexts`."
                : "Make it or its holder by `StateMachine(context: …)`, add a `RegionContext` to `regionContexts` "
                    + "of the holder's workflow, or call `activate(context:)` first."
        case .deadlock:
            "Use the machines in the same order in all callbacks, or after the transition."
        case .timedOut:
            details?.missedDeadline.map {
                "Activate the machine: its deadline of \($0) has passed, but it is inactive."
            }
        }
    }

    private var shownDestination: String? { destination?.shortened }

    /// The reason without the attempt, with the names of the event and the state.
    private var shortReason: String {
        guard reason == .notAllowed, !isOfAction, let event, wrongDestination == nil else { return reasonText }
        return "\"\(event.shortened)\" has no transition from \(source.shortened)"
            + "\(shownDestination.map { " to \($0)" } ?? "")."
    }

    /// The reason for a wrong destination; `nil` if the event leads nowhere from the source.
    private var wrongDestination: String? {
        let names = reachable
        guard reason == .notAllowed, let destination = shownDestination, !names.isEmpty else { return nil }
        return "the event leads to \(names.inText(" or ")), not to \(destination)."
    }

    private static func list(_ names: [String]) -> String {
        names.isEmpty ? "none" : names.inText(quoted: true)
    }

    /// The workflow of the machine, and its place in a tree.
    fileprivate var place: String { "\(workflow)\(path.map { " (\($0))" } ?? "")" }

    /// The error of another machine that has caused this error.
    private var cause: InvalidTransition? { underlyingError as? InvalidTransition }

    /// The attempt and the reason; for a cause in another machine, its sentence is the reason.
    var sentence: String { cause.map { "\(attempt), because \($0.sentence)" } ?? "\(attempt): \(explanation)" }

    /// The reason without the attempt.
    var reasonText: String { cause?.sentence ?? explanation }

    /// The reason for people: only the text of a `LocalizedError`.
    fileprivate var wordsForPeople: String? { cause == nil ? underlyingError.flatMap(localizedWords(of:)) : nil }

    /// The remedy of the innermost error.
    var help: String? { cause.map { $0.help } ?? suggestion }

    /// The text of the underlying error.
    fileprivate var causeWords: String {
        underlyingError.map { ownWords(of: $0).shortenedExplanation } ?? "no error given"
    }
}
