import Foundation
import Heraclitus
import HeraclitusInspecting
import HeraclitusStores
import HeraclitusTesting
import Testing

private struct NothingPaid: Error {}

private final class PlacedState: EmptyState {
    static var name: String { "Placed" }
}
private final class PaidState: WorkflowState {
    static var name: String { "Paid" }
    let amount: Int
    init(amount: Int) { self.amount = amount }
}
private final class ShippedState: EmptyState {
    static var name: String { "Shipped" }
}
private final class CancelledState: EmptyState {
    static var name: String { "Cancelled" }
}

private struct Order: Workflow {
    static var initial: any WorkflowState { PlacedState() }
    static var journal: JournalLimit? { .last(100) }

    let pay = Event(from: PlacedState.self, to: PaidState.self)
        .guarded { _, paid, _ in if paid.amount <= 0 { throw NothingPaid() } }
    let ship = Event(from: PaidState.self, to: ShippedState.self)
    let cancel = Event(from: PlacedState.self, PaidState.self, to: CancelledState.self)
}

/// Only what is packed is shipped.
private struct LaterOrder: Workflow {
    static var name: String { "Order" }
    static var initial: any WorkflowState { PlacedState() }
    let pay = Event(from: PlacedState.self, to: PaidState.self)
    let pack = Event(from: PaidState.self, to: CancelledState.self)
    let ship = Event(from: CancelledState.self, to: ShippedState.self)
}

@Suite("Journals") struct JournalArticleTests {
    private static let article = "Sources/Heraclitus/Heraclitus.docc/Journals.md"

    private static func shipped() throws -> StateMachine<Order> {
        let order = StateMachine<Order>()
        _ = try? order.fire.pay(PaidState(amount: 0))
        try order.fire.pay(PaidState(amount: 9), userInfo: ["by": "card"])
        try order.fire.ship()
        _ = try? order.fire.cancel()
        print(order.journal)
        return order
    }

    @Test("The article prints the journal, but for dates and durations")
    func table() throws {
        let order = try Self.shipped()
        // Durations have as many digits as they have.
        let printed = "\(order.journal)".replacing(#/20\d\d-[0-9T:.-]+Z/#, with: "2026-01-01T12:00:00.000Z")
            .replacing(#/ [0-9. ]{4} (µs|ms) /#, with: "12 µs ").replacing(#/ +/#, with: " ")
        let known = try #require(try Documentation.blocks(Self.article, language: "text").first)
        func words(_ text: String) -> [String] {
            text.split(separator: "\n").map { line in
                line.replacing(#/[0-9.]+ (µs|ms|s)( |$)/#, with: "TIME ").split(separator: " ").joined(separator: " ")
            }
        }
        #expect(words(printed) == words(known), "\(order.journal)")
    }

    @Test("A rejection that is caught is saved, and the file beside the store has the rest")
    func stores() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        let log = folder.appendingPathComponent("journal.jsonl")
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = JournaledStore(try DirectoryStore(at: folder), journal: JournalFile(at: log))
        let orders = store.workflow(Order.self)
        try await orders.update("42") { order in try order.fire.pay(PaidState(amount: 9)) }

        for try await line in JournalFile(at: log).lines {
            switch line.result {
            case .success(let entry): print(entry.id, entry.occurrence)
            case .failure(let error): print("line \(line.number): \(error)")
            }
        }
        try await orders.update("42") { order in try order.fire.ship() }
        try await orders.update("42") { order in
            do { try order.fire.cancel() } catch { print(error) }  // and a line of the journal
        }
        let journal = try await JournalFile(at: log).journal(of: "42")
        #expect(journal.map(\.kind) == [.transitioned, .transitioned, .rejected])
    }

    @Test("Today's definition says which line it does not allow any more")
    func replay() throws {
        let order = try Self.shipped()
        var said = ""
        func print(_ error: JournalMisfit) { said += "\(error)" }
        do {
            try Journal.replay(order.journal, as: LaterOrder.self)
        } catch {
            print(error)  // line 3: Order cannot fire "ship" in Paid: it does not lead from there to Shipped. …
        }
        #expect(said.hasPrefix("line 3: Order cannot fire \"ship\" in Paid: it does not lead from there to Shipped. "))
    }
}
