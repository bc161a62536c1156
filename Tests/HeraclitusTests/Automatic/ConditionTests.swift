import HeraclitusInspecting
import HeraclitusStores
import HeraclitusTesting
import Testing

@testable import Fixtures
@testable import Heraclitus

@Suite("Events that fire under a condition", .timeLimit(.minutes(5))) struct ConditionTests {
    final class GatheringState: WorkflowState {
        let names: [String]
        init(_ names: [String] = []) { self.names = names }
    }
    final class ClosedState: WorkflowState {
        let names: [String]
        init(_ names: [String]) { self.names = names }
    }
    final class CrowdedState: EmptyState {}

    struct Table: Workflow {
        static var initial: any WorkflowState { GatheringState() }
        let add = Event(updating: GatheringState.self).enters { gathering, call in
            GatheringState(gathering.names + [call.userInfo["name", as: String.self] ?? "?"])
        }
        let overflow = Event(from: GatheringState.self, to: CrowdedState.self).when { $0.names.count > 3 }
            .guarded { gathering, _, _ in if gathering.names.count == 4 { throw Objection() } }
        let close = Event(from: GatheringState.self, to: ClosedState.self)
            .when { $0.names.count == 2 || $0.names.count == 4 }
            .enters { ClosedState($0.names) }
        let reopen = Event(from: ClosedState.self, to: GatheringState.self)
    }

    @Test("A condition is checked at entry, update and restore, and fires in the same turn")
    func asked() throws {
        let machine = StateMachine<Table>()
        let journal = CallLog()
        machine.onTransition { journal.write($0.event ?? "") }
        try machine.fire.add(userInfo: ["name": "a"])
        #expect(machine.isIn(GatheringState.self))
        try machine.fire.add(userInfo: ["name": "b"])
        #expect((machine.state as? ClosedState)?.names == ["a", "b"])
        try machine.fire.reopen(GatheringState(["c", "d"]))
        #expect(machine.isIn(ClosedState.self))
        #expect(journal.entries == ["add", "add", "close", "reopen", "close"])
        let restored = StateMachine<Table>(resumingIn: GatheringState(["e", "f"]))
        #expect(restored.isIn(GatheringState.self))
        restored.activate()
        #expect(restored.isIn(ClosedState.self))
        let new = StateMachine<Table>(entering: GatheringState(["g", "h"]))
        new.activate()
        #expect(new.isIn(ClosedState.self))
    }

    @Test("A declined event leaves the next one to fire, and is tried again after the next update")
    func declined() throws {
        let machine = StateMachine<Table>(entering: GatheringState(["a", "b", "c"]))
        let heard = CallLog()
        machine.observe { heard.write("\($0.kind) \($0.event ?? "")") }
        try machine.fire.add()
        // `overflow` was declined with four, and `close` did not hold before.
        #expect(machine.isIn(ClosedState.self))
        #expect(heard.entries == ["transitioned add", "rejected overflow", "transitioned close"])
    }

    @Test("A machine with only conditions has no activity")
    func light() {
        let machine = StateMachine<Table>()
        #expect(machine.core.activity == nil)
    }

    @Test("A store's unit of work fires conditions as memory does")
    func stored() async throws {
        let store = InMemoryStore()
        try await store.workflow(Table.self).update("1") { try $0.fire.add(userInfo: ["name": "a"]) }
        let heard = CallLog()
        try await store.workflow(Table.self).update("1") { machine in
            try machine.fire.add(userInfo: ["name": "b"])
            #expect(machine.isIn(ClosedState.self))
        } saved: { transitions in
            for transition in transitions { heard.write(transition.event ?? "") }
        }
        #expect(heard.entries == ["add", "close"])
        #expect(await store.load("1")?.state == "ClosedState")
        // A condition added after the machine was stored is checked when the unit of work activates it.
        func create() -> StateMachine<Table> { StateMachine(resumingIn: GatheringState(["x", "y"])) }
        try await store.workflow(Table.self).update("2", creating: create) { $0.activate() }
        #expect(await store.load("2")?.state == "ClosedState")
    }

    final class LoopState: WorkflowState {
        let count: Int
        init(_ count: Int) { self.count = count }
    }
    struct Loop: Workflow {
        static var initial: any WorkflowState { LoopState(0) }
        let grow = Event(updating: LoopState.self).when { $0.count < 5 }.enters { LoopState($0.count + 1) }
        let leap = Event(updating: LoopState.self).when { $0.count > 100 }.enters { LoopState($0.count + 1) }
        let set = Event(updating: LoopState.self)
    }

    @Test("An event that updates its state fires until its condition is false, and endless chains are rejected")
    func endless() throws {
        let machine = StateMachine<Loop>()
        machine.activate()
        #expect((machine.state as? LoopState)?.count == 5)
        let heard = CallLog()
        machine.observe { if $0.kind == .rejected { heard.write("\($0.reason.map { "\($0)" } ?? "")") } }
        machine.observe { if $0.kind == .rejected { #expect("\($0)".contains("conditions that stay true")) } }
        try machine.fire.set(LoopState(1_000))
        #expect((machine.state as? LoopState)?.count == 1_000 + StateMachine<Loop>.chainLimit)
        #expect(heard.entries == ["endlessChain"])
    }

    @Test("An event already fired by a callback comes first")
    func callback() throws {
        let machine = StateMachine<Table>()
        machine.didEnter(GatheringState.self) { gathering, transition in
            if gathering.names.count == 2 {
                try? transition.machine(as: Table.self)?.fire.add(userInfo: ["name": "late"])
            }
        }
        try machine.fire.close(ClosedState(["z"]))
        try machine.fire.reopen(GatheringState(["a", "b"]))
        #expect((machine.state as? GatheringState)?.names == ["a", "b", "late"])
    }

    @Test("Tables and diagrams show the trigger of the event")
    func table() {
        #expect(Table.table["close"]?.triggers == [.condition])
        #expect(Table.table.diagram(.mermaid).contains("close #40;on condition#41;"))
    }
}

@Suite("Events that fire after work", .timeLimit(.minutes(5))) struct WorkDoneTests {
    final class RestState: EmptyState {}
    final class ConvertingState: WorkflowState, Working {
        let file: String
        init(file: String) { self.file = file }
        func work(_ call: WorkCall<Conversion>) async throws {
            call.context.begun.open()
            try await call.context.released.wait()
        }
    }
    final class ConvertedState: WorkflowState {
        let file: String
        init(file: String) { self.file = file }
    }

    final class Bench: Sendable {
        let begun = Latch()
        let released = Latch()
    }

    struct Conversion: Workflow {
        typealias Context = Bench
        static var initial: any WorkflowState { RestState() }
        let start = Event(from: RestState.self, to: ConvertingState.self)
        let rename = Event(updating: ConvertingState.self)
        let stop = Event(from: ConvertingState.self, to: RestState.self)
        let done = Event(from: ConvertingState.self, to: ConvertedState.self).whenDone()
            .enters { ConvertedState(file: $0.file) }
    }

    private func started(_ bench: Bench) throws -> StateMachine<Conversion> {
        let machine = StateMachine<Conversion>(context: bench)
        try machine.fire.start(ConvertingState(file: "a"))
        return machine
    }

    @Test("An event fires after work has returned, from the latest data")
    func done() async throws {
        let bench = Bench()
        let machine = try started(bench)
        try await bench.begun.wait()
        try machine.fire.rename(ConvertingState(file: "b"))
        #expect(machine.isIn(ConvertingState.self))
        bench.released.open()
        #expect(try await machine.wait(for: ConvertedState.self).file == "b")
        await machine.settled()
        #expect(machine.revision == 3)
    }

    @Test("No event fires after the machine has left the state")
    func left() async throws {
        let bench = Bench()
        let machine = try started(bench)
        try await bench.begun.wait()
        try machine.fire.stop()
        bench.released.open()
        await machine.settled()
        #expect(machine.isIn(RestState.self) && machine.revision == 2)
    }

    @Test("The event fires in a run, and not after a cancelled run")
    func run() async throws {
        let bench = Bench()
        let machine = try started(bench)
        bench.released.open()
        try await machine.run()
        #expect(machine.isIn(ConvertedState.self))
        let other = Bench()
        // The run activates this machine, so its work belongs to the run from the beginning.
        let cancelled = StateMachine<Conversion>(resumingIn: ConvertingState(file: "b"), context: other)
        let task = Task { try await cancelled.run() }
        try await other.begun.wait()
        task.cancel()
        other.released.open()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(cancelled.isIn(ConvertingState.self))
    }

    struct Idle: Workflow {
        static var initial: any WorkflowState { RestState() }
        let done = Event(from: RestState.self, to: RestState.self).whenDone()
    }

    @Test("An event that follows work in states without work, or a second one, is a problem of the definition")
    func problems() {
        #expect(Idle.diagnostics.facts == ["eventWithoutWork done"])
        #expect(Conversion.diagnostics.isEmpty)
        #expect(Conversion.table["done"]?.triggers == [.done])
    }
}
