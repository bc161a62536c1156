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

/// The main actor's, and not Sendable.
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
    @Test("The main actor carries effects out, is told of a failure, lists what is parked, and has it tried again")
    func deliver() async throws {
        let store = InMemoryStore()
        let outbox = Outbox()
        try await store.workflow(Order.self).update("a") { try $0.fire.pay(PaidState(by: "Ada")) }
        for isOnline in [false, true] {
            outbox.isOnline = isOnline
            for parked in try await store.workflow(Order.self).effects() where parked.isParked {
                try await store.retry(parked.key)
            }
            try await store.workflow(Order.self).deliver(policy: DeliveryPolicy(attempts: 1)) { @MainActor effect, error in
                MainActor.assertIsolated()
                outbox.failures.append("\(effect.name): \(error)")
            } _: { @MainActor effect, _ in
                guard let mail = effect as? SendMail else { return }
                try outbox.send(mail)
            }
        }
        #expect(outbox.failures == ["SendMail: Offline()"])
        #expect(outbox.mails.map(\.to) == ["Ada"] && outbox.mails.map(\.lines) == [[Line(text: "Thank you")]])
        #expect(try await store.workflow(Order.self).effects().isEmpty)
    }
}
