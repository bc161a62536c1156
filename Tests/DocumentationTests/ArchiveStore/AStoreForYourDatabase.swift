import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import Testing

/// A stand-in for a database with transactions: the changes of a closure stay only if it returns.
private actor Table {
    struct Rows: Sendable {
        var archives: [[UInt8]: StoredArchive] = [:]
        var lastDeleted = 0
    }

    private var rows = Rows()

    func write<Result: Sendable>(_ body: @Sendable (inout Rows) throws -> Result) throws -> Result {
        var changed = rows
        let result = try body(&changed)
        rows = changed
        return result
    }
}

private struct TableStore: ArchiveStore {
    let table: Table

    func load(_ id: String) async throws -> StoredArchive? {
        try await table.write { rows in rows.archives[Array(id.utf8)] }
    }

    func save(_ changes: [StoreChange]) async throws -> [Int] {
        try await table.write { rows in
            try changes.map { change in
                let key = Array(change.id.utf8)
                let old = rows.archives[key]
                let new = try change.applied(to: old, after: rows.lastDeleted)
                if new == nil { rows.lastDeleted = max(rows.lastDeleted, old?.revision ?? 0) }
                rows.archives[key] = new
                return new?.revision ?? old?.revision ?? 0
            }
        }
    }

    func ids(_ query: ArchiveQuery) async throws -> [String] {
        try await table.write { rows in query.ids(among: rows.archives.values) }
    }
}

@Suite("A store for your database") struct YourStoreTests {
    @Test func conformance() async throws {
        let failures = try await StoreConformance.failures { TableStore(table: Table()) }
        #expect(failures == [])
    }
}
