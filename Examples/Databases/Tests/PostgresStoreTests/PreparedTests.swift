import Foundation
import Heraclitus
import HeraclitusStores
import SQLStores
import StoreTesting
import Testing

@testable import PostgresStore

@Suite(
    "Transactions that find a statement prepared already",
    .enabled(
        if: Server.isExpected,
        "No PostgreSQL server is installed; HERACLITUS_NEEDS_POSTGRES makes that a failure."
    )
)
struct PreparedTests {
    @Test("Acknowledged changes are stored even if the server has the prepared statements already")
    func acknowledged() async throws {
        let store = try await PostgresStore(try await Server.shared.value.database(), connections: 1)
        try await store.save([.save(archive("1")), .save(archive("2"))])
        // One missing statement makes the connection prepare all statements again, as on a shared server connection of
        // a pooler.
        try await store.write { connection in
            let query = "select name from pg_prepared_statements where statement like 'insert into machines %'"
            let name = try #require(try connection.rows(query).first?.first ?? nil)
            try connection.execute("deallocate \"\(name)\"")
        }
        #expect(try await store.save([.save(archive("3")), .save(archive("4"))]) == [1, 1])
        #expect(try await store.ids() == ["1", "2", "3", "4"])
    }

    @Test("A transaction that failed unnoticed never counts as committed")
    func failed() async throws {
        let store = try await PostgresStore(try await Server.shared.value.database(), connections: 1)
        await #expect(throws: DatabaseError.self) {
            try await store.write { connection in _ = try? connection.rows("select 1 / 0") }
        }
        await #expect(throws: DatabaseError.self) {
            try await store.pool.run(for: nil, isChange: true) { connection, _ in
                try connection.run(.begin)
                _ = try? connection.run(Command("select 1 / 0"))
                try connection.run(.commit)
            }
        }
        #expect(try await store.save([.save(archive("1")), .save(archive("2"))]) == [1, 1])
        #expect(try await store.ids() == ["1", "2"])
    }
}
