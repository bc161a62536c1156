import Heraclitus
import HeraclitusStores
import SQLiteStore
import StoreTesting

/// The next release, with a key unknown to the old release: `newrelease FILE LEDGER ID...`.
@main struct NewRelease {
    final class OpenTicket: WorkflowState {
        static let name = "OpenTicket"
        let number: Int
        let coupons: Int?
        init(_ number: Int, _ coupons: Int?) { (self.number, self.coupons) = (number, coupons) }
    }

    struct Ticket: Workflow {
        static var initial: any WorkflowState { OpenTicket(0, nil) }
        let count = Event(updating: OpenTicket.self)
    }

    static func main() async throws {
        let release = Release()
        try await release.work(SQLiteStore(at: release.file).workflow(Ticket.self)) { ticket in
            let before = ticket.state as? OpenTicket
            let (number, coupons) = ((before?.number ?? 0) + 1, (before?.coupons ?? 0) + 1)
            try ticket.fire.count(OpenTicket(number, coupons))
            return ["number": number, "coupons": coupons]
        }
    }
}
