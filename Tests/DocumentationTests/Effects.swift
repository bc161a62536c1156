import Foundation
import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import Synchronization
import Testing

private final class CartState: EmptyState {}

private struct Remind: StateBoundEffect {
    let address: String
    let date: Date
    func isWanted(in state: any WorkflowState) -> Bool { state is CartState }
}

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
    static var effects: [any Effect.Type] { [SendMail.self, Remind.self] }
    let pay = Event(from: CartState.self, to: PaidState.self)
}

private struct Busy: Error {}
private struct TooEarly: Error {}
private struct Gone: Error {}

private final class Mailer: Sendable {
    enum Status {
        case busy(until: Date)
        case gone
        case ready
    }

    let sent = Mutex<[String]>([])
    let isGone = Mutex(false)

    func send(_ mail: SendMail, once key: String) async throws { sent.withLock { $0.append(mail.to) } }
    func remind(_ address: String) async throws {}
    func status(of mail: SendMail) async throws -> Status { isGone.withLock { $0 } ? .gone : .ready }
}

private struct Charge: Effect { let amount: Int }

private final class OpenState: WorkflowState, Effecting {
    let amount: Int
    init(amount: Int) { self.amount = amount }

    var effects: [any Effect] { [Charge(amount: amount)] }
}

private final class SettledState: EmptyState {}

private struct Payment: Workflow {
    static var initial: OpenState.Type { OpenState.self }
    typealias AnyState = any WorkflowState
    static var effects: [any Effect.Type] { [Charge.self] }
    let settle = Event(from: OpenState.self, to: SettledState.self).ignored(in: SettledState.self)
}

/// A bank that books each key once, and whose first answer is lost.
private actor Bank {
    private(set) var booked: [String: Int] = [:]

    func charge(_ amount: Int, once key: String) throws {
        let isNew = booked.updateValue(amount, forKey: key) == nil
        if isNew { throw Busy() }
    }
}

@Suite("Effects of the article") struct EffectsArticleTests {
    @Test("An effect is saved with its machine, delivered, parked and retried")
    func delivered() async throws {
        let store = Archive.inMemory()
        let mailer = Mailer()
        let handlers = EffectHandlers()
            .on(SendMail.self) { mail, key in try await mailer.send(mail, once: "\(key)") }
            .on(Remind.self) { reminder, _ in
                if reminder.date > Date() { throw EffectFailure.retry(at: reminder.date, because: TooEarly()) }
                try await mailer.remind(reminder.address)
            }
        let patient = EffectHandlers().on(SendMail.self, policy: DeliveryPolicy(attempts: 50)) { mail, key in
            switch try await mailer.status(of: mail) {
            case .busy(let until): throw EffectFailure.retry(at: until, because: Busy())
            case .gone: throw EffectFailure.park(because: Gone())
            case .ready: try await mailer.send(mail, once: "\(key)")
            }
        }
        mailer.isGone.withLock { $0 = true }
        let orders = store.workflow(Order.self)
        try await orders.update("42") { order in try order.fire.pay(PaidState(buyer: "bob@example.org")) }
        let report = try await orders.deliver(to: patient.on(Remind.self) { _, _ in })
        #expect(report.failureCount == 1)

        let printed = Mutex<[String]>([])
        func print(_ words: Any...) { printed.withLock { $0.append("\(words[1]) \(words[2])") } }
        for effect in try await orders.effects() where effect.isParked {
            print(effect.key, effect.name, effect.error ?? "")
            try await orders.retry(effect.key)
        }
        #expect(printed.withLock { $0 } == ["SendMail Gone()"])
        try await orders.deliver(to: handlers)
        #expect(mailer.sent.withLock { $0 } == ["bob@example.org"])
    }

    @Test("The article's handlers deliver an effect")
    func handedOver() async throws {
        let store = Archive.inMemory()
        let mailer = Mailer()
        let handlers = EffectHandlers()
            .on(SendMail.self) { mail, key in try await mailer.send(mail, once: "\(key)") }
            .on(Remind.self) { reminder, _ in
                if reminder.date > Date() { throw EffectFailure.retry(at: reminder.date, because: TooEarly()) }
                try await mailer.remind(reminder.address)
            }
        let orders = store.workflow(Order.self)
        try await orders.update("42") { order in try order.fire.pay(PaidState(buyer: "ann@example.org")) }
        try await orders.deliver(to: handlers)
        #expect(mailer.sent.withLock { $0 } == ["ann@example.org"])
    }

    @Test("A handler changes the machine of its effect")
    func settled() async throws {
        let clock = ManualClock()
        let payments = Archive.inMemory().workflow(Payment.self, scheduler: clock.scheduler)
        let bank = Bank()
        let charging = EffectHandlers().on(Charge.self) { charge, key in
            try await bank.charge(charge.amount, once: "\(key)")
            try await payments.update(key.id) { payment in try payment.fire.settle() }
        }
        func opened() -> StateMachine<Payment> { StateMachine(entering: OpenState(amount: 20)) }
        try await payments.update("42", creating: opened) { $0.activate() }
        #expect(try await payments.deliver(to: charging).failureCount == 1)
        await clock.advance(by: .seconds(2))
        #expect(try await payments.deliver(to: charging).failureCount == 0)
        let payment = try #require(try await payments.machine("42")).machine
        #expect(payment.isIn(SettledState.self))
        #expect(await bank.booked.values.map { $0 } == [20])
        #expect(try await payments.effects().isEmpty)
        // A failure after the update lets the handler run again.
        let failures = Mutex(1)
        let failing = EffectHandlers().on(Charge.self) { charge, key in
            try await payments.update(key.id) { payment in try payment.fire.settle() }
            let isFailing = failures.withLock { failures in
                failures -= 1
                return failures >= 0
            }
            if isFailing { throw Busy() }
        }
        try await payments.update("43", creating: opened) { $0.activate() }
        #expect(try await payments.deliver(to: failing).failureCount == 1)
        await clock.advance(by: .seconds(2))
        #expect(try await payments.deliver(to: failing).failureCount == 0)
        #expect(try await payments.effects().isEmpty)
    }
}
