import Foundation
import Heraclitus
import Testing

private struct NothingPaid: Error {}

private final class PlacedState: EmptyState {
    static var name: String { "Placed" }
}
private final class ShippedState: EmptyState {
    static var name: String { "Shipped" }
}
private final class CancelledState: EmptyState {
    static var name: String { "Cancelled" }
}

private final class PaidState: WorkflowState, FactStating {
    static var name: String { "Paid" }
    let amount: Int
    init(amount: Int) { self.amount = amount }
    var facts: UserInfo { ["amount": amount] }
}

private struct Order: Workflow {
    static var initial: any WorkflowState { PlacedState() }
    static var journal: Int { 100 }

    let pay = Event(from: PlacedState.self, to: PaidState.self)
        .guarded { _, paid, _ in if paid.amount <= 0 { throw NothingPaid() } }
    let ship = Event(from: PaidState.self, to: ShippedState.self)
    let cancel = Event(from: PlacedState.self, PaidState.self, to: CancelledState.self)
}

@Suite("Journals") struct JournalArticleTests {
    private static let article = "Sources/Heraclitus/Heraclitus.docc/Guides/ObservingMachines.md"

    private static func shipped() throws -> StateMachine<Order> {
        let order = StateMachine<Order>()
        _ = try? order.fire.pay(PaidState(amount: 0))
        try order.fire.pay(PaidState(amount: 9), userInfo: ["by": "card"])
        try order.fire.ship()
        _ = try? order.fire.cancel()
        print(order.journal.table)
        return order
    }

    @Test("The facts of a journal's lines are summed up")
    func facts() throws {
        let order = try Self.shipped()
        let sum = order.journal.filter { !$0.isUpdate }.compactMap { $0.facts["amount", as: Int.self] }.reduce(0, +)
        #expect(sum == 9)
    }

    @Test("The article prints the journal, except for dates and durations")
    func table() throws {
        let order = try Self.shipped()
        // Durations vary in their number of digits.
        let printed = order.journal.table.replacing(#/20\d\d-[0-9T:.-]+Z/#, with: "2026-01-01T12:00:00.000Z")
            .replacing(#/ [0-9. ]{4} (µs|ms) /#, with: "12 µs ").replacing(#/ +/#, with: " ")
        let known = try #require(try Documentation.blocks(Self.article, language: "text").first)
        func words(_ text: String) -> [String] {
            text.split(separator: "\n").map { line in
                line.replacing(#/[0-9.]+ (µs|ms|s)( |$)/#, with: "TIME ").split(separator: " ").joined(separator: " ")
            }
        }
        #expect(words(printed) == words(known), "\(order.journal.table)")
    }
}
