import Foundation
import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import Testing

@Suite("Effects that wait in what a save replaces") struct EffectSaveTests {
    typealias Office = EffectTests.Office
    typealias MailingState = EffectTests.MailingState

    private let store: any ArchiveStore = InMemoryStore()

    private func mail(_ text: String, from id: String = "1") async throws {
        try await store.update(id, of: Office.self) { try $0.fire.mail(MailingState(text)) }
    }

    private var waiting: [String] {
        get async throws {
            try await store.effects(of: Office.self).map { "\($0.key) \($0.data["text"]?.stringValue ?? "")" }.sorted()
        }
    }

    @Test("Those of another id stay there when a machine of the store replaces it, with or without new ones")
    func anotherID() async throws {
        for id in ["a", "b"] { try await mail(id, from: id) }
        let (office, _) = try #require(try await store.machine("a", of: Office.self))
        try await store.save(office, as: "b", expecting: 1)
        #expect(try await waiting == ["a/1/0 a", "b/1/0 b"])
        try await mail("new", from: "b")
        #expect(try await waiting == ["a/1/0 a", "b/1/0 b", "b/3/0 new"])
    }

    @Test("Those that came after a machine was loaded stay there when it is saved after a conflict")
    func afterConflict() async throws {
        try await mail("first")
        let (office, revision) = try #require(try await store.machine("1", of: Office.self))
        try await mail("second")
        try office.fire.correct(MailingState("third"))
        do {
            try await store.save(office, as: "1", expecting: revision)
            Issue.record("There was no conflict.")
        } catch StoreError.conflict(_, _, let found) {
            try await store.save(office, as: "1", expecting: found)
        }
        #expect(try await waiting == ["1/1/0 first", "1/2/0 second"])
    }

    @Test("Those that were carried out after a machine was loaded do not come back when it is saved")
    func carriedOut() async throws {
        try await mail("first")
        let (office, _) = try #require(try await store.machine("1", of: Office.self))
        #expect(try await store.deliver(Office.self) { _, _ in } == 1)
        let revision = try #require(try await store.load("1")).revision
        try await store.save(office, as: "1", expecting: revision)
        #expect(try await waiting == [])
    }

    @Test(
        "Those of an archive that was deleted do not come back when its machine is saved anew, in this store or in another"
    )
    func deleted() async throws {
        try await mail("first")
        let (office, _) = try #require(try await store.machine("1", of: Office.self))
        #expect(try await store.deliver(Office.self) { _, _ in } == 1)
        try await store.delete("1", expecting: nil)
        try await store.save(office, as: "1", expecting: 0)
        #expect(try await waiting == [])
        let other = InMemoryStore()
        try await other.save(office, as: "1", expecting: 0)
        #expect(try await other.effects(of: Office.self).isEmpty)
    }

    @Test("Those of an archive stay when you archive a machine to replace it yourself")
    func replaced() async throws {
        try await mail("first")
        let stored = try #require(try await store.load("1"))
        let office = try stored.machine(of: Office.self)
        try office.fire.rest()
        try await store.save(StoredArchive(office, id: "1", replacing: stored))
        #expect(try await waiting == ["1/1/0 first"])
        #expect(try await store.machine("1", of: Office.self)?.machine.isIn(EffectTests.QuietState.self) == true)
    }

    @Test("Effects that came along from another store, and new ones of the same revision, have keys of their own")
    func copied() async throws {
        try await mail("old")
        let archive = try #require(try await store.load("1"))
        let other = InMemoryStore()
        let text = String(decoding: archive.archive, as: UTF8.self)
        #expect(text.contains(#""name":"Mail""#))
        let parked = text.replacing(#""name":"Mail""#, with: #""name":"Mail","parked":true,"revision":2,"index":0"#)
        try await other.save(
            StoredArchive(id: "1", revision: 0, workflow: Office.name, state: "Mailing", archive: Data(parked.utf8))
        )
        try await other.update("1", of: Office.self) { try $0.fire.mail(MailingState("new")) }
        #expect(try await other.effects(of: Office.self).map { "\($0.key)" } == ["1/2/0", "1/2/1"])
        #expect(try await other.deliver(Office.self) { _, _ in } == 1)
        #expect(try await other.effects(of: Office.self).map(\.isParked) == [true])
    }
}
