import Foundation
import Heraclitus

/// An order from cart to doorstep, and back.
struct Order: Workflow {
    static var initial: any OrderState { CartState(items: []) }
    static var version: Int { 2 }
    static var migrations: [Migration] {
        [.step("a payment goes on in a placed order, and is an amount afterwards", in: 2, separatePayment)]
    }

    let change = Event(updating: CartState.self)
    let place = Event(from: CartState.self, to: PlacedState.self)
        .guarded { cart, _, _ in if cart.items.isEmpty { throw Refusal("the cart is empty") } }

    /// Fires when the payment has ended.
    let pay = Event(from: PlacedState.self, to: PaidState.self)
        .whenFinal(\.payment).enters { placed in PaidState(placed.content, paid: placed.payment.received) }

    /// Fires in an order that was not paid in time.
    let lapse = Event(from: PlacedState.self, to: CancelledState.self)
        .due(\.payBy).enters { placed in placed.cancelled(because: "not paid in time") }
    let ship = Event(from: PaidState.self, to: ShippedState.self)
    let deliver = Event(from: ShippedState.self, to: DeliveredState.self)
    let giveBack = Event("return", from: ShippedState.self, DeliveredState.self, to: ReturnedState.self)
    let cancel = Event(from: CartState.self, PlacedState.self, PaidState.self, to: CancelledState.self)

    /// In version 1 every state after the cart had a payment within its purchase, even an ended one.
    @Sendable
    private static func separatePayment(_ archive: inout RawArchive) throws {
        let key = archive.state == CancelledState.name ? "purchase" : "content"
        let payment = archive.data[key]?["payment"]
        if payment != nil { archive.data[key]?["payment"] = nil }
        switch archive.state {
        case CartState.name: break
        case PlacedState.name: archive.data["payment"] = payment
        case CancelledState.name, ReturnedState.name: archive.data["refunded"] = payment?["data"]?["amount"] ?? 0
        default: archive.data["paid"] = payment?["data"]?["received"]
        }
    }
}

struct Item: Codable, Equatable {
    let name: String
    let price: Decimal
    let quantity: Int
}

/// The ordered items and the address, which every state after the cart has.
struct Purchase: Codable {
    let items: [Item]
    let address: String
}

protocol OrderState: WorkflowState {
    var items: [Item] { get }
    var purchase: Purchase? { get }

    /// The received amount without refunds.
    var received: Decimal { get }

    /// How the payment stands.
    var paymentText: String { get }

    /// The description of the state.
    var remark: String { get }
}

extension OrderState {
    var items: [Item] { purchase?.items ?? [] }
    var purchase: Purchase? { nil }
    var received: Decimal { 0 }
    var paymentText: String { purchase == nil ? "" : "\(money(received)) paid" }
    var remark: String { "" }
    var total: Decimal { items.reduce(0) { $0 + $1.price * Decimal($1.quantity) } }

    /// The cancelled order, with the received amount refunded.
    func cancelled(because reason: String) -> CancelledState {
        CancelledState(purchase, refunded: received, reason: reason)
    }

    /// The returned order, with the received amount refunded.
    func returned(because reason: String) throws -> ReturnedState {
        guard let purchase else { throw Refusal("nothing was bought") }
        return ReturnedState(purchase, refunded: received, reason: reason)
    }
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

/// An order with an active payment.
final class PlacedState: OrderState, Composite {
    static var name: String { "placed" }
    let content: Purchase
    let payment: StateMachine<Payment>

    /// The date at which the order lapses; `nil` in archives from before orders lapsed.
    let payBy: Date?
    var regions: [any Region] { [payment] }
    var purchase: Purchase? { content }
    var received: Decimal { payment.received }
    var paymentText: String { payment.text }
    var remark: String { payBy.map { "to be paid by \($0.formatted(.iso8601))" } ?? "" }

    init(_ purchase: Purchase, _ payment: StateMachine<Payment>, payBy: Date?) {
        content = purchase
        self.payment = payment
        self.payBy = payBy
    }

    func copied() -> PlacedState { PlacedState(content, payment.copy(), payBy: payBy) }
}

final class PaidState: OrderState {
    static var name: String { "paid" }
    let content: Purchase
    let paid: Decimal
    var purchase: Purchase? { content }
    var received: Decimal { paid }

    init(_ purchase: Purchase, paid: Decimal) {
        content = purchase
        self.paid = paid
    }
}

final class ShippedState: OrderState {
    static var name: String { "shipped" }
    private let content: Purchase
    private let paid: Decimal
    let tracking: String
    var purchase: Purchase? { content }
    var received: Decimal { paid }
    var remark: String { "tracking \(tracking)" }

    init(_ paid: PaidState, tracking: String) {
        content = paid.content
        self.paid = paid.paid
        self.tracking = tracking
    }

    var delivered: DeliveredState { DeliveredState(content, paid: paid) }
}

final class DeliveredState: OrderState {
    static var name: String { "delivered" }
    private let content: Purchase
    private let paid: Decimal
    var purchase: Purchase? { content }
    var received: Decimal { paid }

    init(_ purchase: Purchase, paid: Decimal) {
        content = purchase
        self.paid = paid
    }
}

final class ReturnedState: OrderState {
    static var name: String { "returned" }
    private let content: Purchase
    private let refunded: Decimal
    let reason: String
    var purchase: Purchase? { content }
    var paymentText: String { "\(money(refunded)) refunded" }
    var remark: String { reason }

    init(_ purchase: Purchase, refunded: Decimal, reason: String) {
        content = purchase
        self.refunded = refunded
        self.reason = reason
    }
}

/// An order cancelled in the cart was no purchase.
final class CancelledState: OrderState {
    static var name: String { "cancelled" }
    let purchase: Purchase?
    private let refunded: Decimal
    let reason: String
    var paymentText: String {
        if purchase == nil { return "" }
        return refunded > 0 ? "\(money(refunded)) refunded" : "\(money(total)) due"
    }
    var remark: String { reason }

    init(_ purchase: Purchase?, refunded: Decimal, reason: String) {
        self.purchase = purchase
        self.refunded = refunded
        self.reason = reason
    }
}

/// The reason why the shop refuses an action that the table allows.
struct Refusal: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
