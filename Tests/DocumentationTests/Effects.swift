import Foundation
import Heraclitus
import HeraclitusStores
import Synchronization
import Testing

private final class CartState: EmptyState {}

private struct SendMail: Effect {
    let to: String
    let subject: String
}

private final class PaidState: WorkflowState, Effecting {
    let buyer: String
    init(buyer: String) { self.buyer = buyer }

    var effects: [any Effect] { [SendMail(to: buyer, subject: "Thank you")] }
}

private struct Order: Workflow {
    static var initial: any WorkflowState { CartState() }
    static var effects: [any Effect.Type] { [SendMail.self] }
    let pay = Event(from: CartState.self, to: PaidState.self)
}

private final class OpenState: WorkflowState {
    let balance: Int
    init(_ balance: Int) { self.balance = balance }
}

private struct Account: Workflow {
    static var initial: OpenState { OpenState(100) }
    let withdraw = Event(updating: OpenState.self)
    let deposit = Event(updating: OpenState.self)
}

private struct Unhandled: Error {}

/// Stands for what the reader sends mails with.
private final class Mailer: Sendable {
    let sent = Mutex<[String]>([])
    let isBroken = Mutex(false)

    func send(_ mail: SendMail, once key: String) async throws {
        if isBroken.withLock({ $0 }) { throw Unhandled() }
        sent.withLock { $0.append("\(key) \(mail.to)") }
    }
}

@Suite("Effects, as in their article") struct EffectsArticleTests {
    private let store = InMemoryStore()
    private let mailer = Mailer()

    @Test("What is declared is delivered")
    func delivered() async throws {
        let (store, mailer) = (store, mailer)
        try await store.workflow(Order.self).update("42") { order in
            try order.fire.pay(PaidState(buyer: "ann@example.org"))
        }

        try await store.workflow(Order.self).deliver() { effect, key in
            switch effect {
            case let mail as SendMail: try await mailer.send(mail, once: "\(key)")
            default: throw Unhandled()
            }
        }
        #expect(mailer.sent.withLock { $0 } == ["42/1/0 ann@example.org"])
    }

    @Test("What is parked is listed and tried again")
    func parked() async throws {
        let (store, mailer) = (store, mailer)
        try await store.workflow(Order.self).update("42") { order in
            try order.fire.pay(PaidState(buyer: "ann@example.org"))
        }
        mailer.isBroken.withLock { $0 = true }
        @Sendable func send(_ effect: any Effect, _ key: EffectKey) async throws {
            if let mail = effect as? SendMail { try await mailer.send(mail, once: "\(key)") }
        }
        try await store.workflow(Order.self).deliver(policy: DeliveryPolicy(attempts: 1), send)
        mailer.isBroken.withLock { $0 = false }
        for effect in try await store.workflow(Order.self).effects() where effect.isParked {
            print(effect.key, effect.name, effect.error ?? "")
            try await store.retry(effect.key)
        }
        #expect(try await store.workflow(Order.self).deliver(send) == 1)
        #expect(mailer.sent.withLock { $0.count } == 1)
    }

    @Test("Several machines are one unit of work")
    func several() async throws {
        try await store.update(together: ["ann", "bob"], of: Account.self) { accounts in
            try accounts[0].fire.withdraw { open in OpenState(open.balance - 10) }
            try accounts[1].fire.deposit { open in OpenState(open.balance + 10) }
        }
        #expect(try await store.workflow(Account.self).machine("ann")?.machine.state.balance == 90)
        #expect(try await store.workflow(Account.self).machine("bob")?.machine.state.balance == 110)
    }
}
