import Heraclitus
import Testing

@testable import Fixtures

@Suite("Diagnostics for tests") struct DeeperDiagnosticsTests {
    protocol OwnState: WorkflowState {}
    final class AState: OwnState, EmptyState {}
    final class BState: OwnState, EmptyState {}
    final class CState: OwnState {}
    final class StrangerState: WorkflowState, EmptyState {}
    final class StrangerWithData: WorkflowState {
        let number: Int
        init(number: Int) { self.number = number }
    }

    // MARK: Migrations

    struct Past: Workflow {
        static var initial: any OwnState { AState() }
        static var version: Int { 4 }
        static var migrations: [Migration] {
            [
                .state("Old", becomes: "Middle", in: 2),
                .state("Gone", becomes: "Lost", in: 2),
                .state("Middle", becomes: "AState", in: 3),
                .step("closures may do anything", in: 3) { _ in },
                .state("Paused", becomes: "BSate", in: 4),
            ]
        }
        let go = Event(from: AState.self, to: BState.self)
    }

    @Test("A migration to a state that did not exist then is found, and the program goes on")
    func migrations() {
        #expect(
            Past.diagnostics.facts == [
                "migrationToUnknownState turn the state Gone into Lost Lost 2",
                "migrationToUnknownState turn the state Paused into BSate BSate 4",
            ]
        )
        #expect(Past.diagnostics.allSatisfy { !$0.stopsTheProgram && $0.description.hasSuffix(".") })
        #expect(StateMachine<Past>().can.go)
        #expect(Ticket.diagnostics.isEmpty)
    }

    // MARK: Types of states

    struct Strange: Workflow {
        static var initial: any OwnState { AState() }
        let go = Event(from: AState.self, StrangerState.self, to: BState.self)
    }
    struct StrangeWithGroup: Workflow {
        static var initial: any OwnState { AState() }
        static var groups: [any AnyStateGroup] { [StateGroup((any OwnState).self) { $0 is any OwnState.Type }] }
        let go = Event(from: AState.self, to: StrangerWithData.self)
    }

    @Test("A state outside the declared type of the initial state is found")
    func strangers() {
        let path = "HeraclitusTests.DeeperDiagnosticsTests"
        #expect(Strange.diagnostics.facts == ["foreignState \(path).StrangerState OwnState"])
        #expect(StrangeWithGroup.diagnostics.facts == ["foreignState \(path).StrangerWithData OwnState"])
    }

    enum Phase: Sendable { case idle }
    struct OfEnum: Workflow {
        static var initial: Phase { .idle }
        let go = Event(from: AState.self, to: BState.self)
    }
    struct OfStruct: Workflow {
        static var initial: any Sendable { Point() }
        let go = Event(from: AState.self, to: BState.self)
    }
    struct Point: Sendable {}

    @Test("An enum or a struct as a state is a problem that says so")
    func values() {
        #expect(OfEnum.diagnostics.facts == ["initialStateIsNoClass Phase"])
        #expect(OfStruct.diagnostics.facts.first == "initialStateIsNoClass Point")
        #expect(OfEnum.diagnostics.first?.description.contains("Make the state a class") == true)
    }

    // MARK: Unasked guards

    struct Unasked: Workflow {
        static var initial: any OwnState { AState() }
        let toggle = Event(from: AState.self, to: BState.self).guarded { _, _, _ in throw Objection() }
            .or(from: BState.self, to: AState.self)
        let elsewhere = Event(from: AState.self, to: BState.self).guarded { _, _, _ in throw Objection() }
            .or(from: CState.self, to: BState.self)
        let several = Event(from: AState.self, BState.self, to: BState.self).guarded { _, _, _ in throw Objection() }
            .or(from: CState.self, to: BState.self)
        let behind = Event(from: AState.self, to: BState.self).or(from: BState.self, to: CState.self)
            .guarded { _, _, _ in throw Objection() }
        let hooked = Event(from: AState.self, to: BState.self).willFire { _, _, _ in }
            .or(from: BState.self, to: AState.self)
    }
    struct UnaskedGroups: Workflow {
        static var initial: any PlayerState { StoppedState() }
        static var states: [any WorkflowState.Type] { [BufferingState.self, PausedState.self, PlayingState.self] }
        let fine = Event(fromAny: .running, to: StoppedState.self).guarded { _, _, _ in }
            .or(from: PlayingState.self, to: StoppedState.self)
        let wrong = Event(fromAny: .running, to: StoppedState.self).guarded { _, _, _ in }
            .or(from: PausedState.self, to: StoppedState.self)
    }

    @Test("A guard that pairs of a later `or` would skip is a problem, and a guard that covers them is valid")
    func guards() throws {
        #expect(Unasked.diagnostics.facts == ["unaskedGuard toggle", "unaskedGuard elsewhere"])
        #expect(UnaskedGroups.diagnostics.facts == ["unaskedGuard wrong"])
        #expect(Unasked.diagnostics.allSatisfy { $0.stopsTheProgram })
    }

    // MARK: Names

    @Test("A problem names a type declared in a function without its address in memory")
    func localTypes() {
        enum First { final class IdleState: EmptyState {} }
        enum Second { final class IdleState: EmptyState {} }
        struct Local: Workflow {
            static var initial: any WorkflowState { First.IdleState() }
            let go = Event(from: First.IdleState.self, to: Second.IdleState.self)
        }
        let path = "HeraclitusTests.DeeperDiagnosticsTests"
        #expect(
            Local.diagnostics.facts == ["duplicateStateName IdleState \(path).First.IdleState \(path).Second.IdleState"]
        )
    }

    // MARK: Empty states

    final class CountedState: EmptyState {
        let count: Int
        init() { count = 3 }
    }
    final class OnlineState: EmptyState {
        let socket: Live<Int>
        init() { socket = Live() }
    }
    struct Counted: Workflow {
        static var initial: any WorkflowState { AState() }
        let count = Event(from: AState.self, to: CountedState.self)
        let connect = Event(from: AState.self, to: OnlineState.self)
    }

    @Test("An empty state with data of its own is found; a live value is no data")
    func emptyStatesWithData() {
        let name = "HeraclitusTests.DeeperDiagnosticsTests.CountedState"
        #expect(Counted.diagnostics.facts == ["emptyStateWithData \(name) count"])
        #expect(throws: Never.self) { try StateMachine<Counted>().fire.count() }
    }
}
