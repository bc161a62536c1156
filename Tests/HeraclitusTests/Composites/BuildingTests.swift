import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import Testing

@testable import Fixtures

/// A building with elevators, each with a door and a motor, and a desk that watches over them.
@Suite("States that watch the machines in them", .timeLimit(.minutes(5))) struct BuildingTests {
    final class ShutState: EmptyState {}
    final class AjarState: EmptyState {}
    struct Door: Workflow {
        static var initial: any WorkflowState { ShutState() }
        let open = Event(from: ShutState.self, to: AjarState.self)
        let shut = Event(from: AjarState.self, to: ShutState.self)
    }

    final class StillState: EmptyState {}
    final class BrokenState: EmptyState {}
    struct Motor: Workflow {
        static var initial: any WorkflowState { StillState() }
        let fail = Event(from: StillState.self, to: BrokenState.self)
    }

    final class ReadyState: Composite {
        let door: StateMachine<Door>
        let motor: StateMachine<Motor>
        var regions: [any Region] { [door, motor] }
        init(door: StateMachine<Door> = .init(), motor: StateMachine<Motor> = .init()) {
            (self.door, self.motor) = (door, motor)
        }
        func copied() -> ReadyState { ReadyState(door: door.copy(), motor: motor.copy()) }
    }
    final class StoppedState: EmptyState {}
    struct Elevator: Workflow {
        static var initial: any WorkflowState { ReadyState() }
        static var journal: Int { 10 }
        let stop = Event(from: ReadyState.self, to: StoppedState.self).when { $0.motor.isIn(BrokenState.self) }
            .or(from: ReadyState.self, to: StoppedState.self)
        let board = Event(from: ReadyState.self, to: BoardingState.self).when { $0.door.isIn(AjarState.self) }
            .enters { BoardingState(door: $0.door) }
            .guarded { ready, _, transition in
                if ready.motor.isIn(named: "unknown") { throw Objection() }
            }
    }
    final class BoardingState: Composite {
        let door: StateMachine<Door>
        var regions: [any Region] { [door] }
        init(door: StateMachine<Door>) { self.door = door }
        func copied() -> BoardingState { BoardingState(door: door.copy()) }
    }

    final class BusyState: Composite {
        let elevators: [StateMachine<Elevator>]
        var regions: [any Region] { elevators }
        init(_ elevators: [StateMachine<Elevator>] = [StateMachine(), StateMachine()]) { self.elevators = elevators }
        func copied() -> BusyState { BusyState(elevators.map { $0.copy() }) }
    }
    final class AlarmState: EmptyState {}
    final class ClosedState: EmptyState {}

    /// A building that closes when all its elevators have stopped, and raises the alarm at an open door.
    struct Building: Workflow {
        static var initial: any WorkflowState { BusyState() }
        static var journal: Int { 10 }
        let close = Event(from: BusyState.self, to: ClosedState.self).whenFinal(\.elevators)
        let alarm = Event(from: BusyState.self, to: AlarmState.self)
            .when { busy in busy.elevators.allSatisfy { $0.isIn(AjarState.self) } && !busy.elevators.isEmpty }
    }

    private func busy(_ building: StateMachine<Building>) throws -> [StateMachine<Elevator>] {
        building.activate()
        return try #require(building.state as? BusyState).elevators
    }

    private func door(_ elevator: StateMachine<Elevator>) throws -> StateMachine<Door> {
        try #require(elevator.state as? ReadyState).door
    }

    // MARK: Conditions

    @Test("A condition is checked after each transition of a machine in the state, with its cause in the journal")
    func direct() throws {
        let elevator = StateMachine<Elevator>()
        let heard = CallLog()
        let door = try door(elevator)
        elevator.onTransition { heard.write("elevator \($0.event ?? "")") }
        door.onTransition { _ in heard.write("door \(elevator.stateName)") }
        try door.fire.open()
        #expect(heard.entries == ["door ReadyState", "elevator board"])
        #expect(elevator.isIn(BoardingState.self) && elevator.isIn(AjarState.self))
        #expect(elevator.journal.map(\.cause) == [.condition])
    }

    @Test("A condition is checked after transitions of deeper machines, too")
    func deep() throws {
        let building = StateMachine<Building>()
        let elevators = try busy(building)
        let doors = try elevators.map(door)
        for elevator in elevators { elevator.guarded(\.board) { _, _, _ in throw Objection() } }
        try doors[0].fire.open()
        #expect(building.isIn(BusyState.self))
        try doors[1].fire.open()
        #expect(building.isIn(AlarmState.self))
        #expect(building.journal.map(\.cause) == [.condition])
    }

    @Test("A unit of work fires such a condition as memory does")
    func stored() async throws {
        let elevators = InMemoryStore().workflow(Elevator.self)
        func create() -> StateMachine<Elevator> { StateMachine() }
        try await elevators.update("1", creating: create) { try door($0).fire.open() }
        let stored = try #require(try await elevators.machine("1")).machine
        #expect(stored.isIn(BoardingState.self) && stored.journal.map(\.cause) == [.condition])
    }

    @Test("A rehearsal in a restored machine, a rejected fire and an announcement check no condition")
    func unmoved() throws {
        let broken = StateMachine<Elevator>(
            resumingIn: ReadyState(motor: StateMachine(resumingIn: BrokenState()))
        )
        let ready = try #require(broken.state as? ReadyState)
        #expect(throws: InvalidTransition.self) { try ready.motor.rehearse.fail() }
        try ready.door.rehearse.open()
        #expect(broken.isIn(ReadyState.self) && broken.revision == 0)
        let watched = StateMachine<Watched>()
        let watching = try #require(watched.state as? WatchingState)
        watched.activate()
        let before = watching.asked.entries.count
        #expect(throws: InvalidTransition.self) { try watching.door.fire.shut() }
        watching.door.announce("Mind the gap")
        try watching.door.rehearse.open()
        #expect(watching.asked.entries.count == before)
        try watching.door.fire.open()
        #expect(watching.asked.entries.count == before + 1)
    }

    final class WatchingState: EmptyState, Composite, Sendable {
        let door = StateMachine<Door>()
        let asked = CallLog()
        private enum CodingKeys: CodingKey {}
        var regions: [any Region] { [door] }
        func copied() -> WatchingState { WatchingState() }
    }
    struct Watched: Workflow {
        static var initial: any WorkflowState { WatchingState() }
        let end = Event(from: WatchingState.self, to: StoppedState.self).when { watching in
            watching.asked.write("asked")
            return watching.asked.entries.count > 3
        }
        .guarded { watching, _, _ in if watching.asked.entries.count < 6 { throw Objection() } }
    }

    @Test("A declined condition is tried again after the next transition in the state")
    func declined() throws {
        let machine = StateMachine<Watched>()
        let heard = CallLog()
        machine.observe { heard.write($0.reason ?? $0.event ?? "") }
        let door = try #require(machine.state as? WatchingState).door
        for _ in 0..<2 {
            try door.fire.open()
            try door.fire.shut()
        }
        // Activation was the first check; the others follow each transition.
        #expect(heard.entries == ["declined", "declined"])
        try door.fire.open()
        #expect(heard.entries.last == "end" && machine.isIn(StoppedState.self))
    }

    @Test("A fire of a callback that leaves the state comes before a condition")
    func leftBefore() throws {
        let elevator = StateMachine<Elevator>()
        let door = try door(elevator)
        door.onTransition { _ in #expect(throws: Never.self) { try elevator.fire.stop() } }
        try door.fire.open()
        #expect(elevator.isIn(StoppedState.self) && elevator.revision == 1)
    }

    final class TurningState: Composite, Entering {
        let door: StateMachine<Door>
        var regions: [any Region] { [door] }
        init(_ door: StateMachine<Door> = .init()) { self.door = door }
        func copied() -> TurningState { TurningState(door.copy()) }
        func didEnter(_ transition: StateTransition) { BuildingTests.turn(door) }
    }
    struct Turning: Workflow {
        static var initial: any WorkflowState { StoppedState() }
        let start = Event(from: StoppedState.self, to: TurningState.self)
        let go = Event(updating: TurningState.self).when { _ in true }.enters { TurningState($0.door) }
            .didFire { turning, _, _ in BuildingTests.turn(turning.door) }
    }

    fileprivate static func turn(_ door: StateMachine<Door>) {
        #expect(throws: Never.self) { if door.can.open { try door.fire.open() } else { try door.fire.shut() } }
    }

    @Test("An endless chain of conditions and transitions in the state ends at the limit")
    func endless() throws {
        let machine = StateMachine<Turning>()
        let heard = CallLog()
        machine.observe { if let reason = $0.reason { heard.write(reason) } }
        try machine.fire.start(TurningState())
        #expect(machine.revision == StateMachine<Turning>.chainLimit + 1)
        #expect(Set(heard.entries) == ["endlessChain"])
    }

    // MARK: Several machines

    @Test("An event fires when all machines of an array have ended, and never for an empty array")
    func array() throws {
        let building = StateMachine<Building>()
        let elevators = try busy(building)
        try elevators[0].fire.stop()
        #expect(building.isIn(BusyState.self))
        try elevators[1].fire.stop()
        #expect(building.isIn(ClosedState.self))
        #expect(building.journal.map(\.cause) == [.completion(["elevators"])])
        let empty = StateMachine<Building>(entering: BusyState([]))
        empty.activate()
        #expect(empty.isIn(BusyState.self))
        #expect(Building.diagnostics.isEmpty)
        #expect(Building.table["close"]?.triggers == [.completion])
    }

    final class HallState: Composite {
        let elevators: [StateMachine<Elevator>]
        var regions: [any Region] { elevators }
        init(_ elevators: [StateMachine<Elevator>]) { self.elevators = elevators }
        func copied() -> HallState { HallState(elevators.map { $0.copy() }) }
    }
    struct Hall: Workflow {
        static var initial: any WorkflowState { StoppedState() }
        let open = Event(from: StoppedState.self, to: HallState.self)
        let close = Event(from: HallState.self, to: ClosedState.self).whenFinal(\.elevators)
    }

    @Test("A machine of an array has the array's name and its index in the paths of occurrences and errors")
    func pathsInArrays() throws {
        let building = StateMachine<Building>()
        let elevators = try busy(building)
        let heard = CallLog()
        building.observe(regions: true) { heard.write($0.path ?? "") }
        let door = try door(elevators[1])
        try door.fire.open()
        #expect(heard.entries == ["elevators[1].door", "elevators[1]"])
        let error = #expect(throws: InvalidTransition.self) { try door.fire.open() }
        #expect(error?.path == "Building.elevators[1].door")
        #expect(error?.errorDescription?.hasPrefix("Door (Building.elevators[1].door) cannot") == true)
        #expect(heard.entries.last == "elevators[1].door")
    }

    /// A state whose front door has a property and is in an array, too.
    final class LobbyState: EmptyState, Composite {
        let signs = ["in", "out"]
        let front: StateMachine<Door>
        let doors: [any Region]
        let more: [StateMachine<Door>]? = [StateMachine(), StateMachine()]
        let none: [StateMachine<Door>] = []
        let cellar = Cellar()
        init() {
            front = StateMachine()
            doors = [front, StateMachine<Door>()]
        }
        convenience init(from decoder: any Decoder) throws { self.init() }
        func encode(to encoder: any Encoder) throws {}
        var regions: [any Region] { doors + (more ?? []) + [cellar.door] }
        func copied() -> LobbyState { LobbyState() }
    }
    final class Cellar: Sendable { let door = StateMachine<Door>() }
    struct Lobby: Workflow {
        static var initial: any WorkflowState { LobbyState() }
        let end = Event(from: LobbyState.self, to: StoppedState.self)
    }

    @Test("A machine's own property goes before an array, and a machine in neither has its workflow's name in a path")
    func namesOfPlaces() throws {
        let lobby = StateMachine<Lobby>()
        lobby.activate()
        let heard = CallLog()
        lobby.observe(regions: true) { heard.write($0.path ?? "") }
        let state = try #require(lobby.state as? LobbyState)
        for case let door as StateMachine<Door> in state.regions { try door.fire.open() }
        #expect(heard.entries == ["front", "doors[1]", "more[0]", "more[1]", "Door"])
        // A table is also that of other objects, which may have fewer machines.
        #expect(Lobby.table.regions.map(\.name) == ["front", "Door", "Door", "Door", "Door"])
    }

    @Test("A table knows the workflow of the machines in an array")
    func table() {
        #expect(Hall.table.regions.map(\.name) == ["elevators"])
        #expect(Hall.table.regions.first?.table.workflow == "Elevator")
    }
}
