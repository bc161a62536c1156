import Foundation
import Heraclitus
import HeraclitusStores

/// Promises of stores about archives that are saved together.
extension StoreConformance {
    /// Saves several archives in one transaction.
    @discardableResult
    private static func save(_ store: any ArchiveStore, _ archives: [StoredArchive]) async throws -> [Int] {
        try await store.save(archives.map { .save($0) })
    }

    /// - Returns: Whether the store can save archives together.
    private static func canSaveTogether(_ store: any ArchiveStore, _ report: ConformanceReport) async throws -> Bool {
        do {
            try await save(store, [archive("x"), archive("y")])
            return true
        } catch StoreError.noTransactions {
            report.expect(try await store.ids().isEmpty, "a store without transactions has saved an archive")
            return false
        }
    }

    static func transactions(_ store: any ArchiveStore, _ report: ConformanceReport) async throws {
        guard try await canSaveTogether(store, report) else { return }
        let ids = ["b", "a", "né", "ne\u{301}"]
        let first = try await save(store, ids.map { archive($0, content: "[\"\($0)\"]") })
        guard first.count == ids.count else {
            return report.add("the number of revisions differs from the number of archives")
        }
        for (id, revision) in zip(ids, first) {
            report.expect(
                try await store.load(id) == archive(id, replacing: revision, content: "[\"\(id)\"]"),
                "load does not return the archives that were saved together"
            )
        }
        let changed = zip(ids, first).map { archive($0, replacing: $1, "Off") }
        for wrong in ids.indices {
            var together = changed
            together[wrong] = archive(ids[wrong], replacing: first[wrong] + 1, "Off")
            await report.expectConflict(of: ids[wrong], expected: first[wrong] + 1, found: first[wrong]) {
                try await save(store, together)
            }
            report.expect(
                try await store.ids(query { $0.states = ["Off"] }) == [],
                "a transaction with a conflict has saved some archives"
            )
        }
        await report.expectConflict(of: "b", expected: 0, found: first[0]) {
            try await save(store, [archive("new"), archive("b")])
        }
        report.expect(try await store.load("new") == nil, "a transaction with a conflict has saved its new archive")
        let second = try await save(store, changed)
        guard second.count == ids.count, zip(first, second).allSatisfy(<) else {
            return report.add("a transaction does not return an increased revision for each archive")
        }
        report.expect(try await save(store, []) == [], "an empty transaction returns revisions")
        do {
            try await save(store, [archive("twice"), archive("twice")])
            report.add("a transaction with the same new id twice is no conflict")
        } catch StoreError.conflict {
            report.expect(try await store.load("twice") == nil, "a transaction with an id twice has saved an archive")
        }
        // A transaction may contain deletions and effects.
        let waiting = effects(of: "Ring", at: .distantPast)
        let mixed: [StoreChange] = [
            .delete("a", expecting: second[1]), .save(archive("c"), effects: (nil, waiting)),
            .effects(of: "b", (nil, waiting)),
        ]
        do {
            try await store.save(mixed + [.save(archive("b", replacing: second[0] + 1))])
            report.add("a conflict after other changes is not thrown")
        } catch StoreError.conflict {}
        var (a, b, c) = (try await store.load("a"), try await store.load("b"), try await store.load("c"))
        report.expect(
            a != nil && c == nil && b?.effects == nil,
            "a transaction with a conflict has saved some changes"
        )
        let revisions = try await store.save(mixed)
        report.expect(
            revisions.count == 3 && revisions[0] == second[1] && revisions[2] == second[0],
            "a transaction returns wrong revisions for a deletion or a change of effects: \(revisions)"
        )
        (a, b, c) = (try await store.load("a"), try await store.load("b"), try await store.load("c"))
        report.expect(
            a == nil && c?.effects == waiting && b?.effects == waiting,
            "a transaction loses a deletion or effects"
        )
    }

    static func transfers(_ store: any ArchiveStore, _ report: ConformanceReport) async throws {
        guard try await canSaveTogether(store, report) else { return }
        let (ids, transfers, attempts) = (["0", "1", "2", "3"], 10, 2_000)
        for id in ids { try await store.save(archive(id, content: "100")) }
        func number(_ archive: StoredArchive) -> Int { Int(String(decoding: archive.archive, as: UTF8.self)) ?? 0 }
        let areDone = try await withThrowingTaskGroup(of: Bool.self) { group in
            for task in 0..<4 {
                group.addTask {
                    var transferred = 0
                    // Transfers run in both directions, so that a store that locks archives one by one would deadlock.
                    let (from, to) = (ids[task], ids[(task + (task < 2 ? 1 : 3)) % 4])
                    for _ in 0..<attempts where transferred < transfers {
                        guard let one = try await store.load(from), let other = try await store.load(to) else {
                            return false
                        }
                        do {
                            try await save(
                                store,
                                [
                                    archive(from, replacing: one.revision, content: "\(number(one) - 1)"),
                                    archive(to, replacing: other.revision, content: "\(number(other) + 1)"),
                                ]
                            )
                            transferred += 1
                        } catch StoreError.conflict {
                            await Task.yield()
                        }
                    }
                    return transferred == transfers
                }
            }
            return try await group.reduce(true) { $0 && $1 }
        }
        report.expect(areDone, "a task loses an archive, or makes no \(transfers) transfers in \(attempts) attempts")
        let numbers = try await store.load(ids).map(number)
        report.expect(numbers.reduce(0, +) == 400, "transfers change the sum: \(numbers)")
    }
}
