import Foundation
public import Heraclitus

/// Tries whether a store keeps what ``ArchiveStore`` promises.
///
/// ```swift
/// @Test func store() async throws {
///     let failures = try await StoreConformance.failures { try await DatabaseStore(inMemory: true) }
///     #expect(failures == [])
/// }
/// ```
public enum StoreConformance {
    /// Tries a store in every way that is promised.
    /// - Parameter makeStore: Makes an empty store; called for each of the checks.
    /// - Returns: What is not as it is promised, a sentence each.
    /// - Throws: What making a store throws.
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

    private static func archive(
        _ id: String,
        _ revision: Int,
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
        for (index, content) in contents.enumerated() {
            let archive = archive("1", index + 1, "State \(index)", content: content)
            try await store.save(archive)
            report.expect(try await store.load("1") == archive, "what is loaded is not what was saved, byte for byte")
        }
    }

    private static func ids(_ store: any ArchiveStore, _ report: Report) async throws {
        for (index, id) in oddIDs.enumerated() { try await store.save(archive(id, 1, content: "[\(index)]")) }
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
        await report.expectConflict(expected: 1, found: 0) { try await store.save(archive("1", 2)) }
        report.expect(try await store.load("1") == nil, "a save that was a conflict has kept something")
        let first = archive("1", 1, content: "[1]")
        try await store.save(first)
        await report.expectConflict(expected: 0, found: 1) { try await store.save(archive("1", 1)) }
        await report.expectConflict(expected: 2, found: 1) { try await store.save(archive("1", 3)) }
        report.expect(try await store.load("1") == first, "a save that was a conflict has changed something")
        try await store.save(archive("1", 2))
        await report.expectConflict(expected: 1, found: 2) { try await store.delete("1", expecting: 1) }
        report.expect(try await store.load("1")?.revision == 2, "a conflict has deleted something")
    }

    private static func deleting(_ store: any ArchiveStore, _ report: Report) async throws {
        report.expect(try await !store.delete("1", expecting: nil), "something was deleted that was never saved")
        await report.expectConflict(expected: 3, found: 0) { try await store.delete("1", expecting: 3) }
        for revision in [nil, 1] {
            try await store.save(archive("1", 1))
            try await store.save(archive("2", 1))
            report.expect(
                try await store.delete("1", expecting: revision),
                "what was deleted is said not to have been there"
            )
            report.expect(try await store.load("1") == nil, "what was deleted is still kept")
            report.expect(try await store.ids() == ["2"], "deleting one has changed others, or its id is still listed")
            try await store.delete("2", expecting: nil)
        }
    }

    private static func finding(_ store: any ArchiveStore, _ report: Report) async throws {
        try await store.save(archive("b", 1, "On"))
        try await store.save(archive("a", 1, "On"))
        try await store.save(archive("c", 1, "Off"))
        try await store.save(archive("d", 1, "On", workflow: "Door"))
        try await store.save(archive("a", 2, "Off"))
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
        let saves = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var saves = 0
                    while saves < 10 {
                        let revision = try await store.load("1")?.revision ?? 0
                        do {
                            try await store.save(archive("1", revision + 1))
                            saves += 1
                        } catch StoreError.conflict {
                            continue
                        }
                    }
                    return saves
                }
            }
            return try await group.reduce(0, +)
        }
        let revision = try await store.load("1")?.revision ?? 0
        report.expect(revision == saves, "of \(saves) saves that were no conflicts \(saves - revision) are lost")
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
