import Heraclitus
import HeraclitusInspecting
import HeraclitusStores
import HeraclitusTesting
import Synchronization
import Testing

@testable import Fixtures

@Suite("Effects that a unit of work collects") struct EffectCollectionTests {
    typealias Box = StateMachine<Nesting>

    private let store = InMemoryStore()

    private var opened: [String?] {
        get async throws { try await store.workflow(Nesting.self).effects().map { $0.data["name"]?.stringValue } }
    }

    /// A workflow whose initial state has an effect.
    struct Greeting: Workflow {
        static var initial: any BoxState { OpenBoxState("begun") }
        static var effects: [any Effect.Type] { [Opened.self] }
        let open = Event(from: OpenBoxState.self, to: OpenBoxState.self)
    }

    @Test("An activation collects the effects of the initial state once, before effects of the first event")
    func activation() async throws {
        for id in ["activated", "fired"] {
            try await store.workflow(Greeting.self).update(id) { greeting in
                if id == "activated" { greeting.activate() } else { try greeting.fire.open(OpenBoxState("next")) }
            }
            try await store.workflow(Greeting.self).update(id) { $0.activate() }
        }
        let names = try await store.workflow(Greeting.self).effects().map { $0.data["name"]?.stringValue }
        #expect(names == ["begun", "begun", "next"])
    }

    @Test("A machine stored before its activation has its effects when a later unit of work activates it")
    func laterActivation() async throws {
        try await store.save(StateMachine<Greeting>(), as: "1", expecting: 0)
        #expect(try await store.workflow(Greeting.self).effects().isEmpty)
        try await store.workflow(Greeting.self).update("1") { $0.activate() }
        #expect(try await store.workflow(Greeting.self).effects().count == 1)
    }

    @Test("Effects of machines within a state are collected at any depth, in the same and in later units of work")
    func depth() async throws {
        try await store.workflow(Nesting.self).update("1") { root in
            let (middle, leaf) = (Box(), Box())
            try root.fire.hold(FullBoxState(middle, Box()))
            try middle.fire.hold(FullBoxState(leaf))
            try leaf.fire.open(OpenBoxState("leaf"))
            try root.boxes[1].fire.open(OpenBoxState("second"))
        }
        #expect(try await opened == ["leaf", "second"])
        try await store.workflow(Nesting.self).update("1") { root in
            let leaf = try #require(root.boxes.first?.boxes.first)
            try leaf.fire.open(OpenBoxState("again"))
            try leaf.fire.rename(OpenBoxState("renamed"))
        }
        #expect(try await opened == ["leaf", "second", "again"])
    }

    @Test("Entering a state collects the effects of all machines within it, at any depth")
    func wholeTree() async throws {
        try await store.workflow(Nesting.self).update("1") { root in
            let leaf = Box()
            try root.fire.hold(FullBoxState(Box(resumingIn: FullBoxState(leaf))))
            try leaf.fire.open(OpenBoxState("leaf"))
        }
        #expect(try await opened == ["leaf"])
    }

    @Test("An update that replaces a machine collects the new one, and an update that keeps it collects it once")
    func updates() async throws {
        try await store.workflow(Nesting.self).update("1") { root in
            let (first, second) = (Box(), Box())
            try root.fire.hold(FullBoxState(first))
            try first.fire.open(OpenBoxState("first"))
            try root.fire.refill(FullBoxState(first, second))
            try first.fire.open(OpenBoxState("first again"))
            try second.fire.open(OpenBoxState("second"))
            try root.fire.refill(FullBoxState(second))
            try second.fire.open(OpenBoxState("second again"))
        }
        #expect(try await opened == ["first", "first again", "second", "second again"])
    }

    @Test("Effects of machines within a state stay after the state is left, and a resumption adds none")
    func leaving() async throws {
        try await store.workflow(Nesting.self).update("1") { root in
            let box = Box()
            try root.fire.hold(FullBoxState(box))
            try box.fire.open(OpenBoxState("left"))
            try root.fire.shut()
            try root.fire.hold(FullBoxState(box))
            try root.fire.shut()
        }
        #expect(try await opened == ["left"])
        #expect(try await store.workflow(Nesting.self).machine("1")?.machine.isIn(ShutBoxState.self) == true)
    }

    @Test("Effects of events fired by a hook come after the effects of the entered state")
    func order() async throws {
        try await store.workflow(Nesting.self).update("1") { try $0.fire.hurry(EagerBoxState("eager")) }
        #expect(try await opened == ["eager", "eager within"])
    }

    /// Counts the reads of its effects.
    final class CountingState: EmptyState, Effecting {
        static let count = Atomic(0)
        var effects: [any Effect] {
            Self.count.add(1, ordering: .relaxed)
            return []
        }
    }

    struct Counting: Workflow {
        static var initial: any WorkflowState { ShutBoxState() }
        static var states: [any WorkflowState.Type] { [ShutBoxState.self] }
        let count = Event(to: CountingState.self)
    }

    @Test("The effects of a state are read once per entry, inside and outside a unit of work")
    func readOnce() async throws {
        try await store.workflow(Counting.self).update("1") { machine in
            for _ in 1...2 { try machine.fire.count() }
        }
        #expect(CountingState.count.load(ordering: .relaxed) == 2)
        let machine = StateMachine<Counting>()
        try machine.fire.count()
        #expect(CountingState.count.load(ordering: .relaxed) == 3)
    }

    @Test("A declined event and an attempt with a conflict leave no effects")
    func declined() async throws {
        struct Declined: Error {}
        var attempts = 0
        try await store.workflow(Nesting.self).update("1") { root in
            attempts += 1
            let isFirst = attempts == 1
            root.guarded(\.open) { _, state, _ in if state.name == "declined" { throw Declined() } }
            #expect(throws: InvalidTransition.self) { try root.fire.open(OpenBoxState("declined")) }
            try root.rehearse.open(OpenBoxState("rehearsed"))
            try root.fire.open(OpenBoxState("attempt \(attempts)"))
            if isFirst { try await store.workflow(Nesting.self).update("1") { $0.activate() } }
        }
        #expect(try await opened == ["attempt 2"])
    }

    @Test("An ended unit of work releases its machines", arguments: [false, true])
    func lifetime(fails: Bool) async throws {
        struct Stop: Error {}
        weak var machine: Box?
        weak var region: Box?
        do {
            try await store.workflow(Nesting.self).update("1") { root in
                let box = Box()
                try root.fire.hold(FullBoxState(box))
                try box.fire.open(OpenBoxState("a"))
                (machine, region) = (root, box)
                if fails { throw Stop() }
            }
        } catch is Stop {}
        #expect(machine == nil && region == nil)
    }
}
