import Heraclitus
import Observation
import Synchronization
import Testing

@testable import Fixtures

@Suite("Observation", .timeLimit(.minutes(20))) @MainActor struct ObservationTests {
    private func change(of value: @autoclosure () -> some Any) -> AtomicFlag {
        let flag = AtomicFlag()
        withObservationTracking {
            _ = value()
        } onChange: {
            flag.raise()
        }
        return flag
    }

    /// Waits on the main actor for a condition.
    private func eventually(_ condition: () -> Bool) async -> Bool {
        let end = ContinuousClock.now + .seconds(300)
        while ContinuousClock.now < end {
            if condition() { return true }
            await Task.yield()
        }
        return false
    }

    @Test("A view is told when a property that it has read changes")
    func onMain() async throws {
        let door = ObservableMachine(StateMachine<Door>())
        let changes = [
            change(of: door.state), change(of: door.stateName), change(of: door.can.open),
            change(of: door.machine.isIn(OpenState.self)), change(of: door.allowedEvents), change(of: door.rehearse),
            change(of: door.machine.eventAvailability().count), change(of: door.machine.revision),
        ]
        #expect(changes.allSatisfy { !$0.isRaised })
        try door.fire.open(OpenState())
        #expect(await eventually { changes.allSatisfy(\.isRaised) })
        #expect(door.state is OpenState && door.stateName == "OpenState" && !door.can.open)
        // Its events are its methods, too.
        let another = change(of: door.state)
        #expect(throws: InvalidTransition.self) { try door.lock(LockedState(1)) }
        for _ in 0..<100 { await Task.yield() }
        #expect(!another.isRaised)
        try door.close()
        #expect(await eventually { another.isRaised })
    }

    /// A view that reads again after each change.
    @MainActor final class View {
        let door: ObservableMachine<Door>
        var seen: [String] = []

        init(_ door: ObservableMachine<Door>) { self.door = door }

        func look() {
            withObservationTracking {
                seen.append(door.stateName)
            } onChange: {
                Task { @MainActor in self.look() }
            }
        }
    }

    @Test("A transition on another thread is told on the main actor, and not missed")
    func elsewhere() async throws {
        let machine = StateMachine<Door>()
        let door = ObservableMachine(machine)
        let view = View(door)
        view.look()
        let done = onThread {
            for _ in 0..<200 {
                try? machine.fire.open(OpenState())
                try? machine.fire.close()
            }
            try? machine.fire.smash()
        }
        while view.seen.last != "SmashedState" { await Task.yield() }
        #expect(view.seen.first == "ClosedState")
        while !done.comes(within: 0) { await Task.yield() }
    }

    @Test("A view that has read a region's state is told when the region moves")
    func regions() async throws {
        let order = ObservableMachine(StateMachine<Forest.Order>())
        try order.place(Forest.PlacedState())
        let changes = [change(of: order.machine.isIn(Forest.BusyState.self)), change(of: order.stateName)]
        try order.machine.first.fire.begin(Forest.BusyState())
        #expect(await eventually { changes.allSatisfy(\.isRaised) })
        #expect(order.machine.isIn(Forest.BusyState.self) && order.machine.isIn(Forest.PlacedState.self))
        let further = change(of: order.state)
        try order.machine.first.lamp.fire.light()
        #expect(await eventually { further.isRaised })
        #expect(order.machine.isIn(Forest.LitState.self))
        let none = change(of: order.state)
        #expect(throws: InvalidTransition.self) { try order.machine.first.lamp.fire.light() }
        for _ in 0..<100 { await Task.yield() }
        #expect(!none.isRaised)
    }

    @Test("The observing object is released with its owner, and notifications end")
    func released() async throws {
        let machine = StateMachine<Door>()
        var door: ObservableMachine? = ObservableMachine(machine)
        weak let weakDoor = door
        let told = change(of: door?.state)
        door = nil
        #expect(weakDoor == nil)
        try machine.fire.open(OpenState())
        for _ in 0..<100 { await Task.yield() }
        #expect(!told.isRaised)
    }
}

final class AtomicFlag: Sendable {
    private let value = Atomic(false)
    var isRaised: Bool { value.load(ordering: .acquiring) }
    func raise() { value.store(true, ordering: .releasing) }
}
