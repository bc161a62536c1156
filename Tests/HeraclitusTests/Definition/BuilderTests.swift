import Heraclitus
import HeraclitusInspecting
import HeraclitusTesting
import Testing

@testable import Fixtures

@Suite("Events with builders") struct BuilderTests {
    struct Unmarked: Error, Equatable {}

    final class ExamState: WorkflowState, Working {
        let points: Int?
        init(points: Int?) { self.points = points }
        func work(_ call: WorkCall<Exam>) async throws {
            if call.context.isFast { try call.fire.grade(userInfo: ["by": "machine"]) }
        }
    }
    final class PassedState: WorkflowState {
        let by: String
        init(by: String) { self.by = by }
    }
    final class FailedState: WorkflowState {
        let missing: Int
        init(missing: Int) { self.missing = missing }
    }

    struct Rules: Sendable {
        var limit = 50
        var isFast = false
    }

    struct Exam: Workflow {
        typealias Context = Rules
        static var initial: any WorkflowState { ExamState(points: 70) }
        let grade = Event(from: ExamState.self, to: PassedState.self, FailedState.self)
            .enters { exam, call in
                guard let points = exam.points else { throw Unmarked() }
                let missing = call.context.limit - points
                return missing > 0
                    ? FailedState(missing: missing)
                    : PassedState(by: call.userInfo["by", as: String.self] ?? "nobody")
            }
            .guarded { _, destination, _ in if (destination as? FailedState)?.missing == 13 { throw Objection() } }
        let mark = Event(updating: ExamState.self).enters { exam in ExamState(points: (exam.points ?? 0) + 1) }
        let retake = Event(from: FailedState.self, to: ExamState.self).enters { _ in ExamState(points: nil) }
            .or(from: PassedState.self, to: ExamState.self)
    }

    private func exam(_ points: Int?, _ rules: Rules = Rules()) -> StateMachine<Exam> {
        StateMachine<Exam>(entering: ExamState(points: points), context: rules)
    }

    @Test("An event with a builder is fired without a state: as a function, as a value and by name")
    func ways() throws {
        let ways: [(StateMachine<Exam>) throws -> Void] = [
            { try $0.fire.grade(userInfo: ["by": "me"]) },
            { try $0.fire[Exam.events.grade](userInfo: ["by": "me"]) },
            { try $0.fire[named: "grade"](userInfo: ["by": "me"]) },
        ]
        for fire in ways {
            let passed = exam(50)
            try fire(passed)
            #expect((passed.state as? PassedState)?.by == "me")
            let failed = exam(40)
            try fire(failed)
            #expect((failed.state as? FailedState)?.missing == 10)
        }
    }

    @Test("The work of a state fires an event without naming its destination")
    func work() async throws {
        let machine = exam(60, Rules(isFast: true))
        machine.activate()
        #expect(try await machine.wait(for: PassedState.self).by == "machine")
    }

    @Test("A state object of the caller replaces the built one")
    func named() throws {
        let machine = exam(0)
        try machine.fire.grade(PassedState(by: "mercy"))
        #expect(machine.isIn(PassedState.self))
    }

    @Test("An error of a builder declines the event, and guards get the built object")
    func declined() {
        let error = #expect(throws: InvalidTransition.self) { try exam(nil).fire.grade() }
        #expect(error?.reason == .declined && error?.underlyingError is Unmarked)
        let other = #expect(throws: InvalidTransition.self) { try exam(37).fire.grade() }
        #expect(other?.underlyingError is Objection)
    }

    @Test("A rehearsal and an offer run the builder, and change nothing")
    func rehearsed() throws {
        let machine = exam(50)
        try machine.rehearse.grade()
        #expect(throws: InvalidTransition.self) { try exam(37).rehearse.grade() }
        let events = machine.eventAvailability()
        #expect(events.map(\.event) == ["grade", "mark", "retake"])
        #expect(events.map(\.rejection?.reason) == [nil, nil, .notAllowed])
        #expect(machine.revision == 0 && machine.isIn(ExamState.self))
    }

    @Test("An event with a builder updates a state")
    func updated() throws {
        let machine = exam(1)
        try machine.fire.mark()
        try machine.fire.mark()
        #expect((machine.state as? ExamState)?.points == 3)
    }

    @Test("A builder covers the states that the event led from when it was added")
    func sources() throws {
        let failed = StateMachine<Exam>(entering: FailedState(missing: 1), context: Rules())
        try failed.fire.retake()
        #expect(failed.isIn(ExamState.self))
        let passed = StateMachine<Exam>(entering: PassedState(by: ""), context: Rules())
        let error = #expect(throws: InvalidTransition.self) { try passed.fire.retake() }
        #expect(error?.reason == .destinationNeeded && error?.candidates == ["ExamState"])
    }

    final class OnState: EmptyState {}
    final class CountState: WorkflowState {
        let count: Int
        init(_ count: Int) { self.count = count }
    }
    struct Twice: Workflow {
        static var initial: any WorkflowState { OnState() }
        let go = Event(from: OnState.self, to: CountState.self)
            .enters { _ in CountState(1) }
            .enters { _ in CountState(2) }
    }

    @Test("Of two builders for a state, the last counts")
    func last() throws {
        let machine = StateMachine<Twice>()
        try machine.fire.go()
        #expect((machine.state as? CountState)?.count == 2)
    }

    final class Stray: WorkflowState {
        let count: Int
        init(_ count: Int) { self.count = count }
    }
    struct Strange: Workflow {
        static var initial: any WorkflowState { OnState() }
        let go = Event(from: OnState.self, to: CountState.self, OnState.self).enters { _ in Stray(1) }
    }

    @Test("An object outside the event's destinations is rejected")
    func stray() {
        let error = #expect(throws: InvalidTransition.self) { try StateMachine<Strange>().fire.go() }
        #expect(error?.reason == .unregisteredState)
    }

    struct Reading: Workflow {
        static var initial: any WorkflowState { OnState() }
        let count = Event(from: OnState.self, to: CountState.self)
            .enters { _, call in CountState(call.machine.revision) }
        let reset = Event(from: CountState.self, to: OnState.self)
            .enters { _, call in
                let error = #expect(throws: InvalidTransition.self) { try call.machine.fire[named: "reset"]() }
                #expect(error?.reason == .transitionInProgress && call.failure == nil)
                return OnState()
            }
    }

    @Test("A builder may read its machine, and its fires of the machine are refused")
    func machineOfCall() throws {
        let machine = StateMachine<Reading>()
        try machine.fire.count()
        try machine.fire.reset()
        try machine.fire.count()
        #expect((machine.state as? CountState)?.count == 2)
    }

    struct Bare: Workflow {
        static var initial: any WorkflowState { OnState() }
        let lapse = Event(from: OnState.self, to: CountState.self).due(after: .seconds(1))
        let either = Event(from: OnState.self, to: OnState.self, CountState.self).when { _ in true }
        let loop = Event(from: CountState.self, to: OnState.self).due(after: .seconds(1))
        let half = Event(from: CountState.self, to: CountState.self).due(after: .seconds(1)).enters { $0 }
            .or(from: OnState.self, to: CountState.self)
    }

    @Test("An automatic event without a way to make its destination is a problem of the definition")
    func missing() {
        #expect(Bare.diagnostics.facts == ["missingBuilder lapse OnState", "missingBuilder either OnState"])
        #expect(Exam.diagnostics.isEmpty)
    }
}
