import Heraclitus
import HeraclitusTesting
import Testing

private final class DraftState: EmptyState {}
private final class ApprovedState: EmptyState {}

private final class ReviewState<Document: Codable & Sendable>: WorkflowState {
    let document: Document
    init(_ document: Document) { self.document = document }
}

private struct Approval<Document: Codable & Sendable>: Workflow {
    static var initial: any WorkflowState { DraftState() }
    let submit = Event(from: DraftState.self, to: ReviewState<Document>.self)
    let approve = Event(from: ReviewState<Document>.self, to: ApprovedState.self)
}

private struct Invoice: Codable, Equatable { let total: Int }

@Suite("Generic workflows") struct GenericWorkflowTests {
    @Test("A generic workflow is one workflow for each type, whose archives name the type")
    func approval() throws {
        #expect(Approval<Invoice>.diagnostics.isEmpty && Approval<String>.diagnostics.isEmpty)
        let machine = StateMachine<Approval<Invoice>>()
        try machine.fire.submit(ReviewState(Invoice(total: 5)))
        #expect(machine.stateName == "ReviewState<DocumentationTests.Invoice>")
        #expect(Approval<Invoice>.name == "Approval<DocumentationTests.Invoice>")
        let restored = try StateMachine<Approval<Invoice>>(archive: machine.archive())
        #expect((restored.state as? ReviewState<Invoice>)?.document == Invoice(total: 5))
        try restored.fire.approve()
        #expect(throws: ArchiveError.self) { try StateMachine<Approval<String>>(archive: machine.archive()) }
    }
}
