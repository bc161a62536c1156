import Heraclitus
import HeraclitusTables
import Testing

private struct TooMuch: Error {}

@Suite("Workflows from tables") struct TablesPageTests {
    @Test("A machine of a table keeps its data, meets closures, and is read by the next version")
    func table() throws {
        let table = TransitionTable(
            "approval",
            states: ["Draft", "Review", "Approved"],
            initial: "Draft",
            events: [.init("submit", from: "Draft", to: "Review"), .init("approve", from: "Review", to: "Approved")]
        )
        .keys(["amount": .number], in: "Draft", "Review")
        let approval = try DataWorkflow(table)
        let machine = try StateMachine(approval, entering: DataState("Draft", ["amount": 1200]))
        try machine.fire[named: "submit"]()  // keeps the data
        let later = try StateMachine(archive: machine.archive(), of: approval)
        #expect(later.stateName == "Review" && later.state["amount"] == 1200)

        let guarded = try approval.guarded("approve") { review, _ in
            if (review["amount"]?.intValue ?? 0) > 1000 { throw TooMuch() }
        }
        .didEnter("Approved") { approved, _ in print("approved \(approved.data)") }
        let declined = try StateMachine(archive: machine.archive(), of: guarded)
        #expect(throws: InvalidTransition.self) { try declined.fire[named: "approve"]() }

        let second = TransitionTable(
            "approval",
            version: 2,
            states: ["Draft", "Legal review", "Approved"],
            initial: "Draft",
            events: [
                .init("submit", from: "Draft", to: "Legal review"),
                .init("approve", from: "Legal review", to: "Approved"),
            ]
        )
        .migrating(.init(in: 2, .renameState("Review", to: "Legal review")))
        let migrated = try StateMachine(archive: machine.archive(), of: DataWorkflow(second))
        #expect(migrated.stateName == "Legal review")
    }
}
