import Foundation
import Heraclitus
import HeraclitusTesting
import Testing

@Suite("Exercises of automatic events") struct AutomaticExerciseTests {
    final class IdleState: EmptyState {}
    final class UnpaidState: WorkflowState {
        let deadline: Date
        init(deadline: Date) { self.deadline = deadline }
    }
    final class LapsedState: EmptyState {}
    struct Bill: Workflow {
        static var initial: any WorkflowState { IdleState() }
        let send = Event(from: IdleState.self, to: UnpaidState.self)
        let lapse = Event(from: UnpaidState.self, to: LapsedState.self).due(\.deadline)
    }

    @Test("An event that is due at once is no fire of a hook")
    func dueAtOnce() throws {
        let samples: [Sample<Bill>] = [.state(UnpaidState(deadline: Date(timeIntervalSinceReferenceDate: -1)))]
        let report = try exercise(Bill.self, samples: samples)
        #expect(report.untried.map(\.event) == ["lapse"])
    }

    @Test("Automatic events stay off, and the code has a clock that stands still")
    func time() throws {
        let samples: [Sample<Bill>] = [.state(UnpaidState(deadline: Date(timeIntervalSinceReferenceDate: 1)))]
        #expect(try exercise(Bill.self, samples: samples).untried == [])
        let failure = #expect(throws: ExerciseFailure.self) {
            try exercise(Bill.self, samples: samples, invariants: ["no lapse": { !$0.isIn(LapsedState.self) }])
        }
        #expect(
            failure?.code == """
                let clock = ManualClock()
                let machine = StateMachine<AutomaticExerciseTests.Bill>(scheduler: clock.scheduler)
                try machine.fire.send(samples[0](machine.state))
                try machine.fire.lapse()
                // no lapse
                """
        )
    }
}
