import Foundation
import Heraclitus
import HeraclitusInspecting
import Testing

private final class OpenState: EmptyState {}
private final class AssignedState: EmptyState {}
private final class WaitingState: EmptyState {}
private final class ClosedState: EmptyState {}
private final class UrgentState: EmptyState {}

private struct Ticket: Workflow {
    static var initial: any WorkflowState { OpenState() }
    static var finals: [any WorkflowState.Type] { [ClosedState.self] }

    let assign = Event(from: OpenState.self, to: AssignedState.self)
    let wait = Event(from: AssignedState.self, to: WaitingState.self)
    let close = Event(from: AssignedState.self, to: ClosedState.self)
    let escalate = Event(from: UrgentState.self, to: AssignedState.self)
}

private struct Mended: Workflow {
    static var name: String { "Ticket" }
    static var initial: any WorkflowState { OpenState() }
    static var finals: [any WorkflowState.Type] { [ClosedState.self] }
    let assign = Event(from: OpenState.self, WaitingState.self, to: AssignedState.self)
    let wait = Event(from: AssignedState.self, to: WaitingState.self)
    let close = Event(from: AssignedState.self, to: ClosedState.self)
    let escalate = Event(from: UrgentState.self, to: AssignedState.self)
}

@Suite("Analysing workflows") struct AnalysisArticleTests {
    private static let article = "Sources/HeraclitusInspecting/HeraclitusInspecting.docc/HeraclitusInspecting.md"

    @Test("The page prints the findings, and a decoded table has the same")
    func findings() throws {
        var printed = ""
        func print(_ finding: WorkflowProblem) { printed += "\(finding)\n" }
        for finding in Ticket.findings { print(finding) }
        #expect(try Documentation.blocks(Self.article, language: "text") == [printed])
        #expect(Ticket.diagnostics.isEmpty)

        let json = try JSONEncoder().encode(Ticket.table)
        let table = try JSONDecoder().decode(TransitionTable.self, from: json)
        let same = table.findings  // those of Ticket
        let closing = table.events.first { $0.name == "close" }?.transitions.map(\.to)  // ["ClosedState"]
        #expect(same == Ticket.findings && closing == ["ClosedState"])
    }

    @Test("The page has the diagram of the workflow")
    func diagrams() throws {
        let machine = StateMachine<Ticket>()
        let drawing = Ticket.table.diagram()
        let marked = machine.diagram(.dot)
        let document = Ticket.table.diagram(.scxml)
        #expect(try Documentation.blocks(Self.article, language: "mermaid") == [drawing])
        #expect(marked.contains("#ffd700") && document.contains("</scxml>"))
    }

    @Test("Only intended findings are left")
    func mended() {
        typealias Ticket = Mended
        let findings = Ticket.findings.map { "\($0.kind) \($0.names.joined(separator: " "))" }
        #expect(findings == ["unreachableState UrgentState", "unreachableEvent escalate"])
    }
}

extension Picture {
    static let ticket = Picture(name: "ticket", page: "HeraclitusInspecting", table: Ticket.table)
}
