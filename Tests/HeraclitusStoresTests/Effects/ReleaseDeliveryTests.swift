import Foundation
import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import Testing

@testable import Fixtures

/// Two releases of a program deliver from one store.
@Suite("Effects of another release") struct ReleaseDeliveryTests {
    struct Mail: Effect, Equatable { let text: String }
    struct Push: Effect, Equatable { let text: String }

    final class QuietState: EmptyState {}
    final class MailingState: WorkflowState, Effecting {
        let text: String
        init(_ text: String) { self.text = text }
        var effects: [any Effect] { [Mail(text: text)] }
    }
    final class PushingState: WorkflowState, Effecting {
        let text: String
        init(_ text: String) { self.text = text }
        var effects: [any Effect] { [Push(text: text)] }
    }

    /// The previous release, which knows only mail.
    struct Former: Workflow {
        static var name: String { "Office" }
        static var initial: any WorkflowState { QuietState() }
        static var states: [any WorkflowState.Type] { [QuietState.self, PushingState.self] }
        static var effects: [any Effect.Type] { [Mail.self] }
        let mail = Event(to: MailingState.self)
    }

    /// The next release, with a new type of effects in the same version.
    struct Next: Workflow {
        static var name: String { "Office" }
        static var initial: any WorkflowState { QuietState() }
        static var states: [any WorkflowState.Type] { [QuietState.self] }
        static var effects: [any Effect.Type] { [Mail.self, Push.self] }
        let mail = Event(to: MailingState.self)
        let push = Event(to: PushingState.self)
    }

    /// A later release with a new version.
    struct Newer: Workflow {
        static var name: String { "Office" }
        static var version: Int { 2 }
        static var migrations: [Migration] { [.unchanged(in: 2)] }
        static var initial: any WorkflowState { QuietState() }
        static var states: [any WorkflowState.Type] { [QuietState.self] }
        static var effects: [any Effect.Type] { [Mail.self] }
        let mail = Event(to: MailingState.self)
    }

    private let store = InMemoryStore()

    /// Delivers effects as one release.
    /// - Returns: The delivered effects, and the reported ones.
    private func deliver<W: Workflow>(_ workflow: W.Type) async throws -> (handed: [String], failed: [String]) {
        let handed = Lock<[String]>([])
        let report = try await store.workflow(workflow).deliver(
            to: EffectHandlers().others { effect, _ in handed.withLock { $0.append("\(effect)") } }
        )
        let found = handed.withLock(\.self)
        #expect(report.count == found.count && report.failures.count == report.failureCount)
        let failed = try report.failures.map { failure in
            guard case ArchiveError.unknownEffect("Push", known: ["Mail"]) = failure.error else { throw failure.error }
            let effect = try #require(failure.effect)
            #expect(effect.key.id == failure.id)
            return "\(effect.name) \(effect.data["text"]?.stringValue ?? "") \(effect.isParked)"
        }
        return (found, failed)
    }

    @Test("An effect of an unknown type waits with the effects after it, and each call reports it")
    func unknown() async throws {
        try await store.workflow(Next.self).update("1") { machine in
            try machine.fire.push(PushingState("a"))
            try machine.fire.mail(MailingState("b"))
        }
        let stored = await store.load("1")
        for _ in 1...2 {
            let former = try await deliver(Former.self)
            #expect(former.handed.isEmpty && former.failed == ["Push a false"])
        }
        #expect(await store.load("1") == stored)
        #expect(try await deliver(Next.self).handed == [#"Push(text: "a")"#, #"Mail(text: "b")"#])
    }

    @Test("Effects before one of an unknown type are delivered, and the next release goes on at once")
    func unknownSecond() async throws {
        try await store.workflow(Next.self).update("1") { machine in
            try machine.fire.mail(MailingState("a"))
            try machine.fire.push(PushingState("b"))
            try machine.fire.mail(MailingState("c"))
        }
        let former = try await deliver(Former.self)
        #expect(former.handed == [#"Mail(text: "a")"#] && former.failed == ["Push b false"])
        let left = try await store.workflow(Next.self).effects()
        #expect(left.map(\.name) == ["Push", "Mail"] && left.allSatisfy { $0.attempts == 0 && $0.error == nil })
        #expect(try await deliver(Next.self).handed == [#"Push(text: "b")"#, #"Mail(text: "c")"#])
    }

    @Test("Any number of machines with effects of an unknown type hold up no others")
    func others() async throws {
        for number in 1...100 {
            try await store.workflow(Next.self).update("\(number)") { try $0.fire.push(PushingState("\(number)")) }
        }
        for number in 101...110 {
            try await store.workflow(Former.self).update("\(number)") { try $0.fire.mail(MailingState("\(number)")) }
        }
        let former = try await deliver(Former.self)
        #expect(former.handed.count == 10)
        #expect(Set(former.failed) == Set((1...100).map { "Push \($0) false" }) && former.failed.count == 100)
        #expect(try await deliver(Next.self).handed.count == 100)
    }

    @Test("Effects in archives of a newer version are left to the release that wrote them")
    func newerVersion() async throws {
        try await store.workflow(Newer.self).update("1") { try $0.fire.mail(MailingState("new")) }
        try await store.workflow(Former.self).update("2") { try $0.fire.mail(MailingState("old")) }
        let stored = await store.load("1")
        let former = try await deliver(Former.self)
        #expect(former.handed == [#"Mail(text: "old")"#] && former.failed.isEmpty)
        #expect(await store.load("1") == stored)
        #expect(try await deliver(Newer.self).handed == [#"Mail(text: "new")"#])
    }

    @Test("Machines of a newer version are counted if their effects are due")
    func newerCount() async throws {
        for id in ["1", "2"] {
            try await store.workflow(Newer.self).update(id) { try $0.fire.mail(MailingState("new")) }
        }
        let handlers = EffectHandlers().others { _, _ in }
        let former = try await store.workflow(Former.self).deliver(to: handlers)
        #expect(former.newerCount == 2 && former.count == 0)
        #expect(try await store.workflow(Former.self).rehearseMigration().newerCount == 2)
        #expect(try await store.workflow(Former.self).ids() == [])
        let newer = try await store.workflow(Newer.self).deliver(to: handlers)
        #expect(newer.count == 2 && newer.newerCount == 0)
        #expect(try await store.workflow(Former.self).deliver(to: handlers).newerCount == 0)
    }

    @Test("An effect of an unknown type is reported after the time that the policy says")
    func unknownEffectAge() async throws {
        let clock = ManualClock()
        try await store.workflow(Next.self, scheduler: clock.scheduler).update("1") {
            try $0.fire.push(PushingState("a"))
        }
        let policy = DeliveryPolicy(unknownEffectAge: .seconds(60))
        let former = store.workflow(Former.self, scheduler: clock.scheduler)
        let handlers = EffectHandlers().others { _, _ in }
        for (seconds, count) in [(0, 0), (59, 0), (2, 1)] {
            await clock.advance(by: .seconds(seconds))
            #expect(try await former.deliver(policy: policy, to: handlers).failureCount == count)
        }
    }

    @Test("An update by a release with unknown effects keeps the effects")
    func keptByUpdate() async throws {
        try await store.workflow(Next.self).update("1") { try $0.fire.push(PushingState("a")) }
        try await store.workflow(Former.self).update("1") { try $0.fire.mail(MailingState("b")) }
        #expect(try await store.workflow(Next.self).effects().map(\.name) == ["Push", "Mail"])
        #expect(try await deliver(Next.self).handed == [#"Push(text: "a")"#, #"Mail(text: "b")"#])
    }

    // MARK: An upgrade during a delivery

    /// The previous release, whose amounts are in euros.
    enum Euros {
        struct Charge: Effect {
            static let name = "Charge"
            let amount: Int
        }

        struct Note: Effect {
            static let name = "Note"
            let text: String
        }

        final class PaidState: WorkflowState, Effecting {
            static let name = "Paid"
            let hasNote: Bool
            init(hasNote: Bool) { self.hasNote = hasNote }
            var effects: [any Effect] {
                if hasNote { return [Charge(amount: 5), Note(text: "a")] }
                return [Charge(amount: 5), Charge(amount: 7)]
            }
        }

        struct Payment: Workflow {
            static var name: String { "Payment" }
            static var initial: any WorkflowState { QuietState() }
            static var effects: [any Effect.Type] { [Charge.self, Note.self] }
            let pay = Event(from: QuietState.self, to: PaidState.self)
        }
    }

    /// The next release, whose amounts are in cents, and whose notes have a body.
    enum Cents {
        struct Charge: Effect {
            static let name = "Charge"
            let amount: Int
        }

        struct Note: Effect {
            static let name = "Note"
            let body: String
        }

        final class PaidState: WorkflowState {
            static let name = "Paid"
            let hasNote: Bool
            init(hasNote: Bool) { self.hasNote = hasNote }
        }

        struct Payment: Workflow {
            static var name: String { "Payment" }
            static var version: Int { 2 }
            static var migrations: [Migration] {
                [
                    .effect("Charge", in: 2) { data in
                        data["amount"] = .integer((data["amount"]?.intValue ?? 0) * 100)
                    },
                    .effect("Note", in: 2) { data in
                        data["body"] = data["text"]
                        data["text"] = nil
                    },
                ]
            }
            static var initial: any WorkflowState { QuietState() }
            static var effects: [any Effect.Type] { [Charge.self, Note.self] }
            let pay = Event(from: QuietState.self, to: PaidState.self)
        }
    }

    @Test(
        "An effect that a newer release upgrades during a delivery is left to that release",
        arguments: [false, true]
    )
    func upgradedMeanwhile(hasNote: Bool) async throws {
        let log = CallLog()
        let former = store.workflow(Euros.Payment.self)
        let newer = store.workflow(Cents.Payment.self)
        try await former.update("1") { try $0.fire.pay(Euros.PaidState(hasNote: hasNote)) }
        let report = try await former.deliver(
            to: EffectHandlers().others { effect, _ in
                log.write("\(effect)")
                let failures = try await newer.upgrade().failures
                #expect(failures.isEmpty)
            }
        )
        #expect(log.entries == ["Charge(amount: 5)"])
        #expect(report.count == 1 && report.failures.isEmpty && report.newerCount == 1)
        let left = try await newer.effects()
        #expect(left.map(\.version) == [2] && left.map(\.attempts) == [0] && left.map(\.isParked) == [false])
        let second = try #require(left.first)
        let error = #expect(throws: ArchiveError.self) { try second.effect(of: Euros.Payment.knownEffects) }
        guard case .unknownEffect(second.name, known: ["Charge", "Note"]) = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        // The newer release needs no wait.
        let handlers = EffectHandlers().others { effect, _ in log.write("\(effect)") }
        #expect(try await newer.deliver(to: handlers).count == 1)
        #expect(log.entries.last == (hasNote ? #"Note(body: "a")"# : "Charge(amount: 700)"))
    }
}
