// Tells observers of occurrences, in the order of the turn.
import HeraclitusEssentials

extension MachineCore {
    /// Posts an occurrence, for delivery after the callbacks of the transition under way.
    @inline(__always)
    func post(
        _ outcome: @autoclosure () -> Occurrence.Outcome,
        at place: Int? = nil,
        _ call: borrowing Call
    ) {
        if hasObserversOfNotices { tell(outcome(), at: place, call) }
    }

    /// Tells observers of an occurrence in order with the transitions, if there are observers or a journal.
    func announce(
        _ outcome: @autoclosure () -> Occurrence.Outcome,
        for purpose: CallPurpose = .fire,
        _ call: borrowing Call
    ) {
        guard hasObserversOfNotices else { return }
        guard let role = try? acquire(call, for: purpose) else { return tellOutsideTurn(outcome(), call) }
        post(outcome(), call)
        finish(role, call)
    }

    /// Whether observers or a journal get occurrences other than transitions.
    @inline(__always)
    var hasObserversOfNotices: Bool { journal != nil || listens(to: .notices) }

    /// Adds an occurrence to the journal, and posts it to observers.
    @inline(never)
    private func tell(_ outcome: Occurrence.Outcome, at place: Int?, _ call: borrowing Call) {
        let occurrence = occurrence(outcome)
        if let dropped = writeDown(occurrence, call) { call.retire(OwnedObject(Box(dropped))) }
        guard listens(to: .notices) else { return }
        let isFirstBeyondLimit = call.turn { $0.post(occurrence, at: place) }
        guard isFirstBeyondLimit else { return }
        let details = InvalidTransition.Details(attempt: "tell its observers of more")
        let last = self.occurrence(.rejected(invalidTransition(.endlessChain, details, call)))
        call.turn { $0.postLast(last) }
    }

    /// An occurrence of this moment other than a transition.
    private func occurrence(_ outcome: Occurrence.Outcome) -> Occurrence {
        Occurrence(outcome, at: scheduler.date, revision: currentRevision, in: definition)
    }

    /// The occurrence of a committed transition, for all observers.
    ///
    /// Call it in the transition's turn.
    func occurrence(of transition: StateTransition) -> Occurrence {
        let date = date(of: Call(transition.treeMachine))
        let outcome = Occurrence.Outcome.transitioned(transition, facts: transition.facts)
        return Occurrence(outcome, at: date, revision: currentRevision, in: definition)
    }

    /// The occurrence of a fire that the state ignores.
    @inline(never)
    func ignored(_ event: Immortal<CompiledEvent>, in source: Int, _ call: borrowing Call) -> Occurrence.Outcome {
        let state = definition.states[source].type.typed(expectedObject(call))
        return .noted(.ignored, event.value.name, state, call.fullUserInfo.withoutCause)
    }

    /// Tells observers of an occurrence of a call that gets no turn.
    ///
    /// Occurrences caused by observers are only written to the journal.
    func tellOutsideTurn(_ outcome: Occurrence.Outcome, _ call: borrowing Call) {
        guard hasObserversOfNotices else { return }
        let occurrence = occurrence(outcome)
        _ = writeDown(occurrence, call)
        guard call.thread.content.beginTellingOutsideTurns(of: call.id) else { return }
        tellObservers(occurrence)
        call.thread.content.endTellingOutsideTurns()
    }

    /// Tells observers of an occurrence in this machine other than a transition, or of any occurrence in a region.
    func tellObservers(_ occurrence: Occurrence, in phase: CallbackPhase = .notices) {
        eachClosure(in: phase) { if case .notice(_, let tell) = $0 { tell(occurrence) } }
    }
}
