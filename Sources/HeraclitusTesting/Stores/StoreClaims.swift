import Foundation
import Heraclitus
import HeraclitusStores

/// Promises of stores about the effects column and claims.
extension StoreConformance {
    private static let date = Date(timeIntervalSinceReferenceDate: 800_000_000.123_456)

    /// Effects as a store sees them.
    static func effects(of name: String?, at date: Date, _ worker: String? = nil) -> WaitingEffects {
        WaitingEffects(content: Data("{\"of\":\"\(name ?? "nobody")\"}".utf8), next: name, date: date, worker: worker)
    }

    /// A claim of lamps for 100 s.
    static func lampClaim(_ queue: ArchiveQuery.Queue, at now: Date, by worker: String, limit: Int = 10) -> StoreClaim {
        StoreClaim(queue, of: ["Lamp"], newestVersion: 1, at: now, until: now + 100, by: worker, limit: limit)
    }

    static func keepingEffects(_ store: any ArchiveStore, _ report: ConformanceReport) async throws {
        let first = effects(of: "Ring", at: date)
        let second = effects(of: "Mail", at: date - 60, "worker")
        var revision = try await store.revision(of: .save(archive("1"), effects: (nil, first)))
        report.expect(try await store.load("1")?.effects == first, "the loaded effects differ from the saved effects")
        revision = try await store.save(archive("1", replacing: revision, "Off", due: date))
        report.expect(try await store.load("1")?.effects == first, "a save of the machine has changed its effects")
        try await store.save([.effects(of: "1", (first, second))])
        var expected = archive("1", replacing: revision, "Off", due: date)
        expected.effects = second
        report.expect(
            try await store.load("1") == expected,
            "a change of effects fails, or changes the machine or its revision"
        )
        for wrong in [nil, first, effects(of: "Mail", at: date - 60), effects(of: "Mail", at: date, "worker")] {
            do {
                try await store.save([.effects(of: "1", (wrong, first))])
                report.add("a change with stale effects replaces the effects")
            } catch StoreError.effectsChanged("1") {}
            do {
                try await store.save([.save(archive("1", replacing: revision), effects: (wrong, nil))])
                report.add("a machine is saved with stale effects")
            } catch StoreError.effectsChanged("1") {}
        }
        report.expect(try await store.load("1") == expected, "a rejected change has changed the archive")
        try await store.save(archive("1", replacing: revision))
        report.expect(try await store.load("1")?.effects == second, "a save of the machine ends a lease of its effects")
        try await store.save([.effects(of: "1", (second, nil))])
        report.expect(try await store.load("1")?.effects == nil, "removed effects are still stored")
        do {
            try await store.save([.effects(of: "nothing", (nil, first))])
            report.add("effects are saved without their machine")
        } catch StoreError.effectsChanged("nothing") {}
        try await store.save([.effects(of: "1", (nil, first))])
        try await store.delete("1")
        try await store.save(archive("1"))
        report.expect(try await store.load("1")?.effects == nil, "effects outlive the deletion of their machine")
    }

    static func claimingEffects(_ store: any ArchiveStore, _ report: ConformanceReport) async throws {
        let all: [(String, String?, Date)] = [
            ("later", "Ring", date + 60), ("second", "Ring", date), ("first", "Ring", date - 60),
            ("mail", "Mail", date),
            ("parked", nil, .distantFuture),
        ]
        for (id, name, at) in all {
            try await store.save([.save(archive(id), effects: (nil, effects(of: name, at: at)))])
        }
        try await store.save([
            .save(archive("door", workflow: "Door"), effects: (nil, effects(of: "Ring", at: date - 30)))
        ])
        try await store.save(archive("none"))
        let found: [(Date, [String]?, [String])] = [
            (date, ["Ring"], ["first", "second"]), (date, nil, ["first", "mail", "second"]),
            (.distantFuture, nil, ["first", "mail", "second", "later", "parked"]), (date, ["Mail"], ["mail"]),
            (date, ["Nobody"], []), (date - 0.001, ["Ring", "Mail"], ["first"]),
        ]
        for (date, names, ids) in found {
            let listed = try await store.ids(
                query { ($0.workflows, $0.queue) = (["Lamp"], .effects(by: date, names: names)) }
            )
            report.expect(listed == ids, "machines with \(names ?? ["any effects"]) are \(listed), not \(ids)")
        }
        func claim(_ worker: String, by date: Date, limit: Int = 10) async throws -> [StoredArchive] {
            try await store.claim(lampClaim(.effects(by: date, names: ["Ring"]), at: date, by: worker, limit: limit))
        }
        let few = try await claim("one", by: date, limit: 1)
        report.expect(few.count == 1, "a claim of one machine returns \(few.count)")
        let claimed = few + (try await claim("one", by: date))
        report.expect(Set(claimed.map(\.id)) == ["first", "second"], "a claim returns \(claimed.map(\.id))")
        for archive in claimed {
            report.expect(
                archive.effects == effects(of: "Ring", at: date + 100, "one"),
                "claimed effects are not leased: \(String(describing: archive.effects))"
            )
            report.expect(try await store.load(archive.id) == archive, "a claimed archive differs from the stored one")
        }
        report.expect(try await claim("two", by: date + 99).map(\.id) == ["later"], "leased effects are claimed again")
        let again = try await claim("two", by: date + 100).map(\.id).sorted()
        report.expect(again == ["first", "second"], "effects with an expired lease are not claimed: \(again)")
        // An expired lease: the worker can no longer change effects that another worker has leased.
        do {
            let old = effects(of: "Ring", at: date + 100, "one")
            try await store.save([.effects(of: "first", (old, nil))])
            report.add("a worker with an expired lease changes effects that another worker has leased")
        } catch StoreError.effectsChanged {}
    }

    static func claimingDue(_ store: any ArchiveStore, _ report: ConformanceReport) async throws {
        let ids = ["a", "b", "c"]
        for id in ids { try await store.save(archive(id, due: date)) }
        func claim(_ worker: String, by date: Date) async throws -> [StoredArchive] {
            try await store.claim(lampClaim(.due(by: date), at: date, by: worker))
        }
        try await expectNextDates(store, report)
        report.expect(try await claim("one", by: date - 1) == [], "a machine is claimed before it is due")
        let claimed = try await claim("one", by: date)
        report.expect(
            claimed.map(\.id).sorted() == ids,
            "a claim of due machines returns \(claimed.map(\.id))"
        )
        for archive in claimed {
            report.expect(try await store.load(archive.id) == archive, "a claim has changed a due machine")
        }
        // Exclusive claims of due machines are optional. A save of the machine ends an exclusive claim.
        let isExclusive = try await claim("two", by: date + 1).isEmpty
        let revision = try await store.load("a")?.revision ?? 0
        try await store.save(archive("a", replacing: revision, due: date))
        let saved = try await claim("two", by: date + 2).map(\.id)
        report.expect(saved.contains("a"), "a due machine that was claimed and then saved is not claimed")
        let lapsed = try await claim("three", by: date + 200).map(\.id).sorted()
        report.expect(lapsed == ids, "a claim of machines with an expired claim returns \(lapsed)")
        if isExclusive {
            report.expect(try await claim("four", by: date + 201) == [], "claimed machines are claimed again")
            try await claimingBeforehand(store, report)
        }
    }

    /// A listing has the machines that are due first, whether or not later ones are claimed.
    static func listingClaimed(_ store: any ArchiveStore, _ report: ConformanceReport) async throws {
        try await store.save(archive("claimed", due: date))
        let claimed = try await store.claim(lampClaim(.due(by: date), at: date, by: "one")).map(\.id)
        report.expect(claimed == ["claimed"], "a claim of a due machine returns \(claimed)")
        try await store.save(archive("earlier", due: date - 3_600))
        let first = try await store.ids(query { ($0.queue, $0.limit) = (.due(by: date + 3_600), 1) })
        report.expect(first == ["earlier"], "the machine that is due before a claimed one is listed as \(first)")
    }

    /// A claim of machines that are due later ends by the worker's clock.
    private static func claimingBeforehand(_ store: any ArchiveStore, _ report: ConformanceReport) async throws {
        try await store.save(archive("later", due: date + 10_000))
        func claim(_ worker: String, at now: Date) async throws -> [String] {
            let claim = lampClaim(.due(by: date + 20_000), at: now, by: worker)
            return try await store.claim(claim).map(\.id).filter { $0 == "later" }
        }
        report.expect(try await claim("five", at: date) == ["later"], "a machine is not claimed before it is due")
        let again = try await claim("six", at: date + 99)
        report.expect(again == [], "a machine that was claimed before it is due is claimed again")
        let lapsed = try await claim("six", at: date + 100)
        report.expect(lapsed == ["later"], "a claim of a machine that is due later does not end by the worker's clock")
    }

    /// A store returns the date until which an idle worker sleeps.
    private static func expectNextDates(_ store: any ArchiveStore, _ report: ConformanceReport) async throws {
        let (first, second) = (archive("door", workflow: "Door", due: date + 5), effects(of: "Ring", at: date + 7))
        try await store.save([.save(first, effects: (nil, second))])
        let all: [([String], ArchiveQuery.Queue, Date, Date?)] = [
            (["Lamp"], .due(by: .distantFuture), date - 1, date), (["Lamp"], .due(by: .distantFuture), date, nil),
            (["Door"], .due(by: .distantFuture), date, date + 5), (["Door"], .due(by: .distantFuture), date + 5, nil),
            (["Door"], .effects(by: .distantFuture, names: ["Ring"]), date, date + 7),
            (["Door"], .effects(by: .distantFuture, names: ["Mail"]), date, nil),
            (["Door"], .effects(by: .distantFuture, names: nil), date + 7, nil),
        ]
        for (workflows, queue, after, expected) in all {
            let found = try await store.nextDate(query { ($0.workflows, $0.queue) = (workflows, queue) }, after: after)
            report.expect(
                found == expected,
                "the next date of \(workflows) after \(after) is \(found as Any), not \(expected as Any)"
            )
        }
        try await store.delete("door")
    }

    static func claimingAtOnce(_ store: any ArchiveStore, _ report: ConformanceReport) async throws {
        let ids = (0..<40).map { "\($0)" }
        for id in ids {
            try await store.save([.save(archive(id), effects: (nil, effects(of: "Ring", at: date)))])
        }
        let claimed = try await withThrowingTaskGroup(of: [String].self) { group in
            for worker in 0..<4 {
                group.addTask {
                    var claimed: [String] = []
                    for _ in 0..<200 {
                        let claim = lampClaim(.effects(by: date, names: ["Ring"]), at: date, by: "\(worker)", limit: 5)
                        claimed += try await store.claim(claim).map(\.id)
                        let left = query { ($0.queue, $0.limit) = (.effects(by: date, names: nil), 1) }
                        if try await store.ids(left).isEmpty { break }
                    }
                    return claimed
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        report.expect(Set(claimed).count == claimed.count, "two workers claim the same effects")
        report.expect(Set(claimed) == Set(ids), "some effects are claimed by no worker")
    }
}
