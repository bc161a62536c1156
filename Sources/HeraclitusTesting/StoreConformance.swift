import Foundation
public import Heraclitus

/// Checks that a store does what `ArchiveStore` promises.
///
/// ```swift
/// @Test func store() async throws {
///     let failures = try await StoreConformance.failures { try await DatabaseStore(inMemory: true) }
///     #expect(failures == [])
/// }
/// ```
public enum StoreConformance {
    /// Checks every promise of a store.
    /// - Parameter makeStore: Makes an empty store; called for each check.
    /// - Returns: A sentence for each promise that the store does not keep.
    /// - Throws: The error of `makeStore`.
    public static func failures(_ makeStore: () async throws -> any ArchiveStore) async throws -> [String] {
        var failures: [String] = []
        for (name, check) in checks {
            let report = Report()
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

    private typealias Check = @Sendable (any ArchiveStore, Report) async throws -> Void

    private static let checks: [(String, Check)] = [
        ("keeping", keeping), ("ids", ids), ("conflicts", conflicts), ("deleting", deleting), ("finding", finding),
        ("updating together", together),
    ]

    /// Ids that have been trouble somewhere.
    private static let oddIDs = [
        "42", "", " ", "..", "../../etc/passwd", "/", "a/b", "A", "a", "%41", "x.json", "né", "ne\u{301}", "quote'\"",
        "semi;",
        "line\nbreak", "tab\t", String(repeating: "👩‍👩‍👧", count: 230), String(repeating: "👩‍👩‍👧", count: 231),
    ]

    /// An archive that is new, or that replaces the one of a revision.
    private static func archive(
        _ id: String,
        replacing revision: Int = 0,
        _ state: String = "On",
        workflow: String = "Lamp",
        content: String = "{}"
    ) -> StoredArchive {
        StoredArchive(id: id, revision: revision, workflow: workflow, state: state, archive: Data(content.utf8))
    }

    private static func keeping(_ store: any ArchiveStore, _ report: Report) async throws {
        let contents = [
            "{}", #"{"text":"a/b \"c\" ü 👩‍👩‍👧 \\u0000","number":1.50}"#, "{ \"spaces\" : [ ] }",
            "{\"long\":\"\(String(repeating: "x", count: 1_000_000))\"}",
        ]
        report.expect(try await store.load("1") == nil, "something is kept for an id that was never saved")
        var revision = 0
        for (index, content) in contents.enumerated() {
            let now = try await store.save(
                archive("1", replacing: revision, "State \(index)", content: content)
            )
            report.expect(now > revision, "the revision of what is saved is not larger than the one before")
            revision = now
            report.expect(
                try await store.load("1") == archive("1", replacing: now, "State \(index)", content: content),
                "what is loaded is not what was saved, byte for byte, with the revision that was returned"
            )
        }
    }

    private static func ids(_ store: any ArchiveStore, _ report: Report) async throws {
        for (index, id) in oddIDs.enumerated() { try await store.save(archive(id, content: "[\(index)]")) }
        for (index, id) in oddIDs.enumerated() {
            let found = try await store.load(id)
            report.expect(
                found?.archive == Data("[\(index)]".utf8),
                "the id \(id.debugDescription.prefix(40)) is taken for another one"
            )
            report.expect(found?.id.utf8.elementsEqual(id.utf8) ?? false, "an id comes back changed")
        }
        let listed = try await store.ids().map { Array($0.utf8) }
        report.expect(Set(listed) == Set(oddIDs.map { Array($0.utf8) }), "the ids are not those that were saved")
        report.expect(listed.count == oddIDs.count, "an id is listed twice, or not at all")
    }

    private static func conflicts(_ store: any ArchiveStore, _ report: Report) async throws {
        await report.expectConflict(expected: 1, found: 0) { try await store.save(archive("1", replacing: 1)) }
        report.expect(try await store.load("1") == nil, "a save that was a conflict has kept something")
        let first = try await store.save(archive("1", content: "[1]"))
        await report.expectConflict(expected: 0, found: first) { try await store.save(archive("1")) }
        await report.expectConflict(expected: first + 1, found: first) {
            try await store.save(archive("1", replacing: first + 1))
        }
        report.expect(
            try await store.load("1") == archive("1", replacing: first, content: "[1]"),
            "a save that was a conflict has changed something"
        )
        let second = try await store.save(archive("1", replacing: first))
        await report.expectConflict(expected: first, found: second) { try await store.delete("1", expecting: first) }
        report.expect(try await store.load("1")?.revision == second, "a conflict has deleted something")
    }

    private static func deleting(_ store: any ArchiveStore, _ report: Report) async throws {
        report.expect(try await !store.delete("1", expecting: nil), "something was deleted that was never saved")
        await report.expectConflict(expected: 3, found: 0) { try await store.delete("1", expecting: 3) }
        var largest = 0
        for isExpected in [false, true] {
            let revision = try await store.save(archive("1"))
            report.expect(revision > largest, "a revision comes again after something was deleted")
            largest = try await store.save(archive("1", replacing: revision))
            try await store.save(archive("2"))
            report.expect(
                try await store.delete("1", expecting: isExpected ? largest : nil),
                "what was deleted is said not to have been there"
            )
            report.expect(try await store.load("1") == nil, "what was deleted is still kept")
            report.expect(try await store.ids() == ["2"], "deleting one has changed others, or its id is still listed")
            await report.expectConflict(expected: largest, found: 0) {
                try await store.save(archive("1", replacing: largest))
            }
            try await store.delete("2", expecting: nil)
        }
        // Whoever has loaded what was there before must not take what is new for it.
        let anew = try await store.save(archive("1", content: "[\"new\"]"))
        await report.expectConflict(expected: largest, found: anew) {
            try await store.save(archive("1", replacing: largest, content: "[\"old\"]"))
        }
    }

    private static func finding(_ store: any ArchiveStore, _ report: Report) async throws {
        try await store.save(archive("b", "On"))
        let revision = try await store.save(archive("a", "On"))
        try await store.save(archive("c", "Off"))
        try await store.save(archive("d", "On", workflow: "Door"))
        try await store.save(archive("a", replacing: revision, "Off"))
        let found: [(String?, String?, [String])] = [
            (nil, nil, ["a", "b", "c", "d"]), ("Lamp", nil, ["a", "b", "c"]), ("Lamp", "On", ["b"]),
            ("Lamp", "Off", ["a", "c"]), (nil, "On", ["b", "d"]), ("Door", "Off", []), ("Nobody", nil, []),
        ]
        for (workflow, state, ids) in found {
            let listed = try await store.ids(of: workflow, in: state)
            report.expect(
                listed == ids,
                "the ids of \(workflow ?? "any workflow") in \(state ?? "any state") are \(listed), not \(ids)"
            )
        }
    }

    private static func together(_ store: any ArchiveStore, _ report: Report) async throws {
        let (tasks, saves, attempts) = (4, 10, 2_000)
        let areDone = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<tasks {
                group.addTask {
                    var saved = 0
                    for _ in 0..<attempts where saved < saves {
                        let kept = try await store.load("1")
                        let count = kept.flatMap { Int(String(decoding: $0.archive, as: UTF8.self)) } ?? 0
                        do {
                            try await store.save(
                                archive("1", replacing: kept?.revision ?? 0, content: "\(count + 1)")
                            )
                            saved += 1
                        } catch StoreError.conflict {
                            await Task.yield()
                        }
                    }
                    return saved == saves
                }
            }
            return try await group.reduce(true) { $0 && $1 }
        }
        guard areDone else {
            return report.add(
                "\(tasks) tasks that load and save \(saves) times do not come to an end: each of \(attempts) attempts is a conflict"
            )
        }
        let count = try await store.load("1").flatMap { Int(String(decoding: $0.archive, as: UTF8.self)) } ?? 0
        report.expect(
            count == tasks * saves,
            "of \(tasks * saves) saves that were no conflicts \(tasks * saves - count) are lost"
        )
    }
}

/// What a check has found.
private final class Report {
    private(set) var failures: [String] = []

    func add(_ failure: String) { failures.append(failure) }

    func expect(_ isSo: Bool, _ failure: String) {
        if !isSo { add(failure) }
    }

    func expectConflict(expected: Int, found: Int, _ body: () async throws -> Void) async {
        do {
            try await body()
            add("there was no conflict where \(expected) was expected and \(found) found")
        } catch StoreError.conflict(_, expected, found) {
            return
        } catch {
            add("instead of a conflict that expected \(expected) and found \(found) it threw \(error)")
        }
    }
}
