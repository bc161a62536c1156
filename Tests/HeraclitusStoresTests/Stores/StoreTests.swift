import Foundation
import Heraclitus
import HeraclitusStores
import Synchronization
import Testing

@testable import Fixtures

/// Promises of stores, tested with each store.
@Suite("Stores") struct StoreTests {
    static let ids = [
        "42", "", " ", ".", "..", "../../etc/passwd", "/", "a/b", "A", "a", "^a", "%41", "~", "x.json", ".json", "né",
        "ne\u{301}",
        String(repeating: "👩‍👩‍👧", count: 230), String(repeating: "👩‍👩‍👧", count: 231), String(repeating: "x", count: 5_000),
        "nul\u{0}byte", "line\nbreak", "CON", "a:b*c?", "日本語",
    ]

    static let kinds = ["directory", "memory"]

    private static func ticket(_ url: String) -> StateMachine<Ticket> { StateMachine(resumingIn: QueuedState([url])) }

    private static func url(_ machine: StateMachine<Ticket>?) -> String? {
        (machine?.state as? QueuedState)?.urls.first
    }

    @Test("A saved archive is loaded by its id, for any id", arguments: kinds)
    func anyID(kind: String) async throws {
        let place = try StorePlace(kind)
        let store = place.store
        for (number, id) in Self.ids.enumerated() {
            #expect(try await store.workflow(Ticket.self).machine(id) == nil)
            #expect(try await store.save(Self.ticket("\(number)"), as: id, expecting: 0) == 1)
        }
        for (number, id) in Self.ids.enumerated() {
            let found = try #require(try await store.workflow(Ticket.self).machine(id))
            #expect(Self.url(found.machine) == "\(number)" && found.revision == 1)
            #expect(try await store.load(id)?.id == id)
        }
        #expect(Set(try await store.ids().map { Array($0.utf8) }) == Set(Self.ids.map { Array($0.utf8) }))
        #expect(try await store.ids().count == Self.ids.count)
        #expect(try place.files.count == (kind == "directory" ? Self.ids.count : 0))
        #expect(try place.files.allSatisfy { $0.hasSuffix(".json") && !$0.contains("/") && $0.utf8.count <= 200 })
        for id in Self.ids { #expect(try await store.delete(id, expecting: 1)) }
        #expect(try await store.ids() == [])
        #expect(try place.files == [])
    }

    @Test("An archive created again after a deletion has a new revision", arguments: kinds)
    func anew(kind: String) async throws {
        let place = try StorePlace(kind)
        let store = place.store
        try await store.save(Self.ticket("old"), as: "1", expecting: 0)
        let (mine, revision) = try #require(try await store.workflow(Ticket.self).machine("1"))
        try await store.delete("1", expecting: nil)
        #expect(try await store.save(Self.ticket("new"), as: "1", expecting: 0) > revision)
        await #expect(throws: StoreError.self) { try await store.save(mine, as: "1", expecting: revision) }
        await #expect(throws: StoreError.self) { try await store.delete("1", expecting: revision) }
        #expect(Self.url(try await store.workflow(Ticket.self).machine("1")?.machine) == "new")

        // A later process sees the same.
        guard let folder = place.folder else { return }
        let later = try DirectoryStore(at: folder)
        try await later.delete("1")
        #expect(try await later.save(Self.ticket("newer"), as: "1", expecting: 0) == 3)
    }

    @Test(
        "An update creates or changes a machine, and passes its transitions on after the save",
        arguments: kinds
    )
    func update(kind: String) async throws {
        let place = try StorePlace(kind)
        let store = place.store
        var told: [String] = []
        var revision: Int?
        let result = try await store.workflow(Ticket.self).update("1") { ticket in
            try ticket.fire.add(QueuedState(["a"]))
            try ticket.fire.finish()
            return ticket.revision
        } saved: { transitions in
            revision = try await store.load("1")?.revision
            told = transitions.compactMap(\.event)
        }
        #expect(result == 2 && revision == 1)
        #expect(told == ["add", "finish"])
        let kept = try await store.load("1")
        #expect(kept?.state == "Done" && kept?.workflow == "Ticket")

        // An update without changes saves nothing, and neither does a failing update.
        try await store.workflow(Ticket.self).update("1") { _ = $0.state }
        await #expect(throws: InvalidTransition.self) {
            try await store.workflow(Ticket.self).update("1") {
                try $0.fire.finish()
            } saved: { _ in
                Issue.record("saved")
            }
        }
        #expect(try await store.load("1") == kept)
        func made() -> StateMachine<Ticket> { Self.ticket("made") }
        try await store.workflow(Ticket.self).update("2", creating: made) { _ in }
        #expect(Self.url(try await store.workflow(Ticket.self).machine("2")?.machine) == "made")
    }

    @Test("A conflict restarts an update with the stored machine; too many conflicts are an error", arguments: kinds)
    func again(kind: String) async throws {
        let place = try StorePlace(kind)
        let store = place.store
        try await store.save(Self.ticket("0"), as: "1", expecting: 0)
        var attempts = 0
        var told = 0
        try await store.workflow(Ticket.self).update("1") { ticket in
            attempts += 1
            if attempts < 3 { try await store.save(Self.ticket("other \(attempts)"), as: "1", expecting: attempts) }
            let url = Self.url(ticket) ?? ""
            try ticket.fire.add(QueuedState(["\(url) and mine"]))
        } saved: { _ in
            told += 1
        }
        #expect(attempts == 3 && told == 1)
        #expect(Self.url(try await store.workflow(Ticket.self).machine("1")?.machine) == "other 2 and mine")

        var revision = 4
        do {
            try await store.workflow(Ticket.self).update("1", attempts: 5) { ticket in
                try await store.save(Self.ticket("\(revision)"), as: "1", expecting: revision)
                revision += 1
                try ticket.fire.add(QueuedState(["never"]))
            }
            Issue.record("It was saved.")
        } catch StoreError.tooManyConflicts(id: "1", attempts: 5) {}
        #expect(revision == 9)
    }

    @Test("Changes of a machine within a state are saved, also under conflicts", arguments: kinds)
    func nested(kind: String) async throws {
        let place = try StorePlace(kind)
        let store = place.store
        try await store.save(
            StateMachine<Ticket>(resumingIn: QueuedState(["a"], lamp: StateMachine<TicketLamp>())),
            as: "1",
            expecting: 0
        )
        for _ in 0..<2 {
            try await store.workflow(Ticket.self).update("1") { ticket in
                // The ticket's own revision stays the same.
                try (ticket.state as? QueuedState)?.lamp?.fire.toggle()
            }
        }
        let found = try #require(try await store.workflow(Ticket.self).machine("1"))
        #expect((found.machine.state as? QueuedState)?.lamp?.revision == 2)
        #expect(found.machine.revision == 0 && found.revision == 3)
    }

    @Test("A save in memory takes the same time in a large store", .timeLimit(.minutes(10)))
    func largeInMemory() async throws {
        func time(_ count: Int) async throws -> Duration {
            let store = InMemoryStore()
            let start = ContinuousClock.now
            for number in 0..<count {
                let row = StoredArchive(
                    id: "\(number)",
                    revision: 0,
                    workflow: "w",
                    version: 1,
                    state: "s",
                    archive: Data()
                )
                try await store.save([.save(row)])
            }
            return ContinuousClock.now - start
        }
        _ = try await time(100)
        #expect(try await time(8_000) < time(1_000) * 30)
    }
}
