import Heraclitus
import Testing

@testable import Fixtures

@Suite("The context of machines within states") struct RegionContextTests {
    /// The holder's context, of another type than the region's.
    struct Keys: Sendable {
        let journal: CallLog
    }
    final class ClosedState: EmptyState {}
    final class OpenState: Composite {
        let bench: StateMachine<Bench>
        init(bench: StateMachine<Bench>) { self.bench = bench }
        var regions: [any Region] { [bench] }
        func copied() -> OpenState { OpenState(bench: bench.copy()) }
    }
    struct Workshop: Workflow {
        typealias Context = Keys
        static var initial: any WorkflowState { ClosedState() }
        let open = Event(from: ClosedState.self, to: OpenState.self)
        let close = Event(from: OpenState.self, to: ClosedState.self)
    }

    final class Tools: Sendable {
        let journal = CallLog()
        let lastExit = Lock<StateTransition?>(nil)

        struct Observed {
            weak var tools: Tools?
        }
    }
    final class ToolState: EmptyState, Entering, Exiting, ExitPreparing, Restoring {
        func didEnter(_ transition: StateTransition) { write("didEnter", transition) }
        func didRestore(_ transition: StateTransition) { write("didRestore", transition) }
        func willExit(_ transition: StateTransition) { write("willExit", transition) }
        func didExit(_ transition: StateTransition) { write("didExit", transition) }
        private func write(_ line: String, _ transition: StateTransition) {
            let tools = transition.context(as: Bench.self)
            tools.journal.write(line)
            if line == "didExit" { tools.lastExit.withLock { $0 = transition } }
        }
    }
    struct Bench: Workflow {
        typealias Context = Tools
        static var initial: any WorkflowState { ToolState() }
        let use = Event(from: ToolState.self, to: ToolState.self)
    }

    /// A holder whose context is also that of its region.
    struct Shed: Workflow {
        typealias Context = Tools
        static var initial: any WorkflowState { ClosedState() }
        let open = Event(from: ClosedState.self, to: OpenState.self)
        let close = Event(from: OpenState.self, to: ClosedState.self)
    }

    @Test("A decoded machine gets its context from the machine whose state holds it")
    func inherited() throws {
        let tools = Tools()
        let shed = StateMachine<Shed>(context: tools)
        try shed.fire.open(OpenState(bench: StateMachine(context: tools)))
        #expect(tools.journal.entries == ["didEnter"])
        let other = Tools()
        let restored = try StateMachine<Shed>(archive: shed.archive(), context: other)
        let bench = try #require(restored.state as? OpenState).bench
        #expect(bench.context == nil)
        try bench.fire.use()
        #expect(other.journal.entries == ["didRestore", "willExit", "didExit", "didEnter"])
        #expect(tools.journal.entries.count == 1)
        try restored.fire.close()
        #expect(other.journal.entries.suffix(2) == ["willExit", "didExit"])
    }

    @Test("A region's state that is left with the holder's gets the region's context")
    func leaving() throws {
        let (keys, tools) = (Keys(journal: CallLog()), Tools())
        let workshop = StateMachine<Workshop>(context: keys)
        let bench = StateMachine<Bench>(context: tools)
        try workshop.fire.open(OpenState(bench: bench))
        workshop.onTransition { $0.context(as: Workshop.self).journal.write("\($0.event ?? "")") }
        try workshop.fire.close()
        #expect(tools.journal.entries == ["didEnter", "willExit", "didExit"])
        #expect(keys.journal.entries == ["close"])
        try workshop.fire.open(OpenState(bench: bench))
        #expect(tools.journal.entries.last == "didRestore")
    }

    @Test("A kept transition of leaving a region keeps the context, too")
    func kept() throws {
        func left() throws -> (StateTransition?, Tools.Observed) {
            let tools = Tools()
            let workshop = StateMachine<Workshop>(context: Keys(journal: CallLog()))
            try workshop.fire.open(OpenState(bench: StateMachine(context: tools)))
            try workshop.fire.close()
            return (tools.lastExit.withLock { $0.take() }, Tools.Observed(tools: tools))
        }
        var (transition, observed) = try left()
        #expect(transition?.context(as: Bench.self).journal.entries.last == "didExit")
        transition = nil
        #expect(observed.tools == nil)
    }

    final class DoneState: EmptyState {}
    struct Part: Workflow {
        static var initial: any WorkflowState { ClosedState() }
        let end = Event(from: ClosedState.self, to: DoneState.self)
    }
    struct EquippedPart: Workflow {
        typealias Context = Tools
        static var initial: any WorkflowState { ClosedState() }
        let end = Event(from: ClosedState.self, to: DoneState.self)
    }
    final class PartsState: Composite {
        let plain: StateMachine<Part>
        let equipped: StateMachine<EquippedPart>
        init(plain: StateMachine<Part>, equipped: StateMachine<EquippedPart>) {
            (self.plain, self.equipped) = (plain, equipped)
        }
        var regions: [any Region] { [plain, equipped] }
        func copied() -> PartsState { PartsState(plain: plain.copy(), equipped: equipped.copy()) }
    }
    struct Whole: Workflow {
        static var initial: any WorkflowState { ClosedState() }
        let open = Event(from: ClosedState.self, to: PartsState.self)
        let end = Event(from: PartsState.self, to: DoneState.self).whenFinal(\.plain, \.equipped)
    }

    @Test(
        "The last machine to end may be one that gets its context later",
        arguments: [true, false]
    )
    func givenLater(isLast: Bool) throws {
        let whole = StateMachine<Whole>()
        try whole.fire.open(PartsState(plain: StateMachine(), equipped: StateMachine(context: Tools())))
        let parts = try #require(whole.state as? PartsState)
        try parts.equipped.fire.end()
        let restored = try StateMachine<Whole>(archive: whole.archive())
        restored.activate()
        let later = try #require(restored.state as? PartsState)
        #expect(!later.equipped.isActive && later.plain.isActive)
        if isLast { try later.plain.fire.end() }
        later.equipped.activate(context: Tools())
        if !isLast {
            #expect(restored.state is PartsState && restored.revision == 1)
            try later.plain.fire.end()
        }
        #expect(restored.state is DoneState && restored.revision == 2)
    }

    final class BoundState: WorkflowState {
        let tools: Tools
        init(_ tools: Tools) { self.tools = tools }
        required init(from decoder: any Decoder) throws { tools = Tools() }
        func encode(to encoder: any Encoder) throws {}
    }
    struct Binding: Workflow {
        typealias Context = Tools
        static var initial: any WorkflowState { ClosedState() }
        let open = Event(from: ClosedState.self, to: PartsState.self)
        let end = Event(from: PartsState.self, to: BoundState.self)
            .whenFinal(\.plain, \.equipped).enters { _, call in BoundState(call.context) }
    }

    @Test("The destination after ended machines may be built with their holder's context")
    func builtWithContext() throws {
        let (outer, inner) = (Tools(), Tools())
        let binding = StateMachine<Binding>(context: outer)
        try binding.fire.open(PartsState(plain: StateMachine(), equipped: StateMachine(context: inner)))
        let parts = try #require(binding.state as? PartsState)
        try parts.plain.fire.end()
        #expect(binding.state is PartsState)
        try parts.equipped.fire.end()
        #expect((binding.state as? BoundState)?.tools === outer)
    }

    final class LeafState: EmptyState, Exiting {
        func didExit(_ transition: StateTransition) {
            let tools = transition.context(as: Node.self)
            tools.journal.write("left")
        }
    }
    final class BranchState: Composite {
        let child: StateMachine<Node>
        init(_ child: StateMachine<Node>) { self.child = child }
        var regions: [any Region] { [child] }
        func copied() -> BranchState { BranchState(child.copy()) }
    }
    struct Node: Workflow {
        typealias Context = Tools
        static var initial: any WorkflowState { LeafState() }
        let grow = Event(from: LeafState.self, to: BranchState.self)
        let cut = Event(from: BranchState.self, to: ClosedState.self)
    }

    @Test("A region of its holder's own workflow has its own context, also when it is left with the holder's state")
    func sameWorkflow() throws {
        let (outer, inner) = (Tools(), Tools())
        let machine = StateMachine<Node>(context: outer)
        try machine.fire.grow(BranchState(StateMachine(context: inner)))
        #expect(outer.journal.entries == ["left"] && inner.journal.entries.isEmpty)
        try machine.fire.cut()
        #expect(outer.journal.entries == ["left"] && inner.journal.entries == ["left"])
    }

    @Test("A region of a restored machine is rehearsed with its holder's context")
    func rehearsed() throws {
        let tools = Tools()
        let shed = StateMachine<Shed>(context: tools)
        try shed.fire.open(OpenState(bench: StateMachine(context: tools)))
        let restored = try StateMachine<Shed>(archive: shed.archive(), context: tools)
        let bench = try #require(restored.state as? OpenState).bench
        #expect(bench.eventAvailability().allSatisfy { $0.rejection == nil })
        #expect(throws: Never.self) { try bench.rehearse.use() }
        #expect(!bench.isActive && !restored.isActive)
    }
}
