import ExampleUsage
import Foundation
import Heraclitus
import HeraclitusInspecting
import HeraclitusStores
import HeraclitusTables

/// Runs flows written by customers: checks and draws them, leads documents through them, and changes one flow in use.
@main
struct Approval {
    static func main() async throws {
        readNoArguments(
            usage: "usage: heraclitus-approval\n\nChecks and draws a folder's flows, and moves documents through them."
        )
        guard let folder = Bundle.module.resourceURL?.appendingPathComponent("Flows") else {
            throw NoSuchFlow(name: "")
        }
        let flows = try Flows(in: folder)

        print("The flows of the folder:")
        for flow in flows.flows {
            let table = flow.table
            print("  \(table.workflow) \(table.version): \(table.states.count) states, \(table.events.count) events")
            for finding in table.findings { print("    \(finding)") }
        }
        for (file, error) in flows.refused { print("\(file) is refused. \(error)") }

        print("A flow is drawn:")
        print(try flows["holiday"].table.diagram())

        let store = Archive.inMemory()
        try await lead(through: try flows["invoice", version: 1], in: store)
        try await change(to: try flows["invoice"], in: store)
    }

    /// Leads documents through the first version of a flow.
    private static func lead(through flow: DataWorkflow, in store: any ArchiveStore) async throws {
        let invoices = store.workflow(DataWorkflow.self, context: flow)
        print("Two documents go into review:")
        for (id, sum) in [("A-1", 800), ("A-2", 1_200)] as [(String, JSONValue)] {
            try await invoices.update(id) {
                try StateMachine(flow, entering: DataState("Draft", ["sum": sum]))
            } _: { document in
                try document.fire[named: "submit"]()
                print("  \(id): \(document.stateName) \(text(of: document.state))")
            }
        }
        print("What does not fit is refused:")
        try await invoices.update("A-1") { document in
            attempt { try document.fire[named: "submit"]() }
            attempt { try document.fire[named: "note"](DataState("Review", ["sum": "much"])) }
            attempt { try document.fire[named: "aprove"]() }
            try document.fire[named: "note"]({ $0.moved(to: "Review", with: ["note": "paid twice?"]) })
            print("  A-1: \(document.stateName) \(text(of: document.state))")
        }
        print("More than 1,000 needs the director:")
        try await invoices.update("A-2") { document in
            attempt { try document.fire[named: "approve"]() }
            print("  A-2: \(document.stateName)")
        }
    }

    /// Continues the documents after the customer has changed the flow.
    private static func change(to flow: DataWorkflow, in store: any ArchiveStore) async throws {
        let invoices = store.workflow(DataWorkflow.self, context: flow)
        print("The flow has a clerk and a manager now, and the documents are where they were:")
        for id in try await invoices.ids() {
            try await invoices.update(id) { document in
                print("  \(id): \(document.stateName) \(text(of: document.state))")
                try document.fire[named: "pass"]()
                try document.fire[named: "approve"](userInfo: ["by": "director"])
                print("  \(id): \(document.stateName), revision \(document.revision)")
            }
        }
    }

    private static func attempt(_ fire: () throws -> Void) {
        do { try fire() } catch { print("  \(error)") }
    }

    private static func text(of state: DataState) -> String {
        state.data.sorted { $0.key < $1.key }.map { "\($0.key) \(text(of: $0.value))" }.joined(separator: ", ")
    }

    private static func text(of value: JSONValue) -> String {
        value.stringValue ?? value.intValue.map { "\($0)" } ?? "\(value)"
    }
}
