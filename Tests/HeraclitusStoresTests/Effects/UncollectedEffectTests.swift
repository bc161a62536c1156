import Heraclitus
import HeraclitusInspecting
import HeraclitusStores
import HeraclitusTesting
import Testing

@testable import Fixtures

@Suite("Effects outside units of work") struct UncollectedEffectTests {
    typealias Box = StateMachine<Nesting>

    private let store = InMemoryStore()

    /// Expects an error with the id and the name of a state.
    private func expectRefusal(_ state: String = "OpenBoxState", _ body: () async throws -> Void) async {
        let error = await #expect(throws: StoreError.self) { try await body() }
        guard case .uncollectedEffects("1", let found) = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(found == state)
    }

    @Test("A machine made and fired outside a unit of work is rejected, and the store stays unchanged")
    func made() async throws {
        let box = Box()
        try box.fire.open(OpenBoxState("a"))
        try box.fire.shut()
        await expectRefusal { try await store.save(box, as: "1", expecting: 0) }
        #expect(await store.load("1") == nil)
    }

    @Test("A machine loaded and fired outside a unit of work is rejected, and the stored machine stays")
    func loaded() async throws {
        try await store.workflow(Nesting.self).update("1") { try $0.fire.open(OpenBoxState("a")) }
        let (box, revision) = try #require(try await store.workflow(Nesting.self).machine("1"))
        try box.fire.open(OpenBoxState("b"))
        let stored = try #require(await store.load("1"))
        await expectRefusal { try await store.save(box, as: "1", expecting: revision) }
        #expect(await store.load("1") == stored)
    }

    @Test("A machine is rejected if an inner machine fired outside a unit of work, even after its state was left")
    func region() async throws {
        try await store.workflow(Nesting.self).update("1") { try $0.fire.hold(FullBoxState(Box())) }
        let (root, revision) = try #require(try await store.workflow(Nesting.self).machine("1"))
        try await store.save(root, as: "2", expecting: 0)
        try root.boxes[0].fire.open(OpenBoxState("a"))
        await expectRefusal { try await store.save(root, as: "1", expecting: revision) }
        try root.fire.shut()
        await expectRefusal { try await store.save(root, as: "1", expecting: revision) }
    }

    @Test("A machine fired before it came into a state is rejected there, also in a unit of work")
    func earlierRegion() async throws {
        let box = Box()
        try box.fire.open(OpenBoxState("a"))
        await expectRefusal {
            try await store.workflow(Nesting.self).update("1") { root in
                let middle = Box()
                try root.fire.hold(FullBoxState(middle))
                try middle.fire.hold(FullBoxState(box))
            }
        }
        #expect(await store.load("1") == nil)
    }

    @Test("A machine made by events with effects is rejected before the unit of work begins")
    func creating() async throws {
        func made() throws -> Box {
            let box = Box()
            try box.fire.open(OpenBoxState("a"))
            return box
        }
        await expectRefusal {
            try await store.workflow(Nesting.self).update("1", creating: made) { _ in _ = Issue.record("It has begun.")
            }
        }
        func held() throws -> Box { Box(resumingIn: FullBoxState(try made())) }
        await expectRefusal {
            try await store.workflow(Nesting.self).update("1", creating: held) { _ in _ = Issue.record("It has begun.")
            }
        }
        func new() -> Box { Box() }
        try await store.workflow(Nesting.self).update("1", creating: new) { try $0.fire.open(OpenBoxState("b")) }
        #expect(try await store.workflow(Nesting.self).effects().count == 1)
    }

    @Test(
        "A machine saved after its unit of work keeps one set of effects, and its inner machines decline fires"
    )
    func afterUnit() async throws {
        let (root, box) = try await store.workflow(Nesting.self).update("1") { root in
            let box = Box()
            try root.fire.hold(FullBoxState(box))
            try box.fire.open(OpenBoxState("a"))
            return (root, box)
        }
        let revision = try await store.save(root, as: "1", expecting: 1)
        #expect(try await store.workflow(Nesting.self).effects().count == 1)
        let error = #expect(throws: InvalidTransition.self) { try box.fire.open(OpenBoxState("b")) }
        guard error?.reason == .declined, case StoreError.unitEnded("1")? = error?.underlyingError else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(try await store.save(root, as: "1", expecting: revision) == revision + 1)
    }

    @Test("A machine whose unit of work has failed is rejected, because its effects are unsaved")
    func failedUnit() async throws {
        struct Stop: Error {}
        var kept: Box?
        do {
            try await store.workflow(Nesting.self).update("1") { root in
                try root.fire.open(OpenBoxState("a"))
                kept = root
                throw Stop()
            }
        } catch is Stop {}
        let box = try #require(kept)
        await expectRefusal { try await store.save(box, as: "1", expecting: 0) }
    }

    @Test("States without effects, updates, restorations and copies leave a machine valid for saving")
    func none() async throws {
        let tolling = StateMachine<Tolling>()
        try tolling.fire.toll(TollingState(0))
        try await store.save(tolling, as: "tolling", expecting: 0)
        let box = Box(resumingIn: OpenBoxState("a"))
        try box.fire.rename(OpenBoxState("b"))
        try await store.save(box, as: "box", expecting: 0)
        try box.fire.open(OpenBoxState("c"))
        try await store.save(box.copy(), as: "copy", expecting: 0)
        #expect(try await store.workflow(Nesting.self).effects().isEmpty)
    }

    @Test("The error names the machine and the state, and the way to keep the effects")
    func text() {
        let text = "\(StoreError.uncollectedEffects(id: "42", state: "PaidState"))"
        #expect(
            text == "The machine of \"42\" has entered PaidState outside of a unit of work, "
                + "and its effects would be lost. Fire the event in the closure of `update`, which saves the effects with the machine."
        )
    }
}
