import Heraclitus
import HeraclitusStores
import SQLiteStore
import StoreTesting

/// The old release of a program: `oldrelease FILE LEDGER ID...`.
@main struct OldRelease {
    final class OpenTicket: WorkflowState {
        static let name = "OpenTicket"
        let number: Int
        init(_ number: Int) { self.number = number }
    }

    struct Ticket: Workflow {
        static var initial: any WorkflowState { OpenTicket(0) }
        let count = Event(updating: OpenTicket.self)
    }

    static func main() async throws {
        let release = Release()
        try await release.work(SQLiteStore(at: release.file).workflow(Ticket.self)) { ticket in
            let number = ((ticket.state as? OpenTicket)?.number ?? 0) + 1
            try ticket.fire.count(OpenTicket(number))
            return ["number": number]
        }
    }
}
