import Foundation
import Heraclitus
import HeraclitusStores

/// What stores promise of those who look for effects that may be carried out, and claim them.
extension StoreConformance {
    private static let date = Date(timeIntervalSinceReferenceDate: 800_000_000)

    /// An archive with an effect that may be carried out from a date on, or is parked.
    private static func archive(
        _ id: String,
        replacing revision: Int = 0,
        workflow: String = "Lamp",
        effectAt date: Date,
        isParked: Bool = false
    ) -> StoredArchive {
        let effect = #"{"data":{},"name":"Glow"\#(isParked ? #","parked":true"# : "")}"#
        let content = #"{"outbox":{"at":"\#(date.formatted(.iso8601))","effects":[\#(effect)]}}"#
        return archive(id, replacing: revision, workflow: workflow, content: content)
    }

    static func findingEffects(_ store: any ArchiveStore, _ report: ConformanceReport) async throws {
        let dates = [("late", date + 60), ("second", date), ("first", date - 60)]
        for (id, date) in dates { try await store.save(archive(id, effectAt: date)) }
        try await store.save(archive("parked", effectAt: date - 90, isParked: true))
        try await store.save(archive("none"))
        try await store.save(archive("door", workflow: "Door", effectAt: date - 30))
        let found: [(Date, String?, limit: Int, [String])] = [
            (date, "Lamp", 10, ["first", "second"]), (date, nil, 10, ["first", "door", "second"]),
            (date - 1, "Lamp", 10, ["first"]), (date - 61, nil, 10, []), (date, "Nobody", 10, []),
            (date + 60, "Lamp", 10, ["first", "second", "late"]), (date + 60, "Lamp", 2, ["first", "second"]),
            (date + 60, nil, 1, ["first"]), (date, "Lamp", 0, []), (.distantFuture - 1, "Door", 10, ["door"]),
            (.distantFuture, "Lamp", 10, ["first", "second", "late", "parked"]),
        ]
        for (date, workflow, limit, ids) in found {
            let listed = try await store.ids(withEffectsBy: date, of: workflow, limit: limit)
            report.expect(
                listed == ids,
                "by \(date) the first \(limit) with effects of \(workflow ?? "any workflow") are \(listed), not \(ids)"
            )
        }
        func expectFound(_ ids: [String], _ failure: String) async throws {
            let found = try await store.ids(withEffectsBy: date, of: "Lamp", limit: 10)
            report.expect(found == ids, "\(failure): \(found) are found, not \(ids)")
        }
        try await store.save(archive("first", replacing: try await store.load("first")?.revision ?? 0))
        try await store.delete("second", expecting: nil)
        try await expectFound([], "what has no effects any more, or was deleted, is found")
        let revision = try await store.load("late")?.revision ?? 0
        try await store.save(archive("late", replacing: revision, effectAt: date - 10))
        try await expectFound(["late"], "what may be carried out earlier than before is not found")
        try await store.save(each: [archive("x", effectAt: date - 8), archive("y", effectAt: date - 9)])
        try await expectFound(["late", "y", "x"], "effects of several that were saved at once are not found")
        do {
            try await store.save(together: [archive("v", effectAt: date - 6), archive("w", effectAt: date - 7)])
            try await expectFound(
                ["late", "y", "x", "w", "v"],
                "effects of several that were saved together are not found"
            )
        } catch StoreError.noTransactions {}
    }

    /// What takes the effects from an archive.
    private static func taken(_ found: StoredArchive) -> StoredArchive {
        archive(found.id, replacing: found.revision, "Taken", workflow: found.workflow)
    }

    static func claimingEffects(_ store: any ArchiveStore, _ report: ConformanceReport) async throws {
        let ids = (0..<10).map { "\($0)" }
        for (number, id) in ids.enumerated() { try await store.save(archive(id, effectAt: date + Double(number))) }
        try await store.save(archive("later", effectAt: date + 1_000))
        try await store.save(archive("parked", effectAt: date, isParked: true))
        try await store.save(archive("door", workflow: "Door", effectAt: date))
        let before = try await store.load(each: ids)
        func claim(
            by date: Date = date + 100,
            of workflow: String = "Lamp",
            limit: Int = 100,
            _ change: @escaping @Sendable (StoredArchive) throws -> StoredArchive? = { Self.taken($0) }
        ) async throws -> [StoredArchive] {
            try await store.claim(effectsBy: date, of: workflow, limit: limit, change)
        }
        let seen = Lock<[StoredArchive]>([])
        let none = try await claim { found in
            seen.withLock { $0.append(found) }
            return nil
        }
        report.expect(none == [], "what is to stay as it is, is claimed")
        report.expect(
            seen.withLock { $0.sorted { $0.id < $1.id } } == before,
            "what may be changed is not what is stored with effects that may be carried out"
        )
        do {
            _ = try await claim { _ in throw Broken() }
            report.add("the error of a change is lost")
        } catch is Broken {}
        report.expect(try await claim(limit: 0) == [], "something is claimed where nothing may be")
        report.expect(try await claim(by: date - 1) == [], "an effect is claimed before it may be carried out")
        report.expect(try await claim(of: "Nobody") == [], "effects of another workflow are claimed")
        report.expect(try await store.load(each: ids) == before, "what was not claimed has changed")
        let first = try await claim(limit: 3)
        report.expect(first.count == 3, "\(first.count) are claimed of 10, and not the 3 that may be")
        let rest = try await claim()
        report.expect(
            Set((first + rest).map(\.id)) == Set(ids) && first.count + rest.count == 10,
            "claimed are \(first.map(\.id)), and then \(rest.map(\.id)), and not each that is there once"
        )
        for claimed in first + rest {
            report.expect(
                try await store.load(claimed.id) == claimed && claimed.state == "Taken",
                "what is claimed is not what is stored afterwards, with its revision"
            )
        }
        report.expect(
            try await store.ids(of: nil, in: "On") == ["door", "later", "parked"],
            "effects are claimed that are of another workflow, or parked, or may not be carried out yet"
        )
        let revision = try await store.load("0")?.revision ?? 0
        try await store.save(archive("0", replacing: revision, effectAt: date))
        report.expect(try await claim().map(\.id) == ["0"], "what was claimed once is never claimed again")
    }

    static func claimingAtOnce(_ store: any ArchiveStore, _ report: ConformanceReport) async throws {
        let ids = (0..<24).map { "\($0)" }
        for id in ids { try await store.save(archive(id, effectAt: date)) }
        let claimed = try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var claimed: [String] = []
                    // Whoever meets others may find nothing although there is something.
                    for _ in 0..<200 {
                        claimed += try await store.claim(effectsBy: date, of: "Lamp", limit: 5) { found in
                            found.effectsDue.map { _ in Self.taken(found) }
                        }
                        .map(\.id)
                        if try await store.ids(withEffectsBy: date, of: "Lamp", limit: 1).isEmpty { break }
                    }
                    return claimed
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        report.expect(Set(claimed).count == claimed.count, "two claim the same effects")
        report.expect(Set(claimed) == Set(ids), "of several who claim effects none gets some")
    }
}
