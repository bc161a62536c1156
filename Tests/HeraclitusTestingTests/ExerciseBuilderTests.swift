import Heraclitus
import HeraclitusTesting
import Testing

@Suite("Exercises of builders") struct ExerciseBuilderTests {
    struct Refusal: Error {}
    final class AState: EmptyState {}
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
}
