import Foundation
import Heraclitus

/// How an order is paid: a machine of its own within the order's states.
struct Payment: Workflow {
    static var initial: any WorkflowState { DueState(total: 0, received: 0) }

    /// Money that is not all of it.
    let receive = Event(updating: DueState.self)
    let settle = Event(from: DueState.self, to: SettledState.self)
    let refund = Event(from: DueState.self, SettledState.self, to: RefundedState.self)
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

final class RefundedState: WorkflowState {
    let amount: Decimal

    init(amount: Decimal) { self.amount = amount }
}

extension StateMachine<Payment> {
    convenience init(of total: Decimal) { self.init(entering: DueState(total: total, received: 0)) }

    /// Takes money, and says whether that is all of it.
    func take(_ amount: Decimal) throws -> Bool {
        guard let due = state as? DueState else { throw Refusal("nothing is due") }
        guard amount > 0 || due.total == 0 else { throw Refusal("\(amount) is no amount to pay") }
        let received = due.received + amount
        guard received <= due.total else {
            throw Refusal("only \(money(due.total - due.received)) is due")
        }
        if received < due.total {
            try fire.receive(DueState(total: due.total, received: received))
            return false
        }
        try fire.settle(SettledState(received: received))
        return true
    }

    /// Gives back what was received, if anything was.
    func giveBack() throws {
        let received = (state as? SettledState)?.received ?? (state as? DueState)?.received ?? 0
        if received > 0 { try fire.refund(RefundedState(amount: received)) }
    }

    var text: String {
        switch state {
        case let due as DueState where due.received > 0: "\(money(due.received)) of \(money(due.total))"
        case let due as DueState: "\(money(due.total)) due"
        case let settled as SettledState: "\(money(settled.received)) paid"
        case let refunded as RefundedState: "\(money(refunded.amount)) refunded"
        default: ""
        }
    }
}

/// An amount with two decimals.
func money(_ amount: Decimal) -> String {
    let parts = "\(amount)".split(separator: ".")
    let cents = parts.count > 1 ? parts[1] : ""
    return "\(parts[0]).\(cents)\(String(repeating: "0", count: max(0, 2 - cents.count)))"
}
