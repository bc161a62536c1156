import Foundation
import Heraclitus
public import HeraclitusStores

/// Checks that a store keeps the promises of `ArchiveStore`.
///
/// ```swift
/// @Test func store() async throws {
///     let failures = try await StoreConformance.failures { try await DatabaseStore(inMemory: true) }
///     #expect(failures == [])
/// }
/// ```
public enum StoreConformance {
    /// Checks every promise of a store.
    ///
    /// The deliveries and workers of the library need no more than these promises.
    /// - Parameter makeStore: Makes an empty store for each check.
    /// - Returns: A sentence for each broken promise.
    /// - Throws: The error of `makeStore`.
    public nonisolated(nonsending) static func failures(
        _ makeStore: () async throws -> any ArchiveStore
    ) async throws -> [String] {
        var failures: [String] = []
        for (name, check) in checks {
            let report = ConformanceReport()
            let store = try await makeStore()
            do {
                try await check(store, report)
            } catch {
                report.add("threw \(error)")
            }
            failures += report.failures.map { "\(name): \($0)" }
        }
        return failures
    }

    private typealias Check = @Sendable (any ArchiveStore, ConformanceReport) async throws -> Void

    private static let checks: [(String, Check)] = [
        ("keeping", keeping), ("ids", ids), ("conflicts", conflicts), ("deleting", deleting),
        ("deleting at once", deletingAtOnce), ("finding", finding), ("finding by values", findingByValues),
        ("pages", pages), ("versions", versions), ("deadlines", deadlines), ("loading several", several),
        ("saving together", transactions), ("transfers", transfers), ("ringing", ringing),
        ("keeping effects", keepingEffects), ("claiming effects", claimingEffects),
        ("claiming due machines", claimingDue), ("listing claimed machines", listingClaimed),
        ("claiming at once", claimingAtOnce),
    ]

    /// Ids that have caused trouble in stores.
    static let oddIDs = [
        "42", "", " ", "..", "../../etc/passwd", "/", "a/b", "A", "a", "%41", "x.json", "né", "ne\u{301}", "quote'\"",
        "semi;",
        "line\nbreak", "tab\t", "nul\0", "nul\0l", String(repeating: "👩‍👩‍👧", count: 230),
        String(repeating: "👩‍👩‍👧", count: 231),
        String(repeating: "long ", count: 2_000) + "a", String(repeating: "long ", count: 2_000) + "b",
    ]

    /// An archive that is new, or that replaces the archive of a revision.
    static func archive(
        _ id: String,
        replacing revision: Int = 0,
        _ state: String = "On",
        workflow: String = "Lamp",
        version: Int? = 1,
        entered: Date? = nil,
        due: Date? = nil,
        values: [String: StoredValue] = [:],
        handled: Data? = nil,
        content: String = "{}"
    ) -> StoredArchive {
        StoredArchive(
            id: id,
            revision: revision,
            workflow: workflow,
            version: version,
            state: state,
            entered: entered,
            due: due,
            values: values,
            archive: Data(content.utf8),
            handled: handled
        )
    }

    /// A query with some properties set.
    static func query(_ change: (inout ArchiveQuery) -> Void) -> ArchiveQuery {
        var query = ArchiveQuery()
        change(&query)
        return query
    }

    private static func keeping(_ store: any ArchiveStore, _ report: ConformanceReport) async throws {
        let contents = [
            "{}", #"{"text":"a/b \"c\" ü 👩‍👩‍👧 \\u0000","number":1.50}"#, "{ \"spaces\" : [ ] }",
            "{\"long\":\"\(String(repeating: "x", count: 1_000_000))\"}",
        ]
        report.expect(try await store.load("1") == nil, "an unsaved id has an archive")
        var revision = 0
        for (index, content) in contents.enumerated() {
            let now = try await store.save(
                archive("1", replacing: revision, "State \(index)", content: content)
            )
            report.expect(now > revision, "a save does not increase the revision")
            revision = now
            report.expect(
                try await store.load("1") == archive("1", replacing: now, "State \(index)", content: content),
                "load does not return the saved bytes with the returned revision"
            )
        }
        let date = Date(timeIntervalSinceReferenceDate: 800_000_000.123_456)
        let full = archive(
            "2",
            version: 3,
            entered: date,
            due: date + 60,
            values: ["buyer": .text("Åda \u{0}\""), "mark": .text("\u{301}a"), "total": .number(-0.1)],
            handled: Data([0, 1, 255])
        )
        revision = try await store.save(full)
        report.expect(
            try await store.load("2") == full.with(revision),
            "a column has changed: \(String(describing: try await store.load("2"))) instead of \(full)"
        )
        let bare = archive("2", replacing: revision, version: nil)
        revision = try await store.save(bare)
        report.expect(try await store.load("2") == bare.with(revision), "an emptied column keeps its old value")
    }

    private static func ids(_ store: any ArchiveStore, _ report: ConformanceReport) async throws {
        for (index, id) in oddIDs.enumerated() { try await store.save(archive(id, content: "[\(index)]")) }
        for (index, id) in oddIDs.enumerated() {
            let found = try await store.load(id)
            report.expect(
                found?.archive == Data("[\(index)]".utf8),
                "the id \(id.debugDescription.prefix(40)) is mistaken for another id"
            )
            report.expect(found?.id.utf8.elementsEqual(id.utf8) ?? false, "an id has changed")
        }
        let listed = try await store.ids().map { Array($0.utf8) }
        report.expect(Set(listed) == Set(oddIDs.map { Array($0.utf8) }), "the listed ids differ from the saved ids")
        report.expect(listed.count == oddIDs.count, "an id is listed twice or is missing")
    }

    private static func conflicts(_ store: any ArchiveStore, _ report: ConformanceReport) async throws {
        await report.expectConflict(expected: 1, found: 0) { try await store.save(archive("1", replacing: 1)) }
        report.expect(try await store.load("1") == nil, "a conflicting save has stored an archive")
        let first = try await store.save(archive("1", content: "[1]"))
        await report.expectConflict(expected: 0, found: first) { try await store.save(archive("1")) }
        await report.expectConflict(expected: first + 1, found: first) {
            try await store.save(archive("1", replacing: first + 1))
        }
        report.expect(
            try await store.load("1") == archive("1", replacing: first, content: "[1]"),
            "a conflicting save has changed the archive"
        )
        let second = try await store.save(archive("1", replacing: first))
        await report.expectConflict("deletion", expected: first, found: second) {
            try await store.delete("1", expecting: first)
        }
        report.expect(try await store.load("1")?.revision == second, "a conflicting deletion has deleted the archive")
    }

    private static func deleting(_ store: any ArchiveStore, _ report: ConformanceReport) async throws {
        report.expect(try await !store.delete("1", expecting: nil), "delete returns true for an unsaved id")
        await report.expectConflict("deletion", expected: 3, found: 0) { try await store.delete("1", expecting: 3) }
        report.expect(try await !store.delete("1", expecting: 0), "delete returns true for the expected revision 0")
        var largest = 0
        for isExpected in [false, true] {
            let revision = try await store.save(archive("1"))
            report.expect(revision > largest, "a revision is reused after a deletion")
            largest = try await store.save(archive("1", replacing: revision))
            await report.expectConflict("deletion", expected: 0, found: largest) {
                try await store.delete("1", expecting: 0)
            }
            try await store.save(archive("2"))
            report.expect(
                try await store.delete("1", expecting: isExpected ? largest : nil),
                "delete returns false for a stored archive"
            )
            report.expect(try await store.load("1") == nil, "a deleted archive is still stored")
            report.expect(try await store.ids() == ["2"], "a deletion changes other ids, or its own id is still listed")
            await report.expectConflict(expected: largest, found: 0) {
                try await store.save(archive("1", replacing: largest))
            }
            try await store.delete("2", expecting: nil)
        }
        // A stale revision of the deleted archive must not match the new archive.
        let anew = try await store.save(archive("1", content: "[\"new\"]"))
        await report.expectConflict(expected: largest, found: anew) {
            try await store.save(archive("1", replacing: largest, content: "[\"old\"]"))
        }
    }

    /// Saves and deletes the same revision at once.
    private static func deletingAtOnce(_ store: any ArchiveStore, _ report: ConformanceReport) async throws {
        for _ in 0..<30 {
            let revision = try await store.save(archive("1"))
            let (saved, deleted) = try await withThrowingTaskGroup(of: (isSave: Bool, isDone: Bool).self) { group in
                for isSave in [true, false, true, false] {
                    group.addTask {
                        do {
                            if isSave {
                                try await store.save(archive("1", replacing: revision))
                                return (isSave, true)
                            }
                            return (isSave, try await store.delete("1", expecting: revision))
                        } catch StoreError.conflict {
                            return (isSave, false)
                        }
                    }
                }
                return try await group.reduce(into: (0, 0)) { count, result in
                    if result.isDone { if result.isSave { count.0 += 1 } else { count.1 += 1 } }
                }
            }
            guard saved + deleted == 1 else {
                return report.add("of two saves and two deletions of one revision, \(saved) and \(deleted) succeeded")
            }
            let isThere = try await store.load("1") != nil
            report.expect(isThere == (saved == 1), "a deleted archive is back, or a saved archive is deleted")
            try await store.delete("1", expecting: nil)
        }
    }

    private static func several(_ store: any ArchiveStore, _ report: ConformanceReport) async throws {
        let first = try await store.save(archive("3", content: "[3]"))
        let second = try await store.save(archive("7", content: "[7]"))
        report.expect(
            try await store.load(["7", "nothing", "3"]) == [
                archive("7", replacing: second, content: "[7]"), archive("3", replacing: first, content: "[3]"),
            ],
            "loading several ids does not return their archives in the order of the ids"
        )
    }
}

/// Collects the failures of a check.
final class ConformanceReport {
    private(set) var failures: [String] = []

    func add(_ failure: String) { failures.append(failure) }

    func expect(_ isSo: Bool, _ failure: String) {
        if !isSo { add(failure) }
    }

    /// Expects a conflict of a change, which is a save or a deletion.
    func expectConflict(
        _ change: String = "save",
        of id: String = "1",
        expected: Int,
        found: Int,
        _ body: () async throws -> Void
    ) async {
        do {
            try await body()
            add("a \(change) expecting revision \(expected) with \(found) stored was no conflict")
        } catch StoreError.conflict(let other, expected, found) where other.utf8.elementsEqual(id.utf8) {
            return
        } catch {
            add("a \(change) of \(id) expecting revision \(expected) with \(found) stored threw \(error), no conflict")
        }
    }
}

extension StoredArchive {
    /// The archive with the revision that a store has assigned.
    func with(_ revision: Int) -> StoredArchive {
        var archive = self
        archive.revision = revision
        return archive
    }
}
