import Foundation
import Heraclitus
import HeraclitusStores

/// What stores promise of several archives that are saved together.
extension StoreConformance {
    /// - Returns: Whether the store can do it.
    private static func canSaveTogether(_ store: any ArchiveStore, _ report: ConformanceReport) async throws -> Bool {
        do {
            try await store.save(together: [archive("x"), archive("y")])
            return true
        } catch StoreError.noTransactions {
            report.expect(try await store.ids().isEmpty, "a store without transactions has saved something")
            return false
        }
    }

    static func transactions(_ store: any ArchiveStore, _ report: ConformanceReport) async throws {
        guard try await canSaveTogether(store, report) else { return }
        let ids = ["b", "a", "né", "ne\u{301}"]
        let first = try await store.save(together: ids.map { archive($0, content: "[\"\($0)\"]") })
        report.expect(first.count == ids.count, "not each that was saved has a revision")
        for (id, revision) in zip(ids, first) {
            report.expect(
                try await store.load(id) == archive(id, replacing: revision, content: "[\"\(id)\"]"),
                "what is loaded is not what was saved together with others"
            )
        }
        let changed = zip(ids, first).map { archive($0, replacing: $1, "Off") }
        for wrong in ids.indices {
            var together = changed
            together[wrong] = archive(ids[wrong], replacing: first[wrong] + 1, "Off")
            await report.expectConflict(of: ids[wrong], expected: first[wrong] + 1, found: first[wrong]) {
                try await store.save(together: together)
            }
            report.expect(
                try await store.ids(of: nil, in: "Off") == [],
                "of several that were not saved because of a conflict some were saved"
            )
        }
        await report.expectConflict(of: "b", expected: 0, found: first[0]) {
            try await store.save(together: [archive("new"), archive("b")])
        }
        report.expect(try await store.load("new") == nil, "what is new was saved without those that it belongs to")
        let second = try await store.save(together: changed)
        report.expect(zip(first, second).allSatisfy(<), "a revision does not grow when it is saved with others")
        report.expect(try await store.save(together: []) == [], "nothing that is saved has revisions")
        do {
            try await store.save(together: [archive("twice"), archive("twice")])
            report.add("an archive that is saved twice together is no conflict")
        } catch StoreError.conflict {
            report.expect(try await store.load("twice") == nil, "one of two archives of one id was saved")
        }
    }

    static func transfers(_ store: any ArchiveStore, _ report: ConformanceReport) async throws {
        guard try await canSaveTogether(store, report) else { return }
        let ids = ["0", "1", "2", "3"]
        for id in ids { try await store.save(archive(id, content: "100")) }
        func number(_ archive: StoredArchive) -> Int { Int(String(decoding: archive.archive, as: UTF8.self)) ?? 0 }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    var transfers = 0
                    // In both directions, so that a store that locks one after the other comes to a standstill.
                    let (from, to) = (ids[task], ids[(task + (task < 2 ? 1 : 3)) % 4])
                    for _ in 0..<2_000 where transfers < 10 {
                        guard let one = try await store.load(from), let other = try await store.load(to) else { return }
                        do {
                            try await store.save(together: [
                                archive(from, replacing: one.revision, content: "\(number(one) - 1)"),
                                archive(to, replacing: other.revision, content: "\(number(other) + 1)"),
                            ])
                            transfers += 1
                        } catch StoreError.conflict {
                            await Task.yield()
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let numbers = try await store.load(each: ids).map(number)
        report.expect(numbers.reduce(0, +) == 400, "transfers change the sum: \(numbers)")
    }
}
