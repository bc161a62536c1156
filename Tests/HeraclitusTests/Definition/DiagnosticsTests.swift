import Heraclitus
import Testing

@testable import Fixtures

@Suite("Definitions") struct DiagnosticsTests {
    final class OneState: WorkflowState, EmptyState { static var name: String { "Same" } }
    final class TwoState: WorkflowState, EmptyState { static var name: String { "Same" } }
    final class BlankState: WorkflowState, EmptyState { static var name: String { " " } }
    final class ThirdState: WorkflowState, EmptyState {}
    final class StrangerState: WorkflowState, EmptyState {}

    struct Wrong: Workflow {
        static var initial: any WorkflowState { StrangerState() }
        static var name: String { "" }
        static var version: Int { 0 }
        static let shared = Event(from: OneState.self, to: ThirdState.self)

        let first = Event("twice", from: OneState.self, to: TwoState.self)
        let second = Event("twice", from: TwoState.self, to: BlankState.self)
        let blank = Event("  ", from: OneState.self, to: TwoState.self)
        let empty = Event(from: [], to: [ThirdState.self])
        let third = shared
        let fourth = shared
        let ignoring = Event(from: ThirdState.self, to: OneState.self).ignored(in: ThirdState.self)
        let updating = Event(updating: ThirdState.self).or(from: ThirdState.self, to: ThirdState.self)
    }

    @Test("All problems of a wrong definition are found at once, with names")
    func all() {
        let problems = Wrong.diagnostics
        let path = "HeraclitusTests.DiagnosticsTests"
        #expect(
            problems.facts == [
                "blankWorkflowName",
                "badVersion 0",
                "blankStateName \(path).BlankState",
                "duplicateStateName Same \(path).OneState \(path).TwoState",
                "blankEventName blank",
                "duplicateEventName twice first second",
                "emptyEvent empty",
                "contradictoryIgnore ignoring ThirdState",
                "contradictoryUpdate updating ThirdState",
                "unregisteredInitialState StrangerState",
                "sharedEvent third fourth",
            ]
        )
        #expect(problems.allSatisfy { $0.description.hasSuffix(".") && $0.stopsTheProgram })
        #expect(problems[0].description == "The workflow's name is blank. Give it a name.")
        #expect(problems[2].description.hasPrefix("The name of the state `\(path).BlankState` is blank."))
        #expect(problems[3].description.hasPrefix("Several states have the name \"Same\": \(path).OneState, "))
        #expect(problems[4].description == "The name of the event `blank` is blank. Give it a name.")
        #expect(problems[5].description.hasPrefix("Several events have the name \"twice\": first, second. "))
        #expect(problems[6].description.hasPrefix("The event \"empty\" leads nowhere"))
    }

    struct Optionally: Workflow {
        static var initial: (any WorkflowState)? { ThirdState() }
        let go = Event(from: ThirdState.self, to: StrangerState.self)
    }

    final class FailingState: WorkflowState, EmptyState, Error {}

    struct Boxed: Workflow {
        static var initial: any Error { FailingState() }
        let go = Event(from: FailingState.self, to: FailingState.self)
    }

    @Test("States that are not handed out as an object are a problem")
    func unsuitableType() {
        #expect(Optionally.diagnostics.facts == ["unsuitableStateType Optional<WorkflowState>"])
        #expect(Boxed.diagnostics.facts == ["unsuitableStateType Error"])
    }

    struct Hiding: Workflow {
        static var initial: ThirdState { ThirdState() }
        let optional: Event<ThirdState, StrangerState>? = Event(from: ThirdState.self, to: StrangerState.self)
        let list = [Event(from: ThirdState.self, to: StrangerState.self)]
        let found = Event(from: ThirdState.self, to: StrangerState.self)
        let limit = 3
    }

    @Test("Hidden events, and states outside the initial state's declared class, are problems")
    func hidden() {
        #expect(
            Hiding.diagnostics.facts == [
                "hiddenEvent optional", "hiddenEvent list",
                "foreignState HeraclitusTests.DiagnosticsTests.StrangerState ThirdState",
            ]
        )
    }

    struct Box<Content: Sendable>: Sendable {
        let content: Content
        let label = "box"
    }
    enum Choice: Sendable {
        case none
        case event(Within.Event<ThirdState, StrangerState>)
    }

    final class Within: Workflow, @unchecked Sendable {
        static var initial: any WorkflowState { ThirdState() }
        static var go: Event<ThirdState, StrangerState> { Event(from: ThirdState.self, to: StrangerState.self) }
        let found = go
        let dictionary = ["go": go]
        let nested = ["go": [[go]]]
        let tuple = (1, go)
        let structure = Box(content: Box(content: [Within.go]))
        let optional: Event<ThirdState, StrangerState>?? = nil
        let choice = [Choice.none, .event(go)]
        let anything: [any Sendable] = ["text", [1, 2], go]
        lazy var later = Event(from: ThirdState.self, to: StrangerState.self)
        let numbers = Array(0..<1_000)
        let texts = ["a": ["b"]]
        let box: Box<Choice> = Box(content: .none)
        init() {}
    }

    @Test("Events in dictionaries, tuples, structs and lazy properties are problems, however deep")
    func within() {
        let names = [
            "dictionary", "nested", "tuple", "structure", "optional", "choice", "anything", "later",
        ]
        #expect(Within.diagnostics.facts == names.map { "hiddenEvent \($0)" })
    }

    struct Inner: Workflow {
        static var initial: any WorkflowState { ThirdState() }
        let go = Event(from: ThirdState.self, to: StrangerState.self)
    }
    struct OfType<Parameter: Sendable>: Workflow {
        static var initial: any WorkflowState { ThirdState() }
        let go = Event(from: ThirdState.self, to: StrangerState.self)
        let other: OfType<String>.Event<ThirdState, StrangerState> = OfType<String>.Event(
            from: ThirdState.self,
            to: StrangerState.self
        )
    }
    class Base: Workflow, @unchecked Sendable {
        class var initial: any WorkflowState { ThirdState() }
        let inherited = WorkflowEvent<Base, ThirdState, StrangerState>(from: ThirdState.self, to: StrangerState.self)
        required init() {}
    }
    final class Derived: Base, @unchecked Sendable {}

    @Test("An event of another workflow is a problem, and stays valid there")
    func foreign() throws {
        #expect(OfType<String>.diagnostics.isEmpty)
        #expect(OfType<Int>.diagnostics.facts == ["foreignEvent other OfType<String>"])
        #expect(Base.diagnostics.isEmpty)
        #expect(Derived.diagnostics.facts.contains("foreignEvent inherited Base"))
        #expect(Slip.diagnostics.facts == ["foreignEvent inner Inner", "foreignEvent slip Inner"])
        let text = "The property inner has an event or action of Inner. Declare one of this workflow"
        #expect(Slip.diagnostics[0].description.contains(text) && Slip.diagnostics[0].stopsTheProgram)
        let machine = StateMachine<Inner>()
        #expect(machine.can[named: Inner.events.go.name])
        try machine.fire[Inner.events.go]()
        #expect(machine.revision == 1)
    }

    struct Slip: Workflow {
        static var initial: any WorkflowState { ThirdState() }
        let first = Event(from: ThirdState.self, to: StrangerState.self)
        let inner = Inner.events.go
        let slip = Inner.Event(from: ThirdState.self, to: StrangerState.self)
    }

    struct Taking: Workflow {
        static var initial: any WorkflowState { ThirdState() }
        @TaskLocal static var isCompiled = false
        let first = Event(from: ThirdState.self, to: StrangerState.self)
        let second = Taking.isCompiled ? Taking.events.first : Event(from: ThirdState.self, to: StrangerState.self)
    }

    @Test("An event taken from the workflow's own events is a problem under another name")
    func taken() throws {
        #expect(Taking.diagnostics.isEmpty)
        let machine = StateMachine<Taking>()
        Taking.$isCompiled.withValue(true) {
            #expect(Taking.diagnostics.facts == ["sharedEvent first second"])
        }
        #expect(Taking.diagnostics.isEmpty)
        try machine.fire[Taking.events.first]()
        #expect(machine.revision == 1)
    }

    final class Token: Sendable {
        static let count = Lock(0)
        init() { Self.count.withLock { $0 += 1 } }
        deinit { Self.count.withLock { $0 -= 1 } }
    }
    struct Racing: Workflow {
        // The second compilation begins and ends within the first, as with two threads at once.
        static let isFirst = Lock(true)
        static var initial: any WorkflowState {
            if isFirst.withLock({ isFirst in
                defer { isFirst = false }
                return isFirst
            }) {
                #expect(table.events.count == 1)
            }
            return ThirdState()
        }
        let go: Event<ThirdState, StrangerState>
        init() {
            let token = Token()
            go = Event(from: ThirdState.self, to: StrangerState.self).guarded { _, _, _ in
                withExtendedLifetime(token) {}
            }
        }
    }

    @Test("Of two concurrent compilations of a workflow, the late one is released")
    func race() throws {
        #expect(Racing.table.events.count == 1)
        #expect(!Racing.isFirst.withLock(\.self) && Token.count.withLock(\.self) == 1)
        let machine = StateMachine<Racing>()
        try machine.fire.go()
        #expect(machine.revision == 1)
    }

    struct Overlapping: Workflow {
        static var initial: any WorkflowState { SolidState() }
        static var states: [any WorkflowState.Type] { [IceState.self] }
        let freeze = Event(updating: SolidState.self).or(from: SolidState.self, to: IceState.self)
    }

    @Test("An update that a subclass turns into a transition is a problem")
    func overlapping() {
        #expect(Overlapping.diagnostics.facts == ["contradictoryUpdate freeze IceState"])
    }

    @Test("A valid definition has no problems")
    func none() {
        #expect(Download.diagnostics.isEmpty)
        #expect(Heard.diagnostics.isEmpty)
        #expect(Forms.diagnostics.isEmpty)
    }

    @Test("The first use of an invalid workflow stops the program with every problem named")
    func trap() async throws {
        let result = try #require(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = StateMachine<Wrong>()
            }
        )
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        for problem in Wrong.diagnostics { #expect(text.contains(problem.description)) }
    }

    @Test("A machine cannot be made in an unregistered state")
    func unregistered() async throws {
        let result = try #require(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = StateMachine<Forms>(resumingIn: StrangerState())
            }
        )
        #expect(
            String(decoding: result.standardErrorContent, as: UTF8.self).contains("StrangerState is not registered")
        )
    }
}

private final class PrivateState: WorkflowState, EmptyState {}
private final class Wrapped<Content>: WorkflowState, EmptyState {}

@Suite("Names") struct NameTests {
    private final class InnerState: WorkflowState, EmptyState {}

    private struct Naming: Workflow {
        static var initial: any WorkflowState { InnerState() }
        let go = Event(to: [InnerState.self, PrivateState.self])
    }

    private final class `Loaded State`: WorkflowState, EmptyState {}
    private struct `Raw Names`: Workflow {
        static var initial: any WorkflowState { InnerState() }
        let `load it` = Event(from: InnerState.self, to: `Loaded State`.self)
        let plain = Event(to: InnerState.self)
    }

    @Test("A name in backticks appears without them in tables, errors and archives")
    func raw() throws {
        #expect(`Raw Names`.table.workflow == "Raw Names")
        #expect(`Raw Names`.table.events.map(\.name) == ["load it", "plain"])
        #expect(`Raw Names`.table.states == ["InnerState", "Loaded State"])
        let machine = StateMachine<`Raw Names`>()
        try machine.fire[named: "load it"]()
        let archive = String(decoding: try machine.archive(), as: UTF8.self)
        #expect(archive.contains(#""workflow":"Raw Names""#) && archive.contains(#""state":"Loaded State""#))
        #expect(try StateMachine<`Raw Names`>(archive: machine.archive()).stateName == "Loaded State")
        let error = #expect(throws: InvalidTransition.self) { try machine.fire.`load it`() }
        #expect(error?.event == "load it")
    }

    @Test("A class's name is its own name, wherever it is declared and whether the optimizer knows it or not")
    func names() throws {
        #expect(PrivateState.name == "PrivateState" && InnerState.name == "InnerState" && Naming.name == "Naming")
        #expect(Wrapped<PrivateState>.name == "Wrapped<HeraclitusTests.PrivateState>")
        #expect(Naming.table.states == ["InnerState", "PrivateState"])
        #expect(StateMachine<Naming>().stateName == "InnerState")
    }
}
