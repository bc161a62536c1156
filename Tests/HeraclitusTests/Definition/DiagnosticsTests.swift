import Heraclitus
import Testing

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
            problems == [
                .blankWorkflowName,
                .badVersion(0),
                .unregisteredInitialState("StrangerState"),
                .blankStateName(className: "\(path).BlankState"),
                .duplicateStateName("Same", classNames: ["\(path).OneState", "\(path).TwoState"]),
                .blankEventName(property: "blank"),
                .sharedEvent(properties: ["third", "fourth"]),
                .duplicateEventName("twice", properties: ["first", "second"]),
                .emptyEvent("empty"),
                .contradictoryIgnore(event: "ignoring", state: "ThirdState"),
                .contradictoryUpdate(event: "updating", state: "ThirdState"),
            ]
        )
        #expect(problems.allSatisfy { $0.description.hasSuffix(".") })
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

    @Test("States that would not be handed out as an object are a problem")
    func unsuitableType() {
        #expect(Optionally.diagnostics == [.unsuitableStateType("Optional<WorkflowState>")])
        #expect(Boxed.diagnostics == [.unsuitableStateType("Error")])
    }

    struct Hiding: Workflow {
        static var initial: ThirdState { ThirdState() }
        let optional: Event<ThirdState, StrangerState>? = Event(from: ThirdState.self, to: StrangerState.self)
        let list = [Event(from: ThirdState.self, to: StrangerState.self)]
        let found = Event(from: ThirdState.self, to: StrangerState.self)
        let limit = 3
    }

    @Test("Events that cannot be found, and states that are not of the initial state's declared class, are problems")
    func hidden() {
        #expect(
            Hiding.diagnostics == [
                .hiddenEvent(property: "optional"),
                .hiddenEvent(property: "list"),
                .foreignState(
                    className: "HeraclitusTests.DiagnosticsTests.StrangerState",
                    expected: "ThirdState"
                ),
            ]
        )
    }

    struct Overlapping: Workflow {
        static var initial: any WorkflowState { SolidState() }
        static var states: [any WorkflowState.Type] { [IceState.self] }
        let freeze = Event(updating: SolidState.self).or(from: SolidState.self, to: IceState.self)
    }

    @Test("An update that a subclass makes a transition of is a problem")
    func overlapping() {
        #expect(Overlapping.diagnostics == [.contradictoryUpdate(event: "freeze", state: "IceState")])
    }

    @Test("A right definition has no problems")
    func none() {
        #expect(Download.diagnostics.isEmpty)
        #expect(Heard.diagnostics.isEmpty)
        #expect(Forms.diagnostics.isEmpty)
    }

    @Test("The first use of a wrong workflow stops the program with every problem named")
    func trap() async throws {
        let result = try #require(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = StateMachine<Wrong>()
            }
        )
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        for problem in Wrong.diagnostics { #expect(text.contains(problem.description)) }
    }

    @Test("A machine cannot be made in a state that is not registered")
    func unregistered() async throws {
        let result = try #require(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = StateMachine<Forms>(in: StrangerState())
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
        let go = Event(to: InnerState.self, PrivateState.self)
    }

    @Test("A class's own name is its name, wherever it is declared and whether the optimizer knows it or not")
    func names() throws {
        #expect(PrivateState.name == "PrivateState" && InnerState.name == "InnerState" && Naming.name == "Naming")
        #expect(Wrapped<PrivateState>.name == "Wrapped<PrivateState>")
        #expect(Naming.table.states == ["InnerState", "PrivateState"])
        #expect(StateMachine<Naming>().stateName == "InnerState")
    }
}
