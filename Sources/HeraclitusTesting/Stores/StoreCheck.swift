import Foundation
import Heraclitus
import HeraclitusStores

/// A check of a store, with the failures so far.
final class StoreCheck: Sendable {
    let store: any ArchiveStore
    let date = Date(timeIntervalSinceReferenceDate: 800_000_000.123_456)
    private let sentences = Lock<[String]>([])

    init(of store: any ArchiveStore) { self.store = store }

    /// A sentence for each failure.
    var failures: [String] { sentences.withLock { $0 } }

    func add(_ failure: String) { sentences.withLock { $0.append(failure) } }

    func expect(_ isSo: Bool, _ failure: String) { if !isSo { add(failure) } }

    /// Expects a query to find these ids, in this order.
    func expectIDs(_ expected: [String], _ machines: String, _ change: (inout ArchiveQuery) -> Void) async throws {
        let found = try await store.ids(query(change))
        expect(found == expected, "\(machines) are \(found), not \(expected)")
    }

    /// Saves a row, and expects the store to have it with a larger revision.
    /// - Returns: The revision.
    @discardableResult
    func keep(_ row: StoredArchive, else failure: String) async throws -> Int {
        var expected = row
        expected.revision = try await store.save(row)
        expect(expected.revision > row.revision, "a save does not increase the revision")
        try await expectRow(expected, failure)
        return expected.revision
    }

    /// Expects the store to have a row.
    func expectRow(_ row: StoredArchive, _ failure: String) async throws {
        let found = try await store.load(row.id)
        expect(found == row, "\(failure): \(found as Any) instead of \(row)")
    }

    /// Expects a conflict of a save or a deletion, which may be among other changes.
    func expectConflict(of change: StoreChange, found: Int, among changes: [StoreChange] = []) async {
        let (kind, expected) =
            switch change {
            case .save(let archive, _): ("save", archive.revision)
            case .delete(_, let revision): ("deletion", revision ?? 0)
            case .effects: ("change of effects", 0)
            }
        do {
            try await store.save(changes.isEmpty ? [change] : changes)
            add("a \(kind) expecting revision \(expected) with \(found) stored was no conflict")
        } catch StoreError.conflict(let other, expected, found) where other.utf8.elementsEqual(change.id.utf8) {
            return
        } catch {
            let what = "a \(kind) of \(change.id) expecting revision \(expected) with \(found) stored"
            add("\(what) threw \(error), no conflict")
        }
    }

    /// Expects the store to reject a change of other effects than the stored ones.
    func expectStale(_ change: StoreChange, _ failure: String) async throws {
        let id = change.id
        do {
            try await store.save([change])
            add(failure)
        } catch StoreError.effectsChanged(id) {}
    }
}

extension StoreCheck {
    /// Ids that have caused trouble in stores.
    static let oddIDs = [
        "42", "", " ", "..", "../../etc/passwd", "/", "a/b", "A", "a", "%41", "x.json", "né", "ne\u{301}", "quote'\"",
        "semi;", "line\nbreak", "tab\t", "nul\0", "nul\0l",
        String(repeating: "👩‍👩‍👧", count: 230), String(repeating: "👩‍👩‍👧", count: 231),
        String(repeating: "long ", count: 2_000) + "a", String(repeating: "long ", count: 2_000) + "b",
    ]

    /// An archive that is new, or that replaces the archive of a revision, with some properties changed.
    func archive(
        _ id: String,
        replacing revision: Int = 0,
        _ state: String = "On",
        workflow: String = "Lamp",
        due: Date? = nil,
        content: String = "{}",
        _ change: (inout StoredArchive) -> Void = { _ in }
    ) -> StoredArchive {
        let json = Data(content.utf8)
        var row = StoredArchive(id: id, revision: revision, workflow: workflow, version: 1, state: state, archive: json)
        row.due = due
        change(&row)
        return row
    }

    func effects(of name: String?, at date: Date, _ worker: String? = nil) -> WaitingEffects {
        WaitingEffects(content: Data("{\"of\":\"\(name ?? "nobody")\"}".utf8), next: name, date: date, worker: worker)
    }

    /// A query with some properties set.
    func query(_ change: (inout ArchiveQuery) -> Void) -> ArchiveQuery {
        var query = ArchiveQuery()
        change(&query)
        return query
    }

    /// Claims lamps for 100 s.
    func claim(
        _ queue: ArchiveQuery.Queue,
        at now: Date,
        by worker: String,
        upTo version: Int = 1,
        limit: Int = 10
    ) async throws -> [StoredArchive] {
        let end = now + 100
        return try await store.claim(
            StoreClaim(queue, of: ["Lamp"], newestVersion: version, at: now, until: end, by: worker, limit: limit)
        )
    }
}
