import Foundation
import Heraclitus
import HeraclitusStores

/// Promises of stores about the effects column and claims.
extension StoreCheck {
    func keepingEffects() async throws {
        let first = effects(of: "Ring", at: date)
        let second = effects(of: "Mail", at: date - 60, "worker")
        var revision = try await store.revision(of: .save(archive("1"), effects: (nil, first)))
        expect(try await store.load("1")?.effects == first, "the loaded effects differ from the saved effects")
        revision = try await store.save(archive("1", replacing: revision, "Off", due: date))
        expect(try await store.load("1")?.effects == first, "a save of the machine has changed its effects")
        try await store.save([.effects(of: "1", (first, second))])
        var expected = archive("1", replacing: revision, "Off", due: date)
        expected.effects = second
        try await expectRow(expected, "a change of effects fails, or changes the machine or its revision")
        for wrong in [nil, first, effects(of: "Mail", at: date - 60), effects(of: "Mail", at: date, "worker")] {
            let row = archive("1", replacing: revision)
            try await expectStale(.effects(of: "1", (wrong, first)), "a change with stale effects replaces the effects")
            try await expectStale(.save(row, effects: (wrong, nil)), "a machine is saved with stale effects")
        }
        try await expectRow(expected, "a rejected change has changed the archive")
        try await store.save(archive("1", replacing: revision))
        expect(try await store.load("1")?.effects == second, "a save of the machine ends a lease of its effects")
        try await store.save([.effects(of: "1", (second, nil))])
        expect(try await store.load("1")?.effects == nil, "removed effects are still stored")
        try await expectStale(.effects(of: "nothing", (nil, first)), "effects are saved without their machine")
        try await store.save([.effects(of: "1", (nil, first))])
        try await store.delete("1")
        try await store.save(archive("1"))
        expect(try await store.load("1")?.effects == nil, "effects outlive the deletion of their machine")
    }

    func claimingEffects() async throws {
        let all: [(String, String?, Date)] = [
            ("later", "Ring", date + 60), ("second", "Ring", date), ("first", "Ring", date - 60),
            ("mail", "Mail", date), ("parked", nil, .distantFuture),
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
            try await expectIDs(ids, "machines with \(names ?? ["any effects"])") {
                ($0.workflows, $0.queue) = (["Lamp"], .effects(by: date, names: names))
            }
        }
        func claimRings(_ worker: String, by date: Date, limit: Int = 10) async throws -> [StoredArchive] {
            try await claim(.effects(by: date, names: ["Ring"]), at: date, by: worker, limit: limit)
        }
        let few = try await claimRings("one", by: date, limit: 1)
        expect(few.count == 1, "a claim of one machine returns \(few.count)")
        let claimed = few + (try await claimRings("one", by: date))
        expect(Set(claimed.map(\.id)) == ["first", "second"], "a claim returns \(claimed.map(\.id))")
        let leased = effects(of: "Ring", at: date + 100, "one")
        for archive in claimed {
            expect(archive.effects == leased, "claimed effects are not leased: \(archive.effects as Any)")
            try await expectRow(archive, "a claimed archive differs from the stored one")
        }
        let others = try await claimRings("two", by: date + 99).map(\.id)
        expect(others == ["later"], "leased effects are claimed again: \(others)")
        let again = try await claimRings("two", by: date + 100).map(\.id).sorted()
        expect(again == ["first", "second"], "effects with an expired lease are not claimed: \(again)")
        // The other worker has leased the effects, because the lease of this one has expired.
        let late = "a worker with an expired lease changes effects that another worker has leased"
        try await expectStale(.effects(of: "first", (leased, nil)), late)
    }

    func claimingDue() async throws {
        let ids = ["a", "b", "c"]
        for id in ids { try await store.save(archive(id, due: date)) }
        try await expectNextDates()
        func claimDue(_ worker: String, by date: Date) async throws -> [StoredArchive] {
            try await claim(.due(by: date), at: date, by: worker)
        }
        expect(try await claimDue("one", by: date - 1) == [], "a machine is claimed before it is due")
        let claimed = try await claimDue("one", by: date)
        expect(claimed.map(\.id).sorted() == ids, "a claim of due machines returns \(claimed.map(\.id))")
        for archive in claimed { try await expectRow(archive, "a claim has changed a due machine") }
        // Exclusive claims of due machines are optional. A save of the machine ends an exclusive claim.
        let isExclusive = try await claimDue("two", by: date + 1).isEmpty
        let revision = try await store.load("a")?.revision ?? 0
        try await store.save(archive("a", replacing: revision, due: date))
        let saved = try await claimDue("two", by: date + 2).map(\.id)
        expect(saved.contains("a"), "a due machine that was claimed and then saved is not claimed")
        let lapsed = try await claimDue("three", by: date + 200).map(\.id).sorted()
        expect(lapsed == ids, "a claim of machines with an expired claim returns \(lapsed)")
        if isExclusive {
            expect(try await claimDue("four", by: date + 201) == [], "claimed machines are claimed again")
            try await claimingBeforehand()
        }
    }

    /// A listing has the machines that are due first, whether or not later ones are claimed.
    func listingClaimed() async throws {
        try await store.save(archive("claimed", due: date))
        let claimed = try await claim(.due(by: date), at: date, by: "one").map(\.id)
        expect(claimed == ["claimed"], "a claim of a due machine returns \(claimed)")
        try await store.save(archive("earlier", due: date - 3_600))
        try await expectIDs(["earlier"], "the machine that is due before a claimed one") {
            ($0.queue, $0.limit) = (.due(by: date + 3_600), 1)
        }
    }

    /// A claim of machines that are due later ends by the worker's clock.
    private func claimingBeforehand() async throws {
        try await store.save(archive("later", due: date + 10_000))
        func isClaimed(by worker: String, at now: Date) async throws -> Bool {
            try await claim(.due(by: date + 20_000), at: now, by: worker).contains { $0.id == "later" }
        }
        expect(try await isClaimed(by: "five", at: date), "a machine is not claimed before it is due")
        let isClaimedAgain = try await isClaimed(by: "six", at: date + 99)
        expect(!isClaimedAgain, "a machine that was claimed before it is due is claimed again")
        let isClaimedLater = try await isClaimed(by: "six", at: date + 100)
        expect(isClaimedLater, "a claim of a machine that is due later does not end by the worker's clock")
    }

    /// A store returns the date until which an idle worker sleeps.
    private func expectNextDates() async throws {
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
            let next = "the next date of \(workflows) after \(after)"
            expect(found == expected, "\(next) is \(found as Any), not \(expected as Any)")
        }
        try await store.delete("door")
    }

    func claimingAtOnce() async throws {
        let ids = (0..<40).map { "\($0)" }
        for id in ids { try await store.save([.save(archive(id), effects: (nil, effects(of: "Ring", at: date)))]) }
        let claimed = try await withThrowingTaskGroup(of: [String].self) { group in
            for worker in 0..<4 {
                group.addTask { [self] in
                    let rings = ArchiveQuery.Queue.effects(by: date, names: ["Ring"])
                    let left = query { ($0.queue, $0.limit) = (.effects(by: date, names: nil), 1) }
                    var claimed: [String] = []
                    for _ in 0..<200 {
                        claimed += try await claim(rings, at: date, by: "\(worker)", limit: 5).map(\.id)
                        if try await store.ids(left).isEmpty { break }
                    }
                    return claimed
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        expect(Set(claimed).count == claimed.count, "two workers claim the same effects")
        expect(Set(claimed) == Set(ids), "some effects are claimed by no worker")
    }
}
