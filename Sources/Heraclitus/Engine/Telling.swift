// What are observers told, and when?

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension MachineCore {
    /// Whether any closure of the machine's own is called in a phase.
    @inline(__always)
    func listens(to phases: CallbackPhases) -> Bool { !listened.isDisjoint(with: phases) }

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
        if listens(to: .notices) { call.turn { $0.post(occurrence, at: place) } }
    }

    /// Something that happens now.
    func occurrence(_ outcome: Occurrence.Outcome) -> Occurrence {
        Occurrence(outcome, at: date, revision: currentRevision, in: definition)
    }

    /// The date as of now.
    var date: Date { (environment?.scheduler ?? .system).date }

    /// What observers are told of a fire that is ignored in a state.
    @inline(never)
    func ignored(_ event: Immortal<CompiledEvent>, in source: Int, _ call: borrowing Call) -> Occurrence.Outcome {
        let state = definition.states[source].type.typed(expectedObject(call))
        return .ignored(IgnoredEvent(name: event.value.name, state: state, userInfo: call.userInfo))
    }

    /// Tells observers something without the turn, which does not come; nothing of what they cause by that themselves.
    func tellOutsideTurn(_ outcome: Occurrence.Outcome, _ call: borrowing Call) {
        guard listens(to: [.notices, .journal]) else { return }
        let occurrence = occurrence(outcome)
        _ = writeDown(occurrence, call)
        guard call.thread.content.beginTellingOutsideTurns(of: call.lentMachine.id) else { return }
        tellObservers(occurrence)
        call.thread.content.endTellingOutsideTurns()
    }

    /// Tells observers what is no transition.
    func tellObservers(_ occurrence: Occurrence) {
        forEachClosure(in: .notices) { $0.tell(occurrence) }
    }

    /// Tells observers of the whole tree what has happened in a machine in the state.
    func tellTreeObservers(_ occurrence: Occurrence) {
        forEachClosure(in: .regionNotices) { $0.tell(occurrence) }
    }
}
