import Foundation
import Heraclitus
import HeraclitusTesting
import Testing

private struct NotAnAmount: Error {}
private struct NotPaid: Error {}
private final class CartState: EmptyState {}
private final class ShippedState: EmptyState {}

private final class OpenState: EmptyState {}
private final class SettledState: WorkflowState {
    let amount: Int
    init(amount: Int) { self.amount = amount }
}

private struct Payment: Workflow {
    static var initial: any WorkflowState { OpenState() }
    let settle = Event(from: OpenState.self, to: SettledState.self)
        .guarded { _, settled, _ in if settled.amount <= 0 { throw NotAnAmount() } }
}

private final class PlacedState: WorkflowState, Copying {
    let address: String
    let payment: StateMachine<Payment>

    init(address: String, payment: StateMachine<Payment> = StateMachine<Payment>()) {
        self.address = address
        self.payment = payment
    }

    func copied() -> PlacedState { PlacedState(address: address, payment: payment.copy()) }

    /// Returns a state in which the payment has changed.
    func paying(_ change: (StateMachine<Payment>) throws -> Void) rethrows -> PlacedState {
        let copy = copied()
        try change(copy.payment)
        return copy
    }
}

private struct Order: Workflow {
    static var initial: any WorkflowState { CartState() }
    let place = Event(from: CartState.self, to: PlacedState.self)
    let pay = Event(updating: PlacedState.self)
    let ship = Event(from: PlacedState.self, to: ShippedState.self)
        .guarded { placed, _, _ in if !placed.payment.isIn(SettledState.self) { throw NotPaid() } }
}

@Suite("Composites") struct CompositeArticleTests {
    @Test("The child changes with its parent, and both are archived")
    func paid() throws {
        let order = StateMachine<Order>()
        try order.fire.place(PlacedState(address: "1 Main St"))
        try order.fire.pay { placed in
            try placed.paying { payment in try payment.fire.settle(SettledState(amount: 900)) }
        }
        try order.fire.ship()
        #expect(order.state is ShippedState && order.revision == 3)
    }

    @Test("A child that rejects declines the parent's fire, and nothing has changed")
    func declined() throws {
        let order = StateMachine<Order>()
        try order.fire.place(PlacedState(address: "1 Main St"))
        let before = try order.archive()
        do {
            try order.fire.pay { placed in
                try placed.paying { payment in try payment.fire.settle(SettledState(amount: 0)) }
            }
        } catch {
            print(error.reason, (error.underlyingError as? InvalidTransition)?.workflow ?? "")  // declined Payment
        }
        #expect(try order.archive() == before)
        #expect(throws: InvalidTransition.self) { try order.fire.ship() }

        try order.fire.pay { try $0.paying { try $0.fire.settle(SettledState(amount: 1)) } }
        let restored = try StateMachine<Order>(archive: order.archive())
        #expect((restored.state as? PlacedState)?.payment.isIn(SettledState.self) == true)
        try restored.fire.ship()
        #expect(order.state is PlacedState)
    }

    @Test("What the article says of the error is so")
    func words() throws {
        let order = StateMachine<Order>()
        try order.fire.place(PlacedState(address: "1 Main St"))
        let error = try #require(throws: InvalidTransition.self) {
            try order.fire.pay { try $0.paying { try $0.fire.settle(SettledState(amount: 0)) } }
        }
        #expect(error.reason == .declined)
        #expect((error.underlyingError as? InvalidTransition)?.workflow == "Payment")
    }
}
