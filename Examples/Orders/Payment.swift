import Foundation
import Heraclitus

/// The payment of an order: a machine within the placed order.
///
/// When the payment ends, the order is paid.
struct Payment: Workflow {
    static var initial: any WorkflowState { DueState(total: 0, received: 0) }

    /// Money that is not all of it.
    let receive = Event(updating: DueState.self)
    let settle = Event(from: DueState.self, to: SettledState.self)
}

final class DueState: WorkflowState {
    let total: Decimal
    let received: Decimal

    init(total: Decimal, received: Decimal) {
        self.total = total
        self.received = received
    }
}

final class SettledState: WorkflowState {
    let received: Decimal

    init(received: Decimal) { self.received = received }
}

extension StateMachine<Payment> {
    convenience init(of total: Decimal) { self.init(entering: DueState(total: total, received: 0)) }

    /// The received amount.
    var received: Decimal { (state as? SettledState)?.received ?? (state as? DueState)?.received ?? 0 }

    /// Takes money.
    ///
    /// The full amount ends the payment, and the order is paid in the same turn.
    func take(_ amount: Decimal) throws {
        guard let due = state as? DueState else { throw Refusal("nothing is due") }
        guard amount > 0 || due.total == 0 else { throw Refusal("\(amount) is no amount to pay") }
        let received = due.received + amount
        guard received <= due.total else {
            throw Refusal("only \(money(due.total - due.received)) is due")
        }
        if received < due.total {
            try fire.receive(DueState(total: due.total, received: received))
        } else {
            try fire.settle(SettledState(received: received))
        }
    }

    var text: String {
        switch state {
        case let due as DueState where due.received > 0: "\(money(due.received)) of \(money(due.total))"
        case let due as DueState: "\(money(due.total)) due"
        default: "\(money(received)) paid"
        }
    }
}

/// An amount with two decimals.
func money(_ amount: Decimal) -> String {
    let parts = "\(amount)".split(separator: ".")
    let cents = parts.count > 1 ? parts[1] : ""
    return "\(parts[0]).\(cents)\(String(repeating: "0", count: max(0, 2 - cents.count)))"
}
