import Heraclitus
import Synchronization
import Testing

/// Machines whose last reference is released while they are fired.
@Suite("Machines that only their caller retains") struct CallersMachineTests {
    private final class OffState: EmptyState {}

    private final class OnState: EmptyState {}

    private struct Lamp: Workflow {
        static var initial: any WorkflowState { OffState() }
        let on = Event(from: OffState.self, to: OnState.self)
        let off = Event(from: OnState.self, to: OffState.self)
    }

    private final class RoomState: Composite {
        let lamp: StateMachine<Lamp>
        init(lamp: StateMachine<Lamp>) { self.lamp = lamp }
        var regions: [any Region] { [lamp] }
        func copied() -> RoomState { RoomState(lamp: lamp.copy()) }
    }

    private struct Room: Workflow {
        static var initial: RoomState { RoomState(lamp: StateMachine()) }
        let change = Event(updating: RoomState.self)
    }

    private final class Owner<W: Workflow>: Sendable {
        let machine: Mutex<StateMachine<W>?>
        init(_ machine: StateMachine<W>) { self.machine = Mutex(machine) }
        func letGo() { machine.withLock { $0 = nil } }
    }

    @Test("A machine released by its own callback carries out all fires, and is gone then")
    func letGoInCallback() throws {
        weak var gone: StateMachine<Lamp>?
        let states = Mutex<[String]>([])
        do {
            let owner = Owner(StateMachine<Lamp>())
            gone = owner.machine.withLock { $0 }
            gone?.willFire(\.on) { _, _, _ in owner.letGo() }
            gone?.didFire(\.on) { _, _, transition in
                let machine = transition.machine(as: Lamp.self)
                states.withLock { $0.append(machine?.stateName ?? "none") }
                do { try machine?.fire.off() } catch { Issue.record(error) }
            }
            gone?.didFire(\.off) { _, _, transition in states.withLock { $0.append(transition.description) } }
            try owner.machine.withLock { $0 }?.fire.on()
        }
        #expect(states.withLock { $0 } == ["OnState", "off: OnState → OffState"])
        #expect(gone == nil)
    }

    @Test("A machine whose holder is released by the inner machine's callback ends its transition there")
    func letGoOfHolder() throws {
        weak var gone: StateMachine<Room>?
        let lamp: StateMachine<Lamp>
        do {
            let owner = Owner(StateMachine<Room>())
            gone = owner.machine.withLock { $0 }
            lamp = try #require(gone).state.lamp
            try #require(gone).activate()
            lamp.willFire(\.on) { _, _, _ in owner.letGo() }
        }
        try lamp.fire.on()
        #expect(lamp.stateName == "OnState")
        #expect(gone == nil)
    }

    @Test("A machine that only the call retains is fired, rejects, and is rehearsed")
    func temporary() throws {
        try StateMachine<Lamp>().fire.on()
        try StateMachine<Lamp>().rehearse.on()
        #expect(throws: InvalidTransition.self) { try StateMachine<Lamp>().fire.off() }
    }
}
