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

private struct Unreachable: Error {}

/// Stands for what the reader sends mails with.
private final class Mailer: Sendable {
    let sent = Mutex<[String]>([])
    let isBroken = Mutex(false)

    func send(_ mail: SendMail, once key: String) async throws {
        if isBroken.withLock({ $0 }) { throw Unreachable() }
        sent.withLock { $0.append("\(key) \(mail.to)") }
    }
}

@Suite("Effects, as in their article") struct EffectsArticleTests {
    private let store = InMemoryStore()
    private let mailer = Mailer()

    @Test("What is declared is delivered")
    func delivered() async throws {
        let mailer = mailer
        let orders = store.workflow(Order.self)
        try await orders.update("42") { order in
            try order.fire.pay(PaidState(buyer: "ann@example.org"))
        }

        let handlers = EffectHandlers().on(SendMail.self) { mail, key in
            try await mailer.send(mail, once: "\(key)")
        }
        try await orders.deliver(to: handlers)
        let sent = mailer.sent.withLock { $0 }
        #expect(sent.count == 1 && sent[0].hasPrefix("42/") && sent[0].hasSuffix("/0 ann@example.org"))
    }

    @Test("What is parked is listed and tried again")
    func parked() async throws {
        let mailer = mailer
        let orders = store.workflow(Order.self)
        try await orders.update("42") { order in
            try order.fire.pay(PaidState(buyer: "ann@example.org"))
        }
        mailer.isBroken.withLock { $0 = true }
        let handlers = EffectHandlers().on(SendMail.self) { mail, key in try await mailer.send(mail, once: "\(key)") }
        try await orders.deliver(policy: DeliveryPolicy(attempts: 1), to: handlers)
        mailer.isBroken.withLock { $0 = false }
        for effect in try await orders.effects() where effect.isParked {
            print(effect.key, effect.name, effect.error ?? "")
            try await orders.retry(effect.key)
        }
        #expect(try await orders.deliver(to: handlers).count == 1)
        #expect(mailer.sent.withLock { $0.count } == 1)
    }

    @Test("Several machines are one unit of work")
    func several() async throws {
        try await store.unit { unit in
            let ann = try await unit.machine("ann", of: Account.self)
            let bob = try await unit.machine("bob", of: Account.self)
            try ann.fire.withdraw { open in OpenState(open.balance - 10) }
            try bob.fire.deposit { open in OpenState(open.balance + 10) }
        }
        let accounts = store.workflow(Account.self)
        #expect(try await accounts.machine("ann")?.machine.state.balance == 90)
        #expect(try await accounts.machine("bob")?.machine.state.balance == 110)
    }
}
