import Foundation
import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import Testing

/// A store that keeps what it is given, and has a fault with effects.
private final class FaultyStore: StoreAround {
    enum Fault: String, CaseIterable {
        case findsNone, findsEarly, findsOtherWorkflows, findsTooMany, findsInNoOrder, findsNoParked, findsGone,
            findsNoneOfSeveral, findsNoneSavedTogether
        case claimsNone, claimsEarly, claimsOtherWorkflows, claimsTooMany, claimsParked, claimsOnce,
            claimsWithoutSaving,
            claimsOverOthers, returnsOldRevisions, returnsWhatWas, hidesErrors, savesWhatStays, savesBeforeErrors
        case releasesWhatIsSaved, keepsLapsedLeases

        /// The check that finds it.
        var check: String {
            switch self {
            case .releasesWhatIsSaved: "leases"
            case .keepsLapsedLeases: "lapsed leases"
            case .claimsOverOthers: "claiming at once"
            default: rawValue.hasPrefix("finds") ? "finding effects" : "claiming effects"
            }
        }
    }

    private let fault: Fault
    let inner = InMemoryStore()

    /// The ids of what is not found.
    private let hidden = Lock<Set<String>>([])
    private let gone = Lock<[String]>([])

    init(_ fault: Fault) { self.fault = fault }

    func save(_ archive: StoredArchive) async throws -> Int {
        if fault == .keepsLapsedLeases { hidden.withLock { _ = $0.remove(archive.id) } }
        let text = String(decoding: archive.archive, as: UTF8.self)
        guard fault == .releasesWhatIsSaved, text.contains(#""worker""#) else { return try await inner.save(archive) }
        let released =
            text.replacing(/"at":"[^"]*"/, with: #""at":"2001-01-01T00:00:00Z""#).replacing(
                /,"worker":"[^"]*"/,
                with: ""
            )
        return try await inner.save(
            StoredArchive(
                id: archive.id,
                revision: archive.revision,
                workflow: archive.workflow,
                state: archive.state,
                due: archive.due,
                archive: Data(released.utf8)
            )
        )
    }

    func save(each archives: [StoredArchive]) async throws -> [Int?] {
        if fault == .findsNoneOfSeveral { hidden.withLock { $0.formUnion(archives.map(\.id)) } }
        var revisions: [Int?] = []
        for archive in archives { revisions.append(try? await save(archive)) }
        return revisions
    }

    func save(together archives: [StoredArchive]) async throws -> [Int] {
        if fault == .findsNoneSavedTogether { hidden.withLock { $0.formUnion(archives.map(\.id)) } }
        return try await inner.save(together: archives)
    }

    func delete(_ id: String, expecting revision: Int?) async throws -> Bool {
        if await inner.load(id)?.effectsDue != nil { gone.withLock { $0.append(id) } }
        return try await inner.delete(id, expecting: revision)
    }

    func ids(withEffectsBy date: Date, of workflow: String?, limit: Int) async throws -> [String] {
        let hidden = hidden.withLock { $0 }
        let found = try await inner.ids(
            withEffectsBy: fault == .findsEarly ? .distantFuture : date,
            of: fault == .findsOtherWorkflows ? nil : workflow,
            limit: fault == .findsTooMany ? .max : limit
        )
        .filter { !hidden.contains($0) }
        switch fault {
        case .findsNone: return []
        case .findsInNoOrder: return found.sorted()
        case .findsGone: return found + gone.withLock { $0 }
        case .findsNoParked:
            let parked = try await inner.load(each: found).filter { $0.effectsDue == .distantFuture }.map(\.id)
            return found.filter { !parked.contains($0) }
        default: return found
        }
    }

    func claim(
        effectsBy date: Date,
        of workflow: String,
        limit: Int,
        _ change: @escaping @Sendable (_ archive: StoredArchive) throws -> StoredArchive?
    ) async throws -> [StoredArchive] {
        let hidden = hidden.withLock { $0 }
        let date = fault == .claimsParked ? .distantFuture : fault == .claimsEarly ? .distantFuture - 1 : date
        let limit = fault == .claimsTooMany ? .max : limit
        let found = try await inner.ids(
            withEffectsBy: date,
            of: fault == .claimsOtherWorkflows ? nil : workflow,
            limit: limit == 0 ? 0 : .max
        )
        var claimed: [StoredArchive] = []
        for id in found where !hidden.contains(id) && claimed.count < limit && fault != .claimsNone {
            guard let archive = await inner.load(id) else { continue }
            // Time for another worker; a yield gives it none on a busy computer.
            if fault == .claimsOverOthers { try await Task.sleep(for: .milliseconds(1)) }
            var changed: StoredArchive?
            do {
                changed = try change(archive)
            } catch {
                switch fault {
                case .hidesErrors: break
                case .savesBeforeErrors:
                    try await inner.save(archive)
                    throw error
                default: throw error
                }
            }
            if changed == nil, fault == .savesWhatStays { changed = archive }
            guard var changed else { continue }
            if fault == .claimsOverOthers, let now = await inner.load(id) { changed = changed.replacing(now.revision) }
            let old = changed.revision
            guard let revision = fault == .claimsWithoutSaving ? old + 1 : try? await inner.save(changed) else {
                continue
            }
            if fault == .claimsOnce || fault == .keepsLapsedLeases { self.hidden.withLock { _ = $0.insert(id) } }
            let isOld = fault == .returnsOldRevisions
            claimed.append((fault == .returnsWhatWas ? archive : changed).replacing(isOld ? old : revision))
        }
        return claimed
    }
}

extension StoredArchive {
    fileprivate func replacing(_ revision: Int) -> StoredArchive {
        StoredArchive(id: id, revision: revision, workflow: workflow, state: state, due: due, archive: archive)
    }
}

@Suite("Stores that break a promise about effects") struct EffectConformanceTests {
    @Test(
        "A store with a fault is told so by the check that is for it, and no check goes on forever",
        .timeLimit(.minutes(20)),
        arguments: FaultyStore.Fault.allCases
    )
    fileprivate func faults(_ fault: FaultyStore.Fault) async throws {
        let failures = try await StoreConformance.failures { FaultyStore(fault) }
        #expect(failures.contains { $0.hasPrefix("\(fault.check): ") }, "\(failures)")
    }
}
