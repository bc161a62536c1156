import Heraclitus
import HeraclitusInspecting
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
    static var journal: Int { 100 }

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

@Suite("Replays of journals") struct ReplayArticleTests {
    @Test("The current definition names the first line that it no longer allows")
    func replay() throws {
        let order = StateMachine<Order>()
        _ = try? order.fire.pay(PaidState(amount: 0))
        try order.fire.pay(PaidState(amount: 9))
        try order.fire.ship()
        var said = ""
        func print(_ text: String) { said += text }
        for misfit in order.journal.misfits(by: TransitionValidator<LaterOrder>()) {
            // line 3: Order cannot fire "ship" in Paid: no transition to Shipped. …
            print("line \(misfit.line): \(misfit.error)")
        }
        #expect(said.hasPrefix("line 3: Order cannot fire \"ship\" in Paid: no transition to Shipped. "))
    }
}
