import Foundation
import Heraclitus
import HeraclitusStores
import Testing

@testable import Fixtures

@Suite("Rehearsing a migration") struct MigrationRehearsalTests {
    private static let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("HeraclitusTests/Archiving/Golden")

    @Test("A rehearsal counts readable and newer archives, lists the unreadable ones, and changes nothing")
    func rehearsal() async throws {
        let store = InMemoryStore()
        func save(_ id: String, _ archive: Data, workflow: String = "Ticket") async throws {
            try await store.save(
                StoredArchive(id: id, revision: 0, workflow: workflow, version: nil, state: "Queued", archive: archive)
            )
        }
        for (id, file) in [("a", "1-waiting"), ("b", "1-paused"), ("c", "2-paused"), ("d", "3-queued")] {
            try await save(
                id,
                Data(contentsOf: Self.golden.appendingPathComponent("format-1-ticket-\(file).json"))
            )
        }
        let broken =
            #"{"activated":true,"data":{},"format":1,"revision":1,"state":"Waiting","version":1,"workflow":"Ticket"}"#
        try await save("e", Data(broken.utf8))
        try await save("f", Data("{".utf8))
        try await save("g", Data("{".utf8), workflow: "Other")
        let newer = broken.replacingOccurrences(of: #""version":1"#, with: #""version":4"#)
        try await save("h", Data(newer.utf8))
        let before = await store.load("a")

        let rehearsal = try await store.workflow(Ticket.self).rehearseMigration()
        #expect(rehearsal.count == 4 && rehearsal.newerCount == 1)
        #expect(rehearsal.failures.map(\.id) == ["e", "f"] && rehearsal.failureCount == 2)
        let error = rehearsal.failures[0].error
        guard case ArchiveError.failedMigration("one url becomes a list", version: 2, _, _) = error else {
            throw error
        }
        #expect(await store.load("a") == before)
    }

    @Test("A report has the first thousand failures, and the number of all")
    func manyFailures() async throws {
        let store = InMemoryStore()
        for number in 1...1_001 {
            let row = StoredArchive(
                id: "\(number)",
                revision: 0,
                workflow: "Ticket",
                version: nil,
                state: "Queued",
                archive: Data("{".utf8)
            )
            try await store.save(row)
        }
        let rehearsal = try await store.workflow(Ticket.self).rehearseMigration()
        #expect(rehearsal.failures.count == 1_000 && rehearsal.failureCount == 1_001 && rehearsal.count == 0)
    }

    /// A store that cannot load some archives.
    private struct PickyStore: StoreAround {
        struct Cut: Error {}
        let inner = InMemoryStore()
        func load(_ id: String) async throws -> StoredArchive? {
            switch id {
            case "damaged": throw StoreError.damaged(id: id, explanation: "Its row is torn.")
            case "large": throw ArchiveError.tooLarge(9, limit: 8)
            case "cut": throw Cut()
            default: return await inner.load(id)
            }
        }
    }

    @Test("An archive that cannot be loaded is a failure, unless the store itself fails")
    func unloadable() async throws {
        let store = PickyStore()
        for id in ["damaged", "fine", "large"] {
            try await store.save(StateMachine<Post<Mail>>(), as: id, expecting: 0)
        }
        let rehearsal = try await store.workflow(Post<Mail>.self).rehearseMigration()
        #expect(rehearsal.count == 1 && rehearsal.failures.map(\.id) == ["damaged", "large"])
        #expect(rehearsal.failures.first.map { "\($0.error)" }?.contains("Its row is torn.") == true)
        try await store.save(StateMachine<Post<Mail>>(), as: "cut", expecting: 0)
        await #expect(throws: PickyStore.Cut.self) { try await store.workflow(Post<Mail>.self).rehearseMigration() }
    }

    @Test("A damaged file of an unknown workflow is a failure; an intact file of another workflow is not")
    func damagedFile() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try DirectoryStore(at: folder)
        for id in ["a", "b", "c"] { try await store.save(StateMachine<Post<Mail>>(), as: id, expecting: 0) }
        try await store.save(StateMachine<TicketLamp>(), as: "lamp", expecting: 0)
        try Data().write(to: folder.appendingPathComponent("b.json"))
        let rehearsal = try await store.workflow(Post<Mail>.self).rehearseMigration()
        #expect(rehearsal.count == 2 && rehearsal.failures.map(\.id) == ["b"])
        let text = String(repeating: "x", count: 1_000)
        let large = StoredArchive(
            id: "d",
            revision: 0,
            workflow: "Other",
            version: 1,
            state: text,
            archive: Data(text.utf8)
        )
        try await store.save(large)
        let small = try DirectoryStore(at: folder, limit: 1_500)
        #expect(try await small.workflow(Post<Mail>.self).rehearseMigration().failures.map(\.id) == ["b"])
    }

    // MARK: Effects

    protocol MailKind: Effect { static var sample: Self { get } }
    struct Mail: MailKind {
        static var name: String { "Mail" }
        static var sample: Mail { Mail(to: "a") }
        let to: String
    }
    struct OtherMail: MailKind {
        static var name: String { "Mail" }
        static var sample: OtherMail { OtherMail(receiver: "a") }
        let receiver: String
    }
    final class OpenState: EmptyState { static var name: String { "open" } }
    final class SentState<M: MailKind>: EmptyState, Effecting {
        static var name: String { "sent" }
        var effects: [any Effect] { [M.sample] }
    }
    struct Post<M: MailKind>: Workflow {
        static var name: String { "Post" }
        static var effects: [any Effect.Type] { [M.self] }
        static var initial: any WorkflowState { OpenState() }
        let send = Event(from: OpenState.self, to: SentState<M>.self)
    }

    @Test("Waiting effects that cannot be decoded are failures, too")
    func effects() async throws {
        let store = InMemoryStore()
        try await store.workflow(Post<Mail>.self).update("a") { try $0.fire.send() }
        try await store.workflow(Post<Mail>.self).update("b") { $0.activate() }
        let same = try await store.workflow(Post<Mail>.self).rehearseMigration()
        #expect(same.count == 2 && same.failures.isEmpty)
        let other = try await store.workflow(Post<OtherMail>.self).rehearseMigration()
        #expect(other.count == 1 && other.failures.map(\.id) == ["a"])
        #expect(other.failures.first?.effect?.data == ["to": "a"])
        guard case ArchiveError.brokenEffect("Mail", _)? = other.failures.first?.error else {
            throw try #require(other.failures.first).error
        }
    }
}
