import Heraclitus
import HeraclitusTables

// Every loop stands in a function of its own that is not inlined: what it costs does not depend on the others. One round
// of a loop goes from the first state to the second and back.

@inline(never)
func transition(_ count: Int) throws { try toggle(StateMachine<Door>(), count) }

@inline(never)
func transitionBare(_ count: Int) throws {
    let machine = StateMachine<BareDoor>()
    let name = longName()
    for _ in 0..<count / 2 {
        try machine.fire.open(BareOpenState(by: name))
        try machine.fire.close(BareClosedState(by: name))
    }
}

/// The same by the names of the events.
@inline(never)
func transitionNamed(_ count: Int) throws {
    let machine = StateMachine<BareDoor>()
    let name = longName()
    for _ in 0..<count / 2 {
        try machine.fire[named: "open"](BareOpenState(by: name))
        try machine.fire[named: "close"](BareClosedState(by: name))
    }
}

/// The same of a workflow of data.
@inline(never)
func transitionData(_ count: Int) throws {
    let table = TransitionTable(
        "Door",
        states: ["Closed", "Open"],
        initial: "Closed",
        events: [.init("open", from: "Closed", to: "Open"), .init("close", from: "Open", to: "Closed")]
    )
    let machine = try StateMachine(try DataWorkflow(table))
    let data: [String: JSONValue] = ["by": .string(longName())]
    for _ in 0..<count / 2 {
        try machine.fire[named: "open"](DataState("Open", data))
        try machine.fire[named: "close"](DataState("Closed", data))
    }
}

@inline(never)
func transitionObserved(_ count: Int) throws {
    let machine = StateMachine<Door>()
    machine.onTransition { keep($0.isUpdate) }
    try toggle(machine, count)
}

/// A guard of the event, and two hooks of the machine.
@inline(never)
func transitionClosures(_ count: Int) throws {
    let machine = StateMachine<GuardedDoor>()
    machine.willExit(BareClosedState.self) { closed, _ in keep(closed.by.utf8.count) }
    machine.didEnter(BareOpenState.self) { open, _ in keep(open.by.utf8.count) }
    let name = longName()
    for _ in 0..<count / 2 {
        try machine.fire.open(BareOpenState(by: name))
        try machine.fire.close(BareClosedState(by: name))
    }
}

/// A builder that makes each state, and a condition that never holds.
@inline(never)
func transitionBuilt(_ count: Int) throws {
    let machine = StateMachine<BuiltDoor>()
    for _ in 0..<count / 2 {
        try machine.fire.open()
        try machine.fire.close()
    }
}

/// The same as `transition`, in a state of another machine.
@inline(never)
func inner(_ count: Int) throws {
    let house = StateMachine<House>()
    try toggle(house.state.door, count)
    keep(house)
}

@inline(never)
private func toggle(_ machine: StateMachine<Door>, _ count: Int) throws {
    let name = longName()
    for _ in 0..<count / 2 {
        try machine.fire.open(OpenState(by: name))
        try machine.fire.close(ClosedState(by: name))
    }
}

/// An event that does not lead from the state, with an object and the error caught.
@inline(never)
func rejection(_ count: Int) {
    let machine = StateMachine<Door>()
    let name = longName()
    for _ in 0..<count {
        do throws(InvalidTransition) {
            try machine.fire.close(ClosedState(by: name))
        } catch {
            keep(error.reason == .notAllowed)
        }
    }
}

/// An event that the state ignores, with an object.
@inline(never)
func ignored(_ count: Int) throws {
    let machine = StateMachine<IgnoringDoor>()
    let name = longName()
    for _ in 0..<count { try machine.fire.close(BareClosedState(by: name)) }
}

/// Two transitions: one from outside, and one that the state's hook fires.
@inline(never)
func nested(_ count: Int) throws {
    let machine = StateMachine<ClosingDoor>()
    let name = longName()
    for _ in 0..<count { try machine.fire.open(ClosingState(by: name)) }
}

@inline(never)
func making(_ count: Int) {
    for _ in 0..<count { keep(StateMachine<Door>()) }
}

/// The state, and whether an event may fire.
@inline(never)
func reading(_ count: Int) {
    let machine = StateMachine<Door>()
    for _ in 0..<count {
        keep(machine.state)
        keep(machine.can.open)
    }
}

/// A text that is too long to be kept in place, and that the optimizer does not know.
private func longName() -> String {
    "the person with the keys" + String(repeating: "s", count: CommandLine.arguments.count)
}

// MARK: - A door with two hooks at each transition

private final class ClosedState: WorkflowState, ExitPreparing, Entering {
    let by: String
    init(by: String) { self.by = by }
    func willExit(_ transition: StateTransition) { keep(by.utf8.count) }
    func didEnter(_ transition: StateTransition) { keep(by.utf8.count) }
}

private final class OpenState: WorkflowState, ExitPreparing, Entering {
    let by: String
    init(by: String) { self.by = by }
    func willExit(_ transition: StateTransition) { keep(by.utf8.count) }
    func didEnter(_ transition: StateTransition) { keep(by.utf8.count) }
}

private struct Door: Workflow {
    static var initial: any WorkflowState { ClosedState(by: "") }
    let open = Event(from: ClosedState.self, to: OpenState.self)
    let close = Event(from: OpenState.self, to: ClosedState.self)
}

private final class HouseState: Composite {
    let door: StateMachine<Door>
    init(door: StateMachine<Door>) { self.door = door }
    var regions: [any Region] { [door] }
    func copied() -> HouseState { HouseState(door: door.copy()) }
}

private struct House: Workflow {
    static var initial: HouseState { HouseState(door: StateMachine()) }
    let change = Event(updating: HouseState.self)
}

// MARK: - Doors without these hooks

private final class BareClosedState: WorkflowState {
    let by: String
    init(by: String) { self.by = by }
}

private final class BareOpenState: WorkflowState {
    let by: String
    init(by: String) { self.by = by }
}

private struct BareDoor: Workflow {
    static var initial: any WorkflowState { BareClosedState(by: "") }
    let open = Event(from: BareClosedState.self, to: BareOpenState.self)
    let close = Event(from: BareOpenState.self, to: BareClosedState.self)
}

private struct GuardedDoor: Workflow {
    static var initial: any WorkflowState { BareClosedState(by: "") }
    let open = Event(from: BareClosedState.self, to: BareOpenState.self)
        .guarded { closed, _, _ in keep(closed.by.utf8.count) }
    let close = Event(from: BareOpenState.self, to: BareClosedState.self)
        .guarded { open, _, _ in keep(open.by.utf8.count) }
}

private struct BuiltDoor: Workflow {
    static var initial: any WorkflowState { BareClosedState(by: "") }
    let open = Event(from: BareClosedState.self, to: BareOpenState.self).enters { BareOpenState(by: $0.by) }
    let close = Event(from: BareOpenState.self, to: BareClosedState.self).enters { BareClosedState(by: $0.by) }
    let slam = Event(from: BareOpenState.self, to: BareClosedState.self)
        .when { $0.by == "the wind" }.enters { BareClosedState(by: $0.by) }
}

private struct IgnoringDoor: Workflow {
    static var initial: any WorkflowState { BareClosedState(by: "") }
    let open = Event(from: BareClosedState.self, to: BareOpenState.self)
    let close = Event(from: BareOpenState.self, to: BareClosedState.self).ignored(in: BareClosedState.self)
}

private final class ClosingState: WorkflowState, Entering {
    let by: String
    init(by: String) { self.by = by }
    func didEnter(_ transition: StateTransition) {
        do {
            try transition.machine(as: ClosingDoor.self)?.fire.close(BareClosedState(by: by))
        } catch {
            preconditionFailure("\(error)")
        }
    }
}

private struct ClosingDoor: Workflow {
    static var initial: any WorkflowState { BareClosedState(by: "") }
    let open = Event(from: BareClosedState.self, to: ClosingState.self)
    let close = Event(from: ClosingState.self, to: BareClosedState.self)
}
