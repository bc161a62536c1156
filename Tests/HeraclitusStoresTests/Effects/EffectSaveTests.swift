import Foundation
import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import Testing

@testable import Fixtures

@Suite("Stored effects of a machine that a save replaces") struct EffectSaveTests {
    typealias Office = EffectTests.Office
    typealias MailingState = EffectTests.MailingState

    private let store: any ArchiveStore = InMemoryStore()

    private func mail(_ text: String, from id: String = "1") async throws {
        try await store.workflow(Office.self).update(id) { try $0.fire.mail(MailingState(text)) }
    }

    private var waiting: [String] {
        get async throws {
            try await store.workflow(Office.self).effects().map {
                "\($0.key.id)/\($0.key.index) \($0.data["text"]?.stringValue ?? "")"
            }.sorted()
        }
    }

    @Test("Effects of another id stay when its machine is replaced, with or without new effects")
    func anotherID() async throws {
        for id in ["a", "b"] { try await mail(id, from: id) }
        let (office, _) = try #require(try await store.workflow(Office.self).machine("a"))
        try await store.save(office, as: "b", expecting: 1)
        #expect(try await waiting == ["a/0 a", "b/0 b"])
        try await mail("new", from: "b")
        #expect(try await waiting == ["a/0 a", "b/0 b", "b/1 new"])
    }

    @Test("Effects added after a load stay when the machine is saved after a conflict")
    func afterConflict() async throws {
        try await mail("first")
        let (office, revision) = try #require(try await store.workflow(Office.self).machine("1"))
        try await mail("second")
        try office.fire.correct(MailingState("third"))
        do {
            try await store.save(office, as: "1", expecting: revision)
            Issue.record("There was no conflict.")
        } catch StoreError.conflict(_, _, let found) {
            try await store.save(office, as: "1", expecting: found)
        }
        #expect(try await waiting == ["1/0 first", "1/1 second"])
    }

    @Test("Effects delivered after a load stay removed when the machine is saved")
    func carriedOut() async throws {
        try await mail("first")
        let (office, _) = try #require(try await store.workflow(Office.self).machine("1"))
        #expect(try await store.workflow(Office.self).deliver(to: EffectHandlers().others { _, _ in }).count == 1)
        let revision = try #require(try await store.load("1")).revision
        try await store.save(office, as: "1", expecting: revision)
        #expect(try await waiting == [])
    }

    @Test(
        "Effects of a deleted archive stay removed when its machine is saved again, in any store"
    )
    func deleted() async throws {
        try await mail("first")
        let (office, _) = try #require(try await store.workflow(Office.self).machine("1"))
        #expect(try await store.workflow(Office.self).deliver(to: EffectHandlers().others { _, _ in }).count == 1)
        try await store.delete("1", expecting: nil)
        try await store.save(office, as: "1", expecting: 0)
        #expect(try await waiting == [])
        let other = InMemoryStore()
        try await other.save(office, as: "1", expecting: 0)
        #expect(try await other.workflow(Office.self).effects().isEmpty)
    }

    @Test("Effects of a machine stay when you archive and replace the machine yourself")
    func replaced() async throws {
        try await mail("first")
        let stored = try #require(try await store.load("1"))
        let office = try StateMachine<Office>(archive: stored.archive)
        try office.fire.rest()
        try await store.save(stored.with(archive: String(decoding: office.archive(), as: UTF8.self)))
        #expect(try await waiting == ["1/0 first"])
        #expect(try await store.workflow(Office.self).machine("1")?.machine.isIn(EffectTests.QuietState.self) == true)
    }

    @Test("An id that is deleted and used again has effects with new keys")
    func keysOfOwn() async throws {
        try await mail("old")
        let old = try #require(try await store.workflow(Office.self).effects().first).key
        try await store.delete("1")
        try await mail("new")
        let new = try #require(try await store.workflow(Office.self).effects().first).key
        #expect(old.id == new.id && old.index == new.index && old.series != new.series)
        #expect(try await !store.workflow(Office.self).discard(old))
    }
}
