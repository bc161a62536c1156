// What are observers told, and when?
import HeraclitusEssentials

extension MachineCore {
    /// Lets observers be told something when everybody has been called who hears of the transition under way.
    @inline(__always)
    func post(_ outcome: @autoclosure () -> Occurrence.Outcome, at place: TurnPlace? = nil, _ call: borrowing Call) {
        if listens(to: [.notices, .journal]) { tell(outcome(), at: place, call) }
    }

    /// Writes something down, and lets observers be told of it.
    @inline(never)
    private func tell(_ outcome: Occurrence.Outcome, at place: TurnPlace?, _ call: borrowing Call) {
        let occurrence = occurrence(outcome)
        if let dropped = writeDown(occurrence, call) { call.retire(OwnedObject(DroppedLine(dropped))) }
        guard listens(to: .notices) else { return }
        switch call.turn({ $0.post(occurrence, at: place) }) {
        case .queued, .dropped: return
        case .limitReached:
            let details = Rejection.Details(attempt: "tell its observers of more")
            let error = InvalidTransition(
                Rejection(.endlessChain, event: nil, from: now.index, details),
                in: definition,
                userInfo: [:]
            )
            let last = self.occurrence(.rejected(error))
            call.turn { $0.postLast(last) }
        }
    }

    /// Something that happens now, and is no transition.
    private func occurrence(_ outcome: Occurrence.Outcome) -> Occurrence {
        Occurrence(outcome, at: scheduler.date, revision: currentRevision, in: definition)
    }

    /// A transition that was committed, for everybody who hears of it; in its turn.
    func occurrence(of transition: StateTransition) -> Occurrence {
        let date = date(of: Call(transition.treeMachine))
        return Occurrence(.transitioned(transition), at: date, revision: currentRevision, in: definition)
    }

    /// What observers are told of a fire that is ignored in a state.
    @inline(never)
    func ignored(_ event: Immortal<CompiledEvent>, in source: Int, _ call: borrowing Call) -> Occurrence.Outcome {
        let state = definition.states[source].type.typed(expectedObject(call))
        return .noted(.ignored, event.value.name, state, call.userInfo)
    }

    /// Tells observers something without the turn, which does not come; nothing of what they cause by that themselves.
    func tellOutsideTurn(_ outcome: Occurrence.Outcome, _ call: borrowing Call) {
        guard listens(to: [.notices, .journal]) else { return }
        let occurrence = occurrence(outcome)
        _ = writeDown(occurrence, call)
        guard call.thread.content.beginTellingOutsideTurns(of: call.id) else { return }
        tellObservers(occurrence)
        call.thread.content.endTellingOutsideTurns()
    }

    /// Tells observers what is no transition.
    func tellObservers(_ occurrence: Occurrence) {
        for case .notice(let tell) in closures(in: .notices) { tell(occurrence) }
    }

    /// Tells observers of the whole tree what has happened in a machine in the state.
    func tellTreeObservers(_ occurrence: Occurrence) {
        for case .regionNotice(let tell) in closures(in: .regionNotices) { tell(occurrence) }
    }
}
