import Heraclitus

// A workflow whose hooks record their calls in a journal of the states.

protocol HeardState: WorkflowState {
    var journal: CallLog { get }
}

extension HeardState {
    func hear(_ hook: String, _ transition: StateTransition) {
        journal.write("\(type(of: self).name).\(hook)")
    }
}

/// A base class with every capability, so that its subclasses only need a name.
class LoudState: HeardState, ExitGuarding, EntryGuarding, ExitPreparing, EntryPreparing, Exiting, Entering, Restoring,
    @unchecked Sendable
{
    let journal: CallLog
    let declinesExit: Bool
    let declinesEntry: Bool

    class var name: String { "Loud" }

    init(_ journal: CallLog = CallLog(), declinesExit: Bool = false, declinesEntry: Bool = false) {
        self.journal = journal
        self.declinesExit = declinesExit
        self.declinesEntry = declinesEntry
    }

    required init(from decoder: any Decoder) throws {
        journal = CallLog()
        declinesExit = false
        declinesEntry = false
    }

    func encode(to encoder: any Encoder) throws {}

    func shouldExit(_ transition: StateTransition) throws {
        hear("shouldExit", transition)
        if declinesExit { throw Objection(text: "exit") }
    }
    func shouldEnter(_ transition: StateTransition) throws {
        hear("shouldEnter", transition)
        if declinesEntry { throw Objection(text: "entry") }
    }
    func willExit(_ transition: StateTransition) { hear("willExit", transition) }
    func willEnter(_ transition: StateTransition) { hear("willEnter", transition) }
    func didExit(_ transition: StateTransition) { hear("didExit", transition) }
    func didEnter(_ transition: StateTransition) { hear("didEnter", transition) }
    func didRestore(_ transition: StateTransition) { hear("didRestore", transition) }
}

final class AState: LoudState, @unchecked Sendable { override class var name: String { "A" } }
final class BState: LoudState, @unchecked Sendable { override class var name: String { "B" } }
final class CState: LoudState, @unchecked Sendable { override class var name: String { "C" } }

struct Heard: Workflow {
    static var initial: any HeardState { AState() }

    let go = Event(from: AState.self, to: BState.self)
        .guarded { a, _, _ in a.journal.write("go.guard1") }
        .guarded { a, _, _ in a.journal.write("go.guard2") }
        .willFire { a, _, _ in a.journal.write("go.willFire") }
        .didFire { a, _, _ in a.journal.write("go.didFire") }
    let back = Event(from: BState.self, to: AState.self)
    let onward = Event(from: BState.self, to: CState.self)
    let again = Event(from: AState.self, to: AState.self)
    let touch = Event(updating: AState.self)
        .guarded { old, _, _ in old.journal.write("touch.guard") }
        .willFire { old, _, _ in old.journal.write("touch.willFire") }
        .didFire { old, _, _ in old.journal.write("touch.didFire") }
    let nudge = Event(from: AState.self, to: CState.self)
        .ignored(in: BState.self)
        .guarded { source, _, _ in source.journal.write("nudge.guard") }
}

extension StateMachine where W == Heard {
    /// An active machine in A with an empty journal.
    static func active(_ journal: CallLog) -> StateMachine<Heard> {
        let machine = StateMachine<Heard>(entering: AState(journal))
        machine.activate()
        journal.clear()
        return machine
    }
}
