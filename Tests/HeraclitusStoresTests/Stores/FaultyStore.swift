import Foundation
import Heraclitus
import HeraclitusStores

@testable import Fixtures

/// A store with a fault.
final class FaultyStore: ArchiveStore {
    enum Fault: String, CaseIterable {
        case ignoresRevision, throwsAnother, blamesAnother
        case mixesUpCapitals
        case forgetsToDelete, startsAgain, bringsBack
        case addsABlank, isStale, returnsAnother, forgetsEntered, forgetsHandled, forgetsVersion, forgetsValues
        case cannotSort, findsEverything, findsTooMany, findsNewer, ignoresValues, ignoresStates, forgetsDeadlines
        case keepsSpellings, listsClaimedFirst
        case savesHalf, losesEveryRace
        case isSilent
        case replacesEffects, raisesRevision, ignoresEffects, keepsEffects
        case claimsNone, claimsEarly, claimsOtherWorkflows, claimsOtherTypes, claimsNewer, claimsTooMany
        case claimsWithoutLease, claimsOverOthers, claimsDueForGood, savesWhatIsDue
        case returnsNothing, returnsOneForSeveral, returnsNothingForEffects

        /// The checks, one of which finds the fault.
        var checks: [String] {
            switch self {
            case .ignoresRevision, .throwsAnother, .blamesAnother: ["conflicts"]
            case .mixesUpCapitals: ["ids"]
            case .forgetsToDelete, .startsAgain: ["deleting"]
            case .bringsBack: ["deleting at once"]
            case .addsABlank, .isStale, .returnsAnother, .forgetsEntered, .forgetsHandled, .forgetsVersion: ["keeping"]
            case .returnsNothing: ["keeping"]
            case .returnsOneForSeveral: ["saving together"]
            case .returnsNothingForEffects: ["keeping effects"]
            case .forgetsValues, .ignoresValues, .keepsSpellings: ["finding by values"]
            case .cannotSort, .findsEverything, .ignoresStates: ["finding"]
            case .findsTooMany: ["pages"]
            case .findsNewer, .claimsNewer: ["versions"]
            case .forgetsDeadlines: ["deadlines"]
            case .savesHalf: ["saving together"]
            case .losesEveryRace: ["transfers"]
            case .isSilent: ["ringing"]
            case .replacesEffects, .raisesRevision, .ignoresEffects, .keepsEffects:
                ["saving together", "keeping effects"]
            case .claimsNone, .claimsEarly, .claimsOtherWorkflows, .claimsOtherTypes, .claimsTooMany,
                .claimsWithoutLease:
                ["versions", "claiming effects"]
            case .claimsOverOthers: ["claiming at once"]
            case .claimsDueForGood, .savesWhatIsDue: ["claiming due machines"]
            case .listsClaimedFirst: ["listing claimed machines"]
            }
        }
    }

    private let fault: Fault
    private let inner = InMemoryStore()

    /// The difference of the stored revision to the reported one, which starts again after a deletion.
    private let offsets = Lock<[String: Int]>([:])
    private let first = Lock<StoredArchive?>(nil)
    private let claimed = Lock<Set<String>>([])

    /// Effects that outlive the deletion of their machine.
    private let kept = Lock<[String: WaitingEffects]>([:])

    let bell: StoreBell?

    init(_ fault: Fault) {
        self.fault = fault
        bell = fault == .isSilent ? StoreBell() : inner.bell
    }

    private func own(_ id: String) -> String { fault == .mixesUpCapitals ? id.lowercased() : id }

    func load(_ id: String) async throws -> StoredArchive? {
        if fault == .isStale, let first = first.withLock({ $0 }), first.id == id { return first }
        guard var found = await inner.load(own(id)) else { return nil }
        if fault == .startsAgain { found.revision -= offsets.withLock { $0[id] ?? 0 } }
        first.withLock { [found] in $0 = $0 ?? found }
        return fault == .addsABlank ? found.with(archive: String(decoding: found.archive, as: UTF8.self) + " ") : found
    }

    func save(_ changes: [StoreChange]) async throws -> [Int] {
        let revisions = try await saved(changes)
        switch fault {
        case .returnsNothing: return []
        case .returnsOneForSeveral: return Array(revisions.prefix(1))
        case .returnsNothingForEffects: return changes.count == 1 && changes[0].effects != nil ? [] : revisions
        default: return revisions
        }
    }

    private func saved(_ changes: [StoreChange]) async throws -> [Int] {
        if fault == .savesHalf, changes.count > 1 {
            return try await changes.asyncMap { try await self.save($0) }
        }
        // Transfers are the only saves of several archives with numbers.
        if fault == .losesEveryRace, changes.count > 1, case .save(let archive, _) = changes[0],
            Int(String(decoding: archive.archive, as: UTF8.self)) != nil
        {
            throw StoreError.conflict(id: archive.id, expected: archive.revision, found: archive.revision + 1)
        }
        guard changes.count == 1 else {
            return try await inner.save(try await changes.asyncMap { try await changed($0) })
        }
        return [try await save(changes[0])]
    }

    private func save(_ change: StoreChange) async throws -> Int {
        switch change {
        case .delete where fault == .forgetsToDelete: return await inner.load(change.id)?.revision ?? 0
        case .delete where fault == .keepsEffects:
            let effects = await inner.load(change.id)?.effects
            kept.withLock { $0[change.id] = effects }
        case .save(let archive, _) where fault == .startsAgain:
            let offset = archive.revision == 0 ? 0 : offsets.withLock { $0[archive.id] ?? 0 }
            let row = archive.with(revision: archive.revision + offset)
            let revision = try await inner.save([.save(row, effects: change.effects)])[0]
            if archive.revision == 0 { offsets.withLock { $0[archive.id] = revision - 1 } }
            return revision - offsets.withLock { $0[archive.id] ?? 0 }
        case .save(let archive, _) where fault == .bringsBack && archive.revision > 0:
            if await inner.load(archive.id)?.revision != archive.revision { break }
            // A concurrent deletion here would hide the fault. The task sleeps, because a yield may let no other task
            // run.
            for _ in 0..<20 {
                if await inner.load(archive.id) == nil { return try await inner.save(archive.with(revision: 0)) }
                try await Task.sleep(for: .milliseconds(1))
            }
        default: break
        }
        let revision: Int
        do {
            revision = try await inner.save([changed(change)])[0]
        } catch StoreError.conflict(let id, let expected, let found) {
            switch (fault, change) {
            case (.ignoresRevision, .save(let archive, _)): return try await inner.save(archive.with(revision: found))
            case (.throwsAnother, _): throw CancellationError()
            case (.blamesAnother, _): throw StoreError.conflict(id: "another", expected: expected, found: found)
            default: throw StoreError.conflict(id: id, expected: expected, found: found)
            }
        }
        if case .save = change, fault == .keepsEffects, let effects = kept.withLock({ $0[change.id] }) {
            _ = try? await inner.save([.effects(of: change.id, (nil, effects))])
        }
        if fault == .raisesRevision, case .effects = change, let row = await inner.load(change.id) {
            return try await inner.save(row)
        }
        return fault == .returnsAnother ? revision + 1 : revision
    }

    /// The change that is really made.
    private func changed(_ change: StoreChange) async throws -> StoreChange {
        var effects = change.effects
        switch change {
        case .save(let archive, _):
            let stored = await inner.load(own(archive.id))
            if fault == .ignoresEffects, let old = change.effects {
                effects = (stored?.effects, old.new)
            }
            if fault == .replacesEffects, effects == nil, let stored { effects = (stored.effects, nil) }
            var row = kept(archive)
            if fault == .keepsSpellings, let stored, Self.texts(of: stored) == Self.texts(of: row) {
                row.values = stored.values
            }
            return .save(row, effects: effects)
        case .effects:
            let stored = await inner.load(change.id)
            guard let old = change.effects, fault == .ignoresEffects, stored != nil else { return change }
            return .effects(of: change.id, (stored?.effects, old.new))
        case .delete(_, let revision): return .delete(own(change.id), expecting: revision)
        }
    }

    /// The texts among the values of a row, which Swift compares regardless of their spelling.
    private static func texts(of row: StoredArchive) -> [String: String] {
        row.values.compactMapValues { value -> String? in
            guard case .text(let text) = value else { return nil }
            return text
        }
    }

    /// The row that is really stored.
    private func kept(_ archive: StoredArchive) -> StoredArchive {
        StoredArchive(
            id: own(archive.id),
            revision: archive.revision,
            workflow: archive.workflow,
            version: fault == .forgetsVersion ? nil : archive.version,
            state: archive.state,
            entered: fault == .forgetsEntered ? nil : archive.entered,
            due: fault == .forgetsDeadlines ? nil : archive.due,
            values: fault == .forgetsValues && archive.values.count == 1 ? [:] : archive.values,
            archive: archive.archive,
            handled: fault == .forgetsHandled ? nil : archive.handled
        )
    }

    func ids(_ query: ArchiveQuery) async throws -> [String] {
        var query = query
        switch fault {
        case .findsEverything: query.workflows = nil
        case .findsTooMany: query.limit = .max
        case .findsNewer: query.newestVersion = nil
        case .ignoresValues: query.values = []
        case .ignoresStates: query.states = nil
        default: break
        }
        if fault == .listsClaimedFirst, case .due? = query.queue {
            let claimed = claimed.withLock { $0 }
            let limit = query.limit
            query.limit = .max
            let all = await inner.ids(query)
            return Array((all.filter { claimed.contains($0) } + all.filter { !claimed.contains($0) }).prefix(limit))
        }
        let ids = await inner.ids(query)
        return fault == .cannotSort ? ids.reversed() : ids
    }

    func claim(_ claim: StoreClaim) async throws -> [StoredArchive] {
        var faulty = claim
        switch fault {
        case .claimsNone: return []
        case .claimsNewer: faulty.query.newestVersion = .max
        case .claimsTooMany: faulty.query.limit = .max
        case .claimsOtherWorkflows: faulty.query.workflows?.append("Door")
        case .claimsOtherTypes:
            if case .effects(let date, _)? = claim.query.queue {
                faulty.query.queue = .effects(by: date, names: nil)
            }
        case .claimsEarly:
            if case .effects(_, let names)? = claim.query.queue {
                faulty.query.queue = .effects(by: .distantFuture - 1, names: names)
            }
        case .claimsOverOthers:
            guard case .effects? = claim.query.queue else { break }
            // All workers that search at the same time get the same machines.
            let ids = await inner.ids(claim.query)
            try await Task.sleep(for: .milliseconds(1))
            return try await ids.asyncMap { id in
                guard let stored = await self.inner.load(id), var effects = stored.effects else { return nil }
                (effects.worker, effects.date) = (claim.worker, claim.end)
                try await self.inner.save([.effects(of: id, (stored.effects, effects))])
                return await self.inner.load(id)
            }.compactMap { $0 }
        case .claimsWithoutLease:
            guard case .effects? = claim.query.queue else { break }
            return try await inner.load(inner.ids(claim.query))
        case .claimsDueForGood:
            guard case .due? = claim.query.queue else { break }
            let claimed = await inner.claim(claim)
            return self.claimed.withLock { known in claimed.filter { known.insert($0.id).inserted } }
        case .listsClaimedFirst:
            guard case .due? = claim.query.queue else { break }
            let claimed = await inner.claim(claim)
            self.claimed.withLock { $0.formUnion(claimed.map(\.id)) }
            return claimed
        case .savesWhatIsDue:
            guard case .due? = claim.query.queue else { break }
            return try await inner.claim(claim).asyncMap { archive in
                try await self.inner.save(archive)
                return archive
            }
        default: break
        }
        return await inner.claim(faulty)
    }
}

extension Array {
    fileprivate func asyncMap<Result>(_ body: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await body(element)) }
        return results
    }
}
