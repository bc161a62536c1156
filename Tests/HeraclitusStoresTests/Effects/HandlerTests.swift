import Foundation
import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import Testing

@testable import Fixtures

@Suite("Handlers of effects") struct HandlerTests {
    struct Mail: Effect { let text: String }
    struct Payment: Effect { let amount: Int }

    /// An effect that is dropped when its order is no longer unpaid.
    struct Reminder: StateBoundEffect {
        let text: String
        func isWanted(in state: any WorkflowState) -> Bool { state is UnpaidState }
    }

    final class CartState: EmptyState {}

    final class UnpaidState: WorkflowState, Effecting {
        let text: String
        init(_ text: String) { self.text = text }
        var effects: [any Effect] { [Mail(text: text), Reminder(text: text), Payment(amount: 1)] }
    }

    /// A state with a reminder that is unwanted in it.
    final class CancelledState: EmptyState, Effecting {
        var effects: [any Effect] { [Reminder(text: "never"), Mail(text: "cancelled")] }
    }

    struct Order: Workflow {
        static var initial: any WorkflowState { CartState() }
        static var effects: [any Effect.Type] { [Mail.self, Payment.self, Reminder.self] }
        let place = Event(from: CartState.self, UnpaidState.self, to: UnpaidState.self)
        let correct = Event(updating: UnpaidState.self)
        let cancel = Event(from: UnpaidState.self, to: CancelledState.self)
    }

    struct Failed: Error {}

    private let store = InMemoryStore()
    private let clock = ManualClock()
    private let log = CallLog()

    private var orders: StoredWorkflow<Order> { store.workflow(Order.self, scheduler: clock.scheduler) }

    /// Handlers that record the types of effects.
    ///
    /// Some of them fail.
    private func handlers(
        policy: DeliveryPolicy? = nil,
        payment pay: @escaping @Sendable () throws -> Void = {},
        mail send: @escaping @Sendable () throws -> Void = {}
    ) -> EffectHandlers {
        EffectHandlers()
            .on(Payment.self, policy: policy) { [log] payment, _ in
                log.write("payment \(payment.amount)")
                try pay()
            }
            .on(Mail.self) { [log] mail, _ in
                log.write("mail \(mail.text)")
                try send()
            }
            .others { [log] effect, key in log.write("\(type(of: effect).name) of \(key.id)") }
    }

    private func names() async throws -> [String] {
        try await orders.effects().map { "\($0.name)\($0.isParked ? " parked" : "")" }
    }

    @Test("Each effect goes to the handler of its type, or to the handler for others, in order")
    func types() async throws {
        try await orders.update("1") { try $0.fire.place(UnpaidState("a")) }
        let report = try await orders.deliver(to: handlers())
        #expect(report.count == 3 && report.failures.isEmpty)
        #expect(log.entries == ["mail a", "Reminder of 1", "payment 1"])
        #expect(try await names() == [])
    }

    @Test("A type without a handler is an error before the first claim that names all such types")
    func missing() async throws {
        try await orders.update("1") { try $0.fire.place(UnpaidState("a")) }
        let stored = await store.load("1")
        let some = EffectHandlers().on(Payment.self) { [log] _, _ in log.write("payment") }
        for isWorker in [false, true] {
            let error = await #expect(throws: StoreError.self) {
                if isWorker { try await store.run(orders, to: some) } else { try await orders.deliver(to: some) }
            }
            guard case .missingHandlers(["Mail", "Reminder"]) = error else { throw error ?? StoreError.repeatedID("") }
            #expect("\(try #require(error))".contains("Mail, Reminder"))
        }
        #expect(await store.load("1") == stored)
        #expect(log.entries == [])
    }

    @Test("A handler's request for a later retry is kept and does not count as an attempt")
    func retryAt() async throws {
        try await orders.update("1") { try $0.fire.place(UnpaidState("a")) }
        let date = clock.date + 3_600
        let report = try await orders.deliver(
            policy: DeliveryPolicy(attempts: 1),
            to: handlers(mail: { throw EffectFailure.retry(at: date, because: Failed()) })
        )
        #expect(report.count == 0 && report.failures.map(\.id) == ["1"])
        let failure = try #require(report.failures.first)
        #expect(failure.error is Failed && failure.effect?.name == "Mail" && failure.effect?.isParked == false)
        #expect(try await orders.effects().map(\.attempts) == [0, 0, 0])
        #expect(await store.load("1")?.effects?.date == date)
        await clock.advance(by: .seconds(3_599))
        #expect(try await orders.deliver(to: handlers()).count == 0)
        await clock.advance(by: .seconds(1))
        #expect(try await orders.deliver(to: handlers()).count == 3)
    }

    @Test("A retry at a past date waits for the policy's first delay, and does not count as an attempt")
    func retryAtPassedDate() async throws {
        let fail: @Sendable () throws -> Void = { [log] in
            // An endless delivery would block all other tests.
            if log.entries.count < 50 { throw EffectFailure.retry(at: .distantPast, because: Failed()) }
        }
        let failing = handlers(mail: fail)
        let policy = DeliveryPolicy(attempts: 1, backOff: BackOff(first: .seconds(10), jitter: 0))
        try await orders.update("1") { try $0.fire.place(UnpaidState("a")) }
        for round in 1...3 {
            #expect(try await orders.deliver(policy: policy, to: failing).failureCount == 1)
            #expect(await store.load("1")?.effects?.date == clock.date + 10)
            // The next call comes too early.
            #expect(try await orders.deliver(policy: policy, to: failing).failureCount == 0)
            #expect(log.entries == Array(repeating: "mail a", count: round))
            #expect(try await orders.effects().map(\.attempts) == [0, 0, 0])
            await clock.advance(by: .seconds(10))
        }
        #expect(try await orders.deliver(to: handlers()).count == 3)
    }

    @Test("An effect parked by its handler lets the next effects go on, and can be retried")
    func park() async throws {
        try await orders.update("1") { try $0.fire.place(UnpaidState("a")) }
        let report = try await orders.deliver(to: handlers(mail: { throw EffectFailure.park(because: Failed()) }))
        #expect(report.count == 2 && report.failures.first?.error is Failed)
        #expect(report.failures.first?.effect?.isParked == true && report.failures.first?.effect?.attempts == 1)
        #expect(try await names() == ["Mail parked"])
        let parked = try #require(try await orders.effects().first)
        #expect(parked.error == "Failed()")
        #expect(try await orders.deliver(to: handlers()).count == 0)
        #expect(try await orders.retry(parked.key))
        #expect(try await orders.deliver(to: handlers()).count == 1)
    }

    @Test(
        "With blocking parked effects, the effects after one wait until it is retried or discarded",
        arguments: [false, true]
    )
    func blocking(isRetried: Bool) async throws {
        try await orders.update("1") { try $0.fire.place(UnpaidState("a")) }
        let policy = DeliveryPolicy(attempts: 1, parkedEffectsBlock: true)
        let report = try await orders.deliver(policy: policy, to: handlers(mail: { throw Failed() }))
        #expect(report.count == 0 && report.failureCount == 1)
        #expect(try await names() == ["Mail parked", "Reminder", "Payment"])
        #expect(await store.load("1")?.effects?.next == nil)
        // Effects of later units of work wait, too.
        try await orders.update("1") { try $0.fire.place(UnpaidState("b")) }
        #expect(try await orders.deliver(to: handlers()).count == 0)
        let key = try #require(try await orders.effects().first).key
        if isRetried { try await orders.retry(key) } else { try await orders.discard(key) }
        #expect(try await orders.deliver(to: handlers()).count == (isRetried ? 6 : 5))
    }

    @Test("A policy of a type applies to the type, and the delivery's policy to all others")
    func policies() async throws {
        for id in ["1", "2"] { try await orders.update(id) { try $0.fire.place(UnpaidState("a")) } }
        let handlers = handlers(policy: DeliveryPolicy(attempts: 1), payment: { throw Failed() })
        let report = try await orders.deliver(policy: DeliveryPolicy(attempts: 5), to: handlers)
        #expect(report.count == 4 && report.failureCount == 2)
        #expect(try await names() == ["Payment parked", "Payment parked"])
    }

    @Test("An effect that is unwanted in the next state is dropped in the same save, and the others stay")
    func stateBound() async throws {
        try await orders.update("1") { try $0.fire.place(UnpaidState("a")) }
        #expect(try await names() == ["Mail", "Reminder", "Payment"])
        try await orders.update("1") { try $0.fire.correct(UnpaidState("b")) }
        #expect(try await names() == ["Mail", "Reminder", "Payment"])
        let before = try #require(await store.load("1"))
        struct Stop: Error {}
        await #expect(throws: Stop.self) {
            try await orders.update("1") {
                try $0.fire.cancel()
                throw Stop()
            }
        }
        #expect(await store.load("1") == before)
        try await orders.update("1") { try $0.fire.cancel() }
        #expect(await store.load("1")?.revision == before.revision + 1)
        #expect(try await names() == ["Mail", "Payment", "Mail"])
        #expect(try await orders.deliver(to: handlers()).count == 3)
        #expect(log.entries == ["mail a", "payment 1", "mail cancelled"])
    }

    @Test("An effect that is dropped while it runs or waits holds up no others")
    func droppedMeanwhile() async throws {
        let orders = orders
        try await orders.update("1") { try $0.fire.place(UnpaidState("a")) }
        let patient = DeliveryPolicy(backOff: BackOff(first: .seconds(600)))
        let failing = EffectHandlers().on(Reminder.self) { _, _ in throw Failed() }.others { _, _ in }
        #expect(try await orders.deliver(policy: patient, to: failing).count == 1)
        try await orders.update("1") { try $0.fire.cancel() }
        #expect(try await orders.deliver(to: handlers()).count == 2)

        try await orders.update("2") { try $0.fire.place(UnpaidState("a")) }
        let cancelling = EffectHandlers()
            .on(Reminder.self) { _, key in try await orders.update(key.id) { try $0.fire.cancel() } }
            .others { _, _ in }
        let report = try await orders.deliver(to: cancelling)
        // Effects saved in between are for the next call.
        #expect(report.count == 3 && report.failures.isEmpty)
        #expect(try await names() == ["Mail"])
    }

    @Test(
        "A retry beyond all dates keeps the effect listed, and disturbs no other machine",
        arguments: [1e12, .infinity]
    )
    func retryNever(seconds: Double) async throws {
        let place = try StorePlace("directory")
        let orders = place.store.workflow(Order.self, scheduler: clock.scheduler)
        for id in ["1", "2"] { try await orders.update(id) { try $0.fire.place(UnpaidState("a")) } }
        let date = Date(timeIntervalSinceReferenceDate: seconds)
        let report = try await orders.deliver(
            to: handlers(mail: { throw EffectFailure.retry(at: date, because: Failed()) })
        )
        #expect(report.count == 0 && report.failureCount == 2)
        let waiting = try await orders.effects()
        #expect(waiting.count == 6)
        for effect in waiting where effect.name == "Mail" { #expect(try await orders.retry(effect.key)) }
        #expect(try await orders.deliver(to: handlers()).count == 6)
    }
}
