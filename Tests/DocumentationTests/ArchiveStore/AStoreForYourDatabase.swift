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

    /// Keeps a row if the one that is there has a revision, or if there is none for `nil`; says whether it did.
    func put(_ row: Row, for key: [UInt8], replacing revision: Int?) throws -> Bool {
        guard rows[key]?.revision == revision else { return false }
        rows[key] = row
        return true
    }
}

private struct Row: Sendable {
    let revision: Int
    let archive: StoredArchive?
}

private struct TableStore: ArchiveStore {
    let table: Table

    func load(_ id: String) async throws -> StoredArchive? {
        guard let row = try await table.row(Array(id.utf8)), let archive = row.archive else { return nil }
        return StoredArchive(
            id: id,
            revision: row.revision,
            workflow: archive.workflow,
            state: archive.state,
            due: archive.due,
            archive: archive.archive
        )
    }

    func save(_ archive: StoredArchive) async throws -> Int {
        try await change(archive.id, expecting: archive.revision) { last in Row(revision: last + 1, archive: archive) }
    }

    func delete(_ id: String, expecting revision: Int?) async throws -> Bool {
        // What is deleted leaves a row with a revision of its own: whoever is about to replace what was there finds that it has changed.
        try await change(id, expecting: revision) { last in Row(revision: last + 1, archive: nil) } > 0
    }

    private func change(_ id: String, expecting revision: Int?, _ row: (_ last: Int) -> Row) async throws -> Int {
        while true {
            let old = try await table.row(Array(id.utf8))
            let found = old?.archive == nil ? 0 : old?.revision ?? 0
            if let revision, revision != found {
                throw StoreError.conflict(id: id, expected: revision, found: found)
            }
            let new = row(old?.revision ?? 0)
            if new.archive == nil, found == 0 { return 0 }
            // Somebody else may have been faster: then it is asked again what is there.
            if try await table.put(new, for: Array(id.utf8), replacing: old?.revision) { return new.revision }
        }
    }

    func ids(of workflow: String?, in state: String?) async throws -> [String] {
        try await table.all().compactMap(\.archive)
            .filter { (workflow ?? $0.workflow) == $0.workflow && (state ?? $0.state) == $0.state }
            .map(\.id).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}

@Suite("A store for your database") struct OwnStoreArticleTests {
    @Test func conformance() async throws {
        let failures = try await StoreConformance.failures { TableStore(table: Table()) }
        #expect(failures == [])
    }
}
