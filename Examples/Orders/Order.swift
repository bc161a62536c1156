import Foundation
import Heraclitus

/// An order from cart to doorstep, and back.
struct Order: Workflow {
    static var initial: any OrderState { CartState(items: []) }

    let change = Event(updating: CartState.self)
    let place = Event(from: CartState.self, to: PlacedState.self)
        .guarded { cart, _, _ in if cart.items.isEmpty { throw Refusal("the cart is empty") } }
    let receive = Event(updating: PlacedState.self)
    let pay = Event(from: PlacedState.self, to: PaidState.self)

    /// Fires by itself in an order that nobody has paid in time.
    let lapse = Event(from: PlacedState.self, to: CancelledState.self)
        .due(\.payBy) { placed in CancelledState(try placed.purchase?.refunded(), reason: "not paid in time") }
    let ship = Event(from: PaidState.self, to: ShippedState.self)
    let deliver = Event(from: ShippedState.self, to: DeliveredState.self)
    let giveBack = Event("return", from: ShippedState.self, DeliveredState.self, to: ReturnedState.self)
    let cancel = Event(from: CartState.self, PlacedState.self, PaidState.self, to: CancelledState.self)
}

struct Item: Codable, Equatable {
    let name: String
    let price: Decimal
    let quantity: Int
}

/// What was ordered, where it goes, and how it is paid: what every state after the cart has.
struct Purchase: Codable {
    let items: [Item]
    let address: String
    let payment: StateMachine<Payment>

    func copied() -> Purchase { Purchase(items: items, address: address, payment: payment.copy()) }

    /// The purchase with more paid; this one stays as it is.
    func paying(_ amount: Decimal) throws -> Purchase {
        let copy = copied()
        _ = try copy.payment.take(amount)
        return copy
    }

    /// The purchase with what was paid given back; this one stays as it is.
    func refunded() throws -> Purchase {
        let copy = copied()
        try copy.payment.giveBack()
        return copy
    }
}

protocol OrderState: WorkflowState {
    var items: [Item] { get }
    var purchase: Purchase? { get }

    /// What the state has to say of itself.
    var remark: String { get }
}

extension OrderState {
    var items: [Item] { purchase?.items ?? [] }
    var purchase: Purchase? { nil }
    var remark: String { "" }
    var total: Decimal { items.reduce(0) { $0 + $1.price * Decimal($1.quantity) } }
}

final class CartState: OrderState {
    static var name: String { "cart" }
    let items: [Item]

    init(items: [Item]) { self.items = items }

    func with(_ item: Item) -> CartState { CartState(items: items.filter { $0.name != item.name } + [item]) }

    func without(_ name: String) throws -> CartState {
        guard items.contains(where: { $0.name == name }) else { throw Refusal("there is no \(name) in the cart") }
        return CartState(items: items.filter { $0.name != name })
    }
}

final class PlacedState: OrderState, Copying {
    static var name: String { "placed" }
    private let content: Purchase

    /// When it lapses; `nil` in archives of before orders lapsed.
    let payBy: Date?
    var purchase: Purchase? { content }
    var remark: String { payBy.map { "to be paid by \($0.formatted(.iso8601))" } ?? "" }

    init(_ purchase: Purchase, payBy: Date?) {
        content = purchase
        self.payBy = payBy
    }

    func copied() -> PlacedState { PlacedState(content.copied(), payBy: payBy) }
    func paying(_ amount: Decimal) throws -> PlacedState { PlacedState(try content.paying(amount), payBy: payBy) }
}

final class PaidState: OrderState, Copying {
    static var name: String { "paid" }
    private let content: Purchase
    var purchase: Purchase? { content }

    init(_ purchase: Purchase) { content = purchase }
    func copied() -> PaidState { PaidState(content.copied()) }
}

final class ShippedState: OrderState, Copying {
    static var name: String { "shipped" }
    private let content: Purchase
    let tracking: String
    var purchase: Purchase? { content }
    var remark: String { "tracking \(tracking)" }

    init(_ purchase: Purchase, tracking: String) {
        content = purchase
        self.tracking = tracking
    }

    func copied() -> ShippedState { ShippedState(content.copied(), tracking: tracking) }
}

final class DeliveredState: OrderState, Copying {
    static var name: String { "delivered" }
    private let content: Purchase
    var purchase: Purchase? { content }

    init(_ purchase: Purchase) { content = purchase }
    func copied() -> DeliveredState { DeliveredState(content.copied()) }
}

final class ReturnedState: OrderState, Copying {
    static var name: String { "returned" }
    private let content: Purchase
    let reason: String
    var purchase: Purchase? { content }
    var remark: String { reason }

    init(_ purchase: Purchase, reason: String) {
        content = purchase
        self.reason = reason
    }

    func copied() -> ReturnedState { ReturnedState(content.copied(), reason: reason) }
}

/// Cancelled in the cart, it was no purchase yet.
final class CancelledState: OrderState, Copying {
    static var name: String { "cancelled" }
    let purchase: Purchase?
    let reason: String
    var remark: String { reason }

    init(_ purchase: Purchase?, reason: String) {
        self.purchase = purchase
        self.reason = reason
    }

    func copied() -> CancelledState { CancelledState(purchase?.copied(), reason: reason) }
}

/// Why something that the table would allow is not done.
struct Refusal: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
