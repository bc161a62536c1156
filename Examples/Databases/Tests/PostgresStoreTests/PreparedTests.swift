import Foundation
import Heraclitus
import HeraclitusStores
import PostgresStore
import SQLStores
import StoreTesting
import Testing

@Suite(
    "Transactions in which statements are found to be prepared already",
    .enabled(
        if: Server.isExpected,
        "No PostgreSQL server is installed; HERACLITUS_NEEDS_POSTGRES makes that a failure."
    )
)
struct PreparedTests {
    @Test("What is acknowledged as saved together is there, also where the server knows the statements already")
    func acknowledged() async throws {
        let store = try await PostgresStore(try await Server.shared.value.database(), connections: 1)
        try await store.save(together: [archive("1"), archive("2")])
        // Who misses one statement takes all for forgotten, as on a server connection that others have used before.
        try await store.readers.run(for: nil) { connection, _ in
            let query = SQLStatement("select name from pg_prepared_statements where statement = 'begin'")
            let name = try connection.row(of: query, []) { connection.text(0) }.flatMap(\.self)
            try connection.run(SQLStatement("deallocate \"\(try #require(name))\""))
        }
        #expect(try await store.save(together: [archive("3"), archive("4")]) == [1, 1])
        #expect(try await store.ids() == ["1", "2", "3", "4"])
    }

    @Test("A transaction that has failed unnoticed is never taken for one that was committed")
    func failed() async throws {
        let store = try await PostgresStore(try await Server.shared.value.database(), connections: 1)
        await #expect(throws: DatabaseError.self) {
            try await store.writers.run(for: nil, isChange: true) { connection, _ in
                try connection.transaction { _ = try? connection.run(SQLStatement("select 1 / 0")) }
            }
        }
        #expect(try await store.save(together: [archive("1"), archive("2")]) == [1, 1])
        #expect(try await store.ids() == ["1", "2"])
    }
}
