import Foundation
import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import Testing

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

    /// The release that knows mail alone.
    struct Former: Workflow {
        static var name: String { "Office" }
        static var initial: any WorkflowState { QuietState() }
        static var states: [any WorkflowState.Type] { [QuietState.self, PushingState.self] }
        static var effects: [any Effect.Type] { [Mail.self] }
        let mail = Event(to: MailingState.self)
    }

    /// The next release, with an effect of a new type in the same version.
    struct Next: Workflow {
        static var name: String { "Office" }
        static var initial: any WorkflowState { QuietState() }
        static var states: [any WorkflowState.Type] { [QuietState.self] }
        static var effects: [any Effect.Type] { [Mail.self, Push.self] }
        let mail = Event(to: MailingState.self)
        let push = Event(to: PushingState.self)
    }

    /// A release after it, with a version of its own.
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

    /// Delivers as one release.
    /// - Returns: The effects that were handed over, and those that were reported.
    private func deliver<W: Workflow>(_ workflow: W.Type) async throws -> (handed: [String], failed: [String])
    where W.Context == Void {
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

    @Test("An effect of an unknown type waits with those behind it, is reported by each call, and changes nothing")
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

    @Test("What comes before an effect of an unknown type is delivered, and the next release goes on at once")
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

    @Test("Machines with effects of an unknown type do not hold up others, however many there are")
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

    @Test("Machines of a newer version are counted, as far as their effects may be carried out")
    func newerCount() async throws {
        for id in ["1", "2"] {
            try await store.workflow(Newer.self).update(id) { try $0.fire.mail(MailingState("new")) }
        }
        let handlers = EffectHandlers().others { _, _ in }
        let former = try await store.workflow(Former.self).deliver(to: handlers)
        #expect(former.newerCount == 2 && former.count == 0)
        #expect(try await store.workflow(Former.self).newerCount() == 2)
        #expect(try await store.workflow(Former.self).ids() == [])
        let newer = try await store.workflow(Newer.self).deliver(to: handlers)
        #expect(newer.count == 2 && newer.newerCount == 0)
        #expect(try await store.workflow(Former.self).deliver(to: handlers).newerCount == 0)
    }

    @Test("An effect of an unknown type is reported when it has waited for as long as the policy says")
    func unknownEffectAge() async throws {
        let clock = ManualClock()
        try await store.workflow(Next.self, scheduler: clock.scheduler).update("1") {
            try $0.fire.push(PushingState("a"))
        }
        var policy = DeliveryPolicy()
        policy.unknownEffectAge = .seconds(60)
        let former = store.workflow(Former.self, scheduler: clock.scheduler)
        let handlers = EffectHandlers().others { _, _ in }
        for (seconds, count) in [(0, 0), (59, 0), (2, 1)] {
            await clock.advance(by: .seconds(seconds))
            #expect(try await former.deliver(policy: policy, to: handlers).failureCount == count)
        }
    }

    @Test("An update by a release that does not know the effects that wait keeps them")
    func keptByUpdate() async throws {
        try await store.workflow(Next.self).update("1") { try $0.fire.push(PushingState("a")) }
        try await store.workflow(Former.self).update("1") { try $0.fire.mail(MailingState("b")) }
        #expect(try await store.workflow(Next.self).effects().map(\.name) == ["Push", "Mail"])
        #expect(try await deliver(Next.self).handed == [#"Push(text: "a")"#, #"Mail(text: "b")"#])
    }
}
