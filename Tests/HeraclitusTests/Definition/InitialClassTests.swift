import Heraclitus
import HeraclitusInspecting
import HeraclitusStores
import HeraclitusTesting
import Testing

@testable import Fixtures

@Suite("Workflows whose machines begin with data") struct InitialClassTests {
    protocol ParcelState: WorkflowState { var address: String { get } }
    final class PackedState: ParcelState, Entering {
        let address: String
        init(_ address: String) { self.address = address }
        func didEnter(_ transition: StateTransition) {}
    }
    final class SentState: ParcelState {
        let address: String
        init(_ packed: PackedState) { address = packed.address }
    }
    struct Parcel: Workflow {
        typealias AnyState = any ParcelState
        static var initial: PackedState.Type { PackedState.self }
        let send = Event(from: PackedState.self, to: SentState.self).enters { SentState($0) }
    }

    @Test("A machine is made in a state, fired, archived and restored as any other")
    func machine() throws {
        #expect(Parcel.diagnostics.isEmpty && Parcel.findings.isEmpty)
        let machine = StateMachine<Parcel>(entering: PackedState("here"))
        #expect(machine.state.address == "here")
        try machine.fire.send()
        let restored = try StateMachine<Parcel>(archive: machine.archive())
        #expect(restored.state.address == "here" && restored.isIn(SentState.self))
    }

    @Test("Tables and diagrams begin with the class")
    func table() {
        #expect(Parcel.table.initial == "PackedState" && Parcel.table.finals == ["SentState"])
        #expect(Parcel.table.diagram(.mermaid).contains("[*] -->"))
    }

    @Test("An initial state may have its own type beside that of all states")
    func typedInitial() throws {
        struct Letter: Workflow {
            typealias AnyState = any WorkflowState
            static var initial: WrittenState { WrittenState() }
            let post = Event(from: WrittenState.self, to: PostedState.self)
        }
        final class WrittenState: EmptyState {}
        final class PostedState: EmptyState {}
        #expect(Letter.diagnostics.isEmpty && Letter.table.initial == "WrittenState")
        let machine = StateMachine<Letter>(entering: Letter.initial)
        try machine.fire.post()
        #expect(machine.stateName == "PostedState")
    }

    @Test("A unit of work for an unknown id is an error without a way to make the machine")
    func stored() async throws {
        let store = InMemoryStore()
        let error = await #expect(throws: StoreError.self) {
            try await store.workflow(Parcel.self).update("1") { try $0.fire.send() }
        }
        #expect(error.map { "\($0)" }?.hasPrefix("Nothing is stored for \"1\"") == true)
        func create() -> StateMachine<Parcel> { StateMachine(entering: PackedState("here")) }
        try await store.workflow(Parcel.self).update("1", creating: create) { try $0.fire.send() }
        #expect(await store.load("1")?.state == "SentState")
    }

    @Test("An exercise begins with a sample of the initial class")
    func exercised() throws {
        let report = try exercise(Parcel.self, samples: [.state(PackedState("here"))])
        #expect(report.untried.isEmpty && report.steps > 0)
        let failure = #expect(throws: ExerciseFailure.self) { try exercise(Parcel.self) }
        #expect(failure.map { "\($0.problem)" } == "No sample makes PackedState.")
    }

    final class Other: WorkflowState {
        let count: Int
        init(_ count: Int) { self.count = count }
    }
    struct Stray: Workflow {
        typealias AnyState = any ParcelState
        static var initial: Other.Type { Other.self }
        let send = Event(from: PackedState.self, to: SentState.self)
    }
    struct Text: Workflow {
        typealias AnyState = any ParcelState
        static var initial: String { "packed" }
        let send = Event(from: PackedState.self, to: SentState.self)
    }

    struct Untyped: Workflow {
        static var initial: PackedState.Type { PackedState.self }
    }

    @Test("An initial class outside the workflow's states, or no class, is a problem of the definition")
    func problems() {
        #expect(Stray.diagnostics.facts == ["unregisteredInitialState Other"])
        #expect(Text.diagnostics.facts == ["initialStateIsNoClass String"])
        #expect(Untyped.diagnostics.first?.description.contains("`typealias AnyState = any …`") == true)
    }
}
