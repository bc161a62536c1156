import Heraclitus
import HeraclitusTesting
import Testing

private protocol ApprovalState<Document>: WorkflowState {
    associatedtype Document: Codable & Sendable
    var document: Document { get }
}

private final class DraftState<Document: Codable & Sendable>: ApprovalState {
    let document: Document
    init(_ document: Document) { self.document = document }
}

private struct Approval<Document: Codable & Sendable>: Workflow {
    typealias AnyState = any ApprovalState<Document>
    static var initial: DraftState<Document>.Type { DraftState<Document>.self }
    let submit = Event(from: DraftState<Document>.self, to: ReviewState<Document>.self)
        .enters { draft in ReviewState(draft.document) }
}

private final class ReviewState<Document: Codable & Sendable>: ApprovalState {
    let document: Document
    init(_ document: Document) { self.document = document }
}

private struct Invoice: Codable, Equatable { let total: Int }

@Suite("Generic workflows") struct GenericWorkflowTests {
    @Test("A generic workflow is one workflow for each type, whose archives name the type")
    func approval() throws {
        #expect(Approval<Invoice>.diagnostics.isEmpty && Approval<String>.diagnostics.isEmpty)
        let machine = StateMachine<Approval<Invoice>>(entering: DraftState(Invoice(total: 5)))
        #expect(machine.state.document == Invoice(total: 5))
        try machine.fire.submit()
        #expect(machine.stateName == "ReviewState<DocumentationTests.Invoice>")
        #expect(Approval<Invoice>.name == "Approval<DocumentationTests.Invoice>")
        let restored = try StateMachine<Approval<Invoice>>(archive: machine.archive())
        #expect(restored.state.document == Invoice(total: 5))
        #expect(throws: ArchiveError.self) { try StateMachine<Approval<String>>(archive: machine.archive()) }
    }
}
