import Heraclitus
import HeraclitusTesting
import Testing

@Suite("Exercises of builders") struct ExerciseBuilderTests {
    struct Refusal: Error {}
    final class AState: EmptyState {}
    final class BState: EmptyState {}
    final class EState: WorkflowState {
        let number: Int
        init(_ number: Int) { self.number = number }
    }

    struct Throwing: Workflow {
        static var initial: any WorkflowState { AState() }
        let build = Event(from: AState.self, to: EState.self)
            .enters { (_: AState) throws -> EState in throw Refusal() }
    }

    @Test("The report has the error of a builder")
    func throwingBuilder() throws {
        let report = try exercise(Throwing.self)
        #expect(
            report.untried.map(\.description) == ["build: AState → EState: the builder has thrown: Refusal()"]
        )
    }

    struct Mixed: Workflow {
        static var initial: any WorkflowState { AState() }
        let grade = Event(from: AState.self, to: EState.self)
        let go = Event(from: AState.self, to: BState.self)
        let build = Event(from: BState.self, to: EState.self).enters { _ in EState(1) }
    }

    @Test("A builder is run where the samples of its state are for other sources")
    func besideSamples() throws {
        #expect(try exercise(Mixed.self, samples: [.state { (_: AState) in EState(2) }]).untried == [])
    }

    struct ThrowingToEmpty: Workflow {
        static var initial: any WorkflowState { AState() }
        let build = Event(from: AState.self, to: BState.self)
            .enters { (_: AState) throws -> BState in throw Refusal() }
    }

    @Test("The builder of an empty state is run")
    func emptyDestination() throws {
        let report = try exercise(ThrowingToEmpty.self)
        #expect(
            report.untried.map(\.description) == ["build: AState → BState: the builder has thrown: Refusal()"]
        )
    }

    struct Grading: Workflow {
        static var initial: any WorkflowState { AState() }
        let grade = Event(from: AState.self, to: EState.self, BState.self).enters { _ in EState(50) }
    }

    @Test("The printed code leaves a state with data to the builder, also beside other destinations")
    func severalDestinations() throws {
        #expect(try exercise(Grading.self).untried == [])
        let failure = #expect(throws: ExerciseFailure.self) {
            try exercise(Grading.self, invariants: ["no grade": { !$0.isIn(EState.self) }])
        }
        #expect(
            failure?.code == """
                let machine = StateMachine<ExerciseBuilderTests.Grading>()
                try machine.fire.grade()
                // no grade
                """
        )
        let machine = StateMachine<Grading>()
        try machine.fire.grade()
        #expect(machine.isIn(EState.self))
    }
}
