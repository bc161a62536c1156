import Foundation
import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import Testing

@testable import Fixtures

@Suite("Effects of a machine that is fired during a save", .timeLimit(.minutes(20))) struct EffectMomentTests {
    typealias Mail = EffectTests.Mail
    typealias QuietState = EffectTests.QuietState
    typealias MailingState = EffectTests.MailingState
    typealias Office = EffectTests.Office

    /// A new machine of a store.
    private func machine<W: Workflow>(of workflow: W.Type, in store: InMemoryStore) async throws -> (
        StateMachine<W>, Int
    ) {
        try await store.workflow(W.self).update("1") { $0.activate() }
        return try #require(try await store.workflow(W.self).machine("1"))
    }

    @Test("A save during a transition's callbacks is rejected if the state has effects")
    func amongCallbacks() async throws {
        let store = InMemoryStore()
        let (office, revision) = try await machine(of: Office.self, in: store)
        let (isLeaving, isSaved) = (Latch(), DispatchSemaphore(value: 0))
        office.didExit(QuietState.self) { _, _ in
            isLeaving.open()
            #expect(isSaved.comes())
        }
        async let fired: Void = onOwnThread { try office.fire.mail(MailingState("A")) }
        try await isLeaving.wait()
        let error = await #expect(throws: StoreError.self) {
            try await store.save(office, as: "1", expecting: revision)
        }
        isSaved.signal()
        try await fired
        guard case .uncollectedEffects("1", "MailingState") = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        let stored = try #require(try await store.workflow(Office.self).machine("1")).machine
        #expect(stored.isIn(QuietState.self))
    }

    /// A state with a callback in its encoding.
    final class SlowState: WorkflowState {
        static let whileEncoding = Lock<(@Sendable () -> Void)?>(nil)
        init() {}
        init(from decoder: any Decoder) throws {}
        func encode(to encoder: any Encoder) throws { Self.whileEncoding.withLock { $0.take() }?() }
    }
    struct Desk: Workflow {
        static var initial: any WorkflowState { SlowState() }
        static var effects: [any Effect.Type] { [Mail.self] }
        let mail = Event(from: SlowState.self, to: MailingState.self)
    }

    @Test("A save during a transition with effects excludes the transition, and the next save is rejected")
    func whileEncoding() async throws {
        let store = InMemoryStore()
        let (desk, revision) = try await machine(of: Desk.self, in: store)
        SlowState.whileEncoding.withLock {
            $0 = { #expect(throws: Never.self) { try desk.fire.mail(MailingState("B")) } }
        }
        let next = try await store.save(desk, as: "1", expecting: revision)
        #expect(desk.isIn(MailingState.self))
        #expect(try await store.workflow(Desk.self).machine("1")?.machine.isIn(SlowState.self) == true)
        #expect(try await store.workflow(Desk.self).effects().isEmpty)
        await #expect(throws: StoreError.self) { try await store.save(desk, as: "1", expecting: next) }
        #expect(await store.load("1")?.revision == next)
    }

    @Test("The effects of a machine fired from several threads are saved in the order of the transitions")
    func besideFires() async throws {
        let store = InMemoryStore()
        let entered = try await store.workflow(Office.self).update("1") { office in
            let entered = Lock<[String?]>([])
            office.onTransition { transition in
                let text = (transition.destination as? MailingState)?.text
                entered.withLock { $0.append(text) }
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for thread in 1...3 {
                    group.addTask {
                        for number in 1...100 { try office.fire.mail(MailingState("\(thread).\(number)")) }
                    }
                }
                try await group.waitForAll()
            }
            return entered.withLock { $0 }
        }
        #expect(Set(entered).count == 300)
        #expect(try await store.workflow(Office.self).effects().map { $0.data["text"]?.stringValue } == entered)
    }

    @Test("Effects stay with their id, and each key has one content")
    func otherID() async throws {
        let store = InMemoryStore()
        try await store.workflow(Office.self).update("a") { try $0.fire.mail(MailingState("first")) }
        let (office, first) = try #require(try await store.workflow(Office.self).machine("a"))
        try await store.save(office, as: "b", expecting: 0)
        try await store.workflow(Office.self).update("b") { try $0.fire.mail(MailingState("second")) }
        // The effects of "a" are still stored, also after a save of the same machine.
        try await store.save(office, as: "a", expecting: first)
        let effects = try await store.workflow(Office.self).effects()
        let texts = effects.map { "\($0.key.id) \($0.data["text"]?.stringValue ?? "")" }
        #expect(texts.sorted() == ["a first", "b second"])
    }

    @Test("Saving a machine that was restored elsewhere keeps the stored effects")
    func restoredElsewhere() async throws {
        let store = InMemoryStore()
        try await store.workflow(Tolling.self).update("1") { try $0.fire.toll(TollingState(1)) }
        let waiting = try await store.workflow(Tolling.self).effects().map(\.key)
        #expect(waiting.count == 1)
        let stored = try #require(await store.load("1"))
        let machine = try StateMachine<Tolling>(archive: stored.archive)
        machine.activate()
        let revision = try await store.save(machine, as: "1", expecting: stored.revision)
        #expect(try await store.workflow(Tolling.self).effects().map(\.key) == waiting)
        try await store.save(machine, as: "1", expecting: revision)
        #expect(try await store.workflow(Tolling.self).effects().map(\.key) == waiting)
    }
}
