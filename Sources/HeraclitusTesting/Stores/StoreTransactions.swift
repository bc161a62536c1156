import Foundation
import Heraclitus
import HeraclitusStores

/// Promises of stores about archives that are saved together.
extension StoreCheck {
    /// Saves several archives in one transaction.
    @discardableResult
    private func save(_ archives: [StoredArchive]) async throws -> [Int] {
        try await store.save(archives.map { .save($0) })
    }

    /// - Returns: Whether the store can save archives together.
    private func canSaveTogether() async throws -> Bool {
        do {
            try await save([archive("x"), archive("y")])
            return true
        } catch StoreError.noTransactions {
            expect(try await store.ids().isEmpty, "a store without transactions has saved an archive")
            return false
        }
    }

    func transactions() async throws {
        guard try await canSaveTogether() else { return }
        let ids = ["b", "a", "né", "ne\u{301}"]
        let first = try await save(ids.map { archive($0, content: "[\"\($0)\"]") })
        guard first.count == ids.count else {
            return add("the number of revisions differs from the number of archives")
        }
        for (id, revision) in zip(ids, first) {
            let row = archive(id, replacing: revision, content: "[\"\(id)\"]")
            try await expectRow(row, "load does not return the archives that were saved together")
        }
        let changed = zip(ids, first).map { archive($0, replacing: $1, "Off") }
        for wrong in ids.indices {
            var together = changed
            together[wrong] = archive(ids[wrong], replacing: first[wrong] + 1, "Off")
            let changes = together.map { StoreChange.save($0) }
            await expectConflict(of: changes[wrong], found: first[wrong], among: changes)
            try await expectIDs([], "the machines that a transaction with a conflict has saved") { $0.states = ["Off"] }
        }
        let known = StoreChange.save(archive("b"))
        await expectConflict(of: known, found: first[0], among: [.save(archive("new")), known])
        expect(try await store.load("new") == nil, "a transaction with a conflict has saved its new archive")
        let second = try await save(changed)
        guard second.count == ids.count, zip(first, second).allSatisfy(<) else {
            return add("a transaction does not return an increased revision for each archive")
        }
        expect(try await save([]) == [], "an empty transaction returns revisions")
        do {
            try await save([archive("twice"), archive("twice")])
            add("a transaction with the same new id twice is no conflict")
        } catch StoreError.conflict {
            expect(try await store.load("twice") == nil, "a transaction with an id twice has saved an archive")
        }
        try await mixedTransaction(second)
    }

    /// Saves a deletion, an archive and effects together, with the revisions of the archives `b`, `a` and `né`.
    private func mixedTransaction(_ revisions: [Int]) async throws {
        let waiting = effects(of: "Ring", at: .distantPast)
        let mixed: [StoreChange] = [
            .delete("a", expecting: revisions[1]), .save(archive("c"), effects: (nil, waiting)),
            .effects(of: "b", (nil, waiting)),
        ]
        // Each change of a transaction has its own id.
        let wrong = StoreChange.save(archive("né", replacing: revisions[2] + 1))
        await expectConflict(of: wrong, found: revisions[2], among: mixed + [wrong])
        var (a, b, c) = (try await store.load("a"), try await store.load("b"), try await store.load("c"))
        expect(a != nil && c == nil && b?.effects == nil, "a transaction with a conflict has saved some changes")
        let found = try await store.save(mixed)
        let isRight = found.count == 3 && found[0] == revisions[1] && found[2] == revisions[0]
        expect(isRight, "a transaction returns wrong revisions for a deletion or a change of effects: \(found)")
        (a, b, c) = (try await store.load("a"), try await store.load("b"), try await store.load("c"))
        expect(a == nil && c?.effects == waiting && b?.effects == waiting, "a transaction loses a deletion or effects")
    }

    func transfers() async throws {
        guard try await canSaveTogether() else { return }
        let (ids, transfers, attempts) = (["0", "1", "2", "3"], 10, 2_000)
        for id in ids { try await store.save(archive(id, content: "100")) }
        func number(_ archive: StoredArchive) -> Int { Int(String(decoding: archive.archive, as: UTF8.self)) ?? 0 }
        let areDone = try await withThrowingTaskGroup(of: Bool.self) { group in
            for task in 0..<4 {
                group.addTask { [self] in
                    var transferred = 0
                    // Transfers run in both directions, so that a store that locks archives one by one would deadlock.
                    let (from, to) = (ids[task], ids[(task + (task < 2 ? 1 : 3)) % 4])
                    for _ in 0..<attempts where transferred < transfers {
                        guard let one = try await store.load(from), let other = try await store.load(to) else {
                            return false
                        }
                        do {
                            try await save([
                                archive(from, replacing: one.revision, content: "\(number(one) - 1)"),
                                archive(to, replacing: other.revision, content: "\(number(other) + 1)"),
                            ])
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
        expect(areDone, "a task loses an archive, or makes no \(transfers) transfers in \(attempts) attempts")
        let numbers = try await store.load(ids).map(number)
        expect(numbers.reduce(0, +) == 400, "transfers change the sum: \(numbers)")
    }
}
