import Foundation
import Heraclitus
import Testing

@Suite("Rehearsing a migration") struct MigrationRehearsalTests {
    @Test("It says how many archives of which version can be read, names those that cannot, and changes nothing")
    func rehearsal() async throws {
        let store = InMemoryStore()
        func save(_ id: String, _ archive: Data, workflow: String = "Ticket") async throws {
            try await store.save(
                StoredArchive(id: id, revision: 0, workflow: workflow, state: "Queued", archive: archive)
            )
        }
        for (id, file) in [("a", "1-waiting"), ("b", "1-paused"), ("c", "2-paused"), ("d", "3-queued")] {
            try await save(
                id,
                Data(contentsOf: GoldenTests.folder.appendingPathComponent("format-1-ticket-\(file).json"))
            )
        }
        let broken =
            #"{"activated":true,"data":{},"format":1,"revision":1,"state":"Waiting","version":1,"workflow":"Ticket"}"#
        try await save("e", Data(broken.utf8))
        try await save("f", Data("{".utf8))
        try await save("g", Data("{".utf8), workflow: "Other")
        let before = await store.load("a")

        let rehearsal = try await store.rehearseMigration(of: Ticket.self)
        #expect(rehearsal.readable == [1: 2, 2: 1, 3: 1])
        #expect(rehearsal.failures.map(\.id) == ["e", "f"] && rehearsal.failures.map(\.version) == [1, nil])
        guard case .failedMigration("one url becomes a list", version: 2, _, _) = rehearsal.failures[0].error else {
            throw rehearsal.failures[0].error
        }
        #expect(rehearsal.description.hasPrefix("version 1: 2 can be read, 1 cannot\nversion 2: 1 can be read\n"))
        #expect(await store.load("a") == before)
    }
}
