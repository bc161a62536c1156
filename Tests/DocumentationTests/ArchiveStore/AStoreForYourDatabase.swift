import Foundation
import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import Testing

/// Stands for a database of the reader's that keeps rows by key and replaces one if its version is the expected one.
private actor Table {
    private var rows: [[UInt8]: Row] = [:]

    func row(_ key: [UInt8]) throws -> Row? { rows[key] }

    func all() throws -> [Row] { Array(rows.values) }

    /// Keeps a row if the one that is there has a version, or if there is none for `nil`; says whether it did.
    func put(_ row: Row, for key: [UInt8], replacing version: Int?) throws -> Bool {
        guard rows[key]?.version == version else { return false }
        rows[key] = row
        return true
    }
}

private struct Row: Sendable {
    let version: Int
    let lastRevision: Int
    let archive: StoredArchive?
}

private struct TableStore: ArchiveStore {
    let table: Table

    func load(_ id: String) async throws -> StoredArchive? { try await table.row(Array(id.utf8))?.archive }

    func save(_ changes: [StoreChange]) async throws -> [Int] {
        guard changes.count < 2 else { throw StoreError.noTransactions(ids: changes.map(\.id)) }
        guard let change = changes.first else { return [] }
        while true {
            let old = try await table.row(Array(change.id.utf8))
            let archive = try change.applied(to: old?.archive, after: old?.lastRevision ?? 0)
            // A deleted archive leaves a row with its revision, which a new one comes after.
            let row = Row(
                version: (old?.version ?? 0) + 1,
                lastRevision: archive?.revision ?? old?.lastRevision ?? 0,
                archive: archive
            )
            // Somebody else may have been faster: then it is asked again what is there.
            if try await table.put(row, for: Array(change.id.utf8), replacing: old?.version) {
                return [archive?.revision ?? old?.archive?.revision ?? 0]
            }
        }
    }

    func ids(_ query: ArchiveQuery) async throws -> [String] {
        query.ids(among: try await table.all().compactMap(\.archive))
    }
}

@Suite("A store for your database") struct OwnStoreArticleTests {
    @Test func conformance() async throws {
        let failures = try await StoreConformance.failures { TableStore(table: Table()) }
        #expect(failures == [])
    }
}
