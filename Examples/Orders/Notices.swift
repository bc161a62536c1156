import Heraclitus

/// A message to the buyer.
///
/// A real shop would pass the notice to a sender; this program prints it.
struct Notice: Effect {
    let address: String
    let text: String
}

extension Order {
    static var effects: [any Effect.Type] { [Notice.self] }
}

extension OrderState {
    fileprivate func notice(_ text: String) -> [any Effect] {
        purchase.map { [Notice(address: $0.address, text: text)] } ?? []
    }
}

extension PaidState: Effecting {
    var effects: [any Effect] { notice("Thank you for \(money(total)).") }
}

extension ShippedState: Effecting {
    var effects: [any Effect] { notice("Your parcel is \(tracking).") }
}

extension ReturnedState: Effecting {
    var effects: [any Effect] { notice("You get \(money(total)) back.") }
}
