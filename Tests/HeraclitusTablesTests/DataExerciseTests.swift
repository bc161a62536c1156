import Heraclitus
import HeraclitusTables
import HeraclitusTesting
import Testing

@Suite("Exercises of workflows of data") struct DataExerciseTests {
    private static var table: TransitionTable {
        TransitionTable(
            "approval",
            states: ["Draft", "Review", "Approved"],
            initial: "Draft",
            events: [
                TransitionTable.Event("submit", from: "Draft", to: "Review"),
                TransitionTable.Event("approve", from: "Review", to: "Approved"),
            ]
        )
        .keys(["amount": .integer], in: "Review")
    }

    @Test("Machines of data go through the table of their context")
    func exercised() throws {
        let samples: [Sample<DataWorkflow>] = [.state(DataState("Review", ["amount": 1]))]
        let report = try exercise(DataWorkflow.self, context: DataWorkflow(Self.table), samples: samples)
        #expect(report.untried.isEmpty && report.steps == 2, "\(report)")
    }

    final class IdleState: EmptyState {}
    final class DeskState: Composite {
        let approval: StateMachine<DataWorkflow>
        init(_ approval: StateMachine<DataWorkflow>) { self.approval = approval }
        var regions: [any Region] { [approval] }
        func copied() -> DeskState { DeskState(approval.copy()) }
    }
    struct Desk: Workflow {
        static var initial: any WorkflowState { IdleState() }
        let open = Event(from: IdleState.self, to: DeskState.self)
            .enters { (_: IdleState) throws -> DeskState in
                DeskState(try StateMachine(DataWorkflow(DataExerciseTests.table)))
            }
    }

    @Test("Machines of data in a state go through their own transitions")
    func regions() throws {
        let samples: [Sample<Desk>] = [.state(DataState("Review", ["amount": 1]))]
        let report = try exercise(Desk.self, samples: samples, restartingAtEveryStep: false)
        #expect(report.untried.isEmpty && report.untriedInRegions.isEmpty && report.steps == 3, "\(report)")
    }
}
