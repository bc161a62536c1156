import Heraclitus
import HeraclitusStores
import Testing

// Effects in a module of the main actor: only the protocol of the states says `nonisolated`.

private nonisolated protocol OrderState: WorkflowState {}

private final class OpenState: OrderState, EmptyState {}

private final class PaidState: OrderState, Effecting {
    let buyer: String
    init(by buyer: String) { self.buyer = buyer }
    var effects: [any Effect] { [SendMail(to: buyer, lines: [Line(text: "Thank you")])] }
}

private struct Line: Codable, Equatable {
    let text: String
}

private struct SendMail: Effect {
    let to: String
    let lines: [Line]
}

private struct Order: Workflow {
    static var initial: any OrderState { OpenState() }
    static var effects: [any Effect.Type] { [SendMail.self] }
    let pay = Event(from: OpenState.self, to: PaidState.self)
}

/// An outbox of the main actor, which is not Sendable.
private final class Outbox {
    var mails: [SendMail] = []
    var failures: [String] = []
    var isOnline = false

    func send(_ mail: SendMail) throws {
        guard isOnline else { throw Offline() }
        mails.append(mail)
    }
}

private struct Offline: Error {}

@Suite("Effects in modules of the main actor") struct EffectTests {
    @Test("Handlers on the main actor run effects, get failures, list parked effects and retry them")
    func deliver() async throws {
        let orders = InMemoryStore().workflow(Order.self)
        let outbox = Outbox()
        try await orders.update("a") { try $0.fire.pay(PaidState(by: "Ada")) }
        for isOnline in [false, true] {
            outbox.isOnline = isOnline
            for parked in try await orders.effects() where parked.isParked { try await orders.retry(parked.key) }
            let handlers = EffectHandlers().on(SendMail.self) { @MainActor mail, _ in
                MainActor.assertIsolated()
                try outbox.send(mail)
            }
            let report = try await orders.deliver(policy: DeliveryPolicy(attempts: 1), to: handlers)
            outbox.failures += report.failures.map { "\($0.effect?.name ?? ""): \($0.error)" }
        }
        #expect(outbox.failures == ["SendMail: Offline()"])
        #expect(outbox.mails.map(\.to) == ["Ada"] && outbox.mails.map(\.lines) == [[Line(text: "Thank you")]])
        #expect(try await orders.effects().isEmpty)
    }
}
