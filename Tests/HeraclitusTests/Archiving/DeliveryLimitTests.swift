import Foundation
import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import Testing

// How many machines a delivery is at, and what it does with those that are too large for the store.

extension DeliveryTests {
    /// How many handlers are running.
    private final class Meter: Sendable {
        private let counts = Lock((now: 0, most: 0))
        var most: Int { counts.withLock { $0.most } }

        /// Lets all others begin that can.
        func pass() async {
            counts.withLock { counts in
                counts.now += 1
                counts.most = max(counts.most, counts.now)
            }
            for _ in 0..<100 { await Task.yield() }
            counts.withLock { $0.now -= 1 }
        }
    }

    private func walk(_ ids: some Sequence<String>, in store: some ArchiveStore) async throws {
        for id in ids {
            try await store.update(id, of: Walk.self, scheduler: clock.scheduler) {
                try $0.fire.step(SteppingState(1))
            }
        }
    }

    private func mostAtOnce(_ machines: Int, in store: some ArchiveStore) async throws -> Int {
        let meter = Meter()
        let policy = DeliveryPolicy(machinesAtOnce: machines)
        let log = log
        // Damage is the business of others.
        _ = try? await store.deliver(Walk.self, policy: policy, scheduler: clock.scheduler) { _, key in
            log.add(key.id)
            await meter.pass()
        }
        return meter.most
    }

    @Test("However many machines are damaged, no more others are delivered at once than the policy says")
    func atOnceBesideDamaged() async throws {
        let ids = (1...20).flatMap { ["effects \($0)", "\($0)"] }
        for machines in [1, 3] {
            let stores: [any ArchiveStore & StoreAround] = [DamagedStore(), ClaimingStore()]
            for store in stores {
                try await walk(ids, in: store.inner)
                let before = log.all.count
                #expect(try await mostAtOnce(machines, in: store) <= machines)
                #expect(log.all.count == before + 20)
            }
        }
    }

    /// A store that rolls back the first claims and repeats them, with what others have not locked meanwhile.
    private final class RepeatingStore: StoreAround {
        let inner = InMemoryStore()
        let repeats = Lock(3)

        func claim(
            effectsBy date: Date,
            of workflow: String,
            limit: Int,
            _ change: @escaping @Sendable (_ archive: StoredArchive) throws -> StoredArchive?
        ) async throws -> [StoredArchive] {
            var found = try await inner.ids(withEffectsBy: date, of: workflow, limit: limit * 2)
            let isRepeated = repeats.withLock { repeats in
                repeats -= 1
                return repeats >= 0
            }
            if isRepeated {
                for id in found.prefix(limit) { _ = try await load(id).map(change) }
                found.removeFirst(min(limit, found.count))
            }
            var claimed: [StoredArchive] = []
            for id in found.prefix(limit) {
                guard let stored = try await load(id), let changed = try change(stored) else { continue }
                _ = try await save(changed)
                if let archive = try await load(id) { claimed.append(archive) }
            }
            return claimed
        }
    }

    @Test("What a store claims anew that has rolled back a transaction is delivered")
    func repeatedClaims() async throws {
        let store = RepeatingStore()
        try await walk((1...9).map { "\($0)" }, in: store)
        #expect(try await mostAtOnce(2, in: store) <= 2)
        #expect(log.all.sorted() == (1...9).map { "\($0)" })
    }

    @Test("A machine that somebody else saves meanwhile is claimed in the same delivery, one at a time")
    func claimedAfterConflict() async throws {
        let store = DamagedStore()
        try await walk(["1", "2", "3"], in: store)
        store.conflicts.withLock { $0 = 2 }
        #expect(try await mostAtOnce(1, in: store) == 1)
        #expect(log.all.sorted() == ["1", "2", "3"])
    }

    /// A store that keeps small archives alone, of some ids.
    private final class NarrowStore: StoreAround {
        let inner = InMemoryStore()
        let limits = Lock<[String: (load: Int, save: Int)]>([:])

        func load(_ id: String) async throws -> StoredArchive? {
            guard let found = await inner.load(id) else { return nil }
            try check(found, limits.withLock { $0[id]?.load })
            return found
        }
        func save(_ archive: StoredArchive) async throws -> Int {
            try check(archive, limits.withLock { $0[archive.id]?.save })
            return try await inner.save(archive)
        }
        private func check(_ archive: StoredArchive, _ limit: Int?) throws {
            guard let limit, archive.archive.count > limit else { return }
            throw ArchiveError.tooLarge(archive.archive.count, limit: limit)
        }
        func ids(withEffectsBy date: Date, of workflow: String?, limit: Int) async throws -> [String] {
            try await inner.ids(withEffectsBy: date, of: workflow, limit: limit)
        }
    }

    /// Delivers what a store has, of which one archive is too large, and looks for what is said of that.
    private func deliverBesideTooLarge(
        _ id: String,
        in store: NarrowStore,
        _ handle: @escaping @Sendable (EffectKey) async throws -> Void = { _ in }
    ) async throws {
        let policy = DeliveryPolicy(machinesAtOnce: 1)
        let error = await #expect(throws: StoreError.self) {
            try await store.deliver(Walk.self, policy: policy, scheduler: clock.scheduler) { [log] _, key in
                try await handle(key)
                log.add(key.id)
            }
        }
        guard case .damaged(id, let explanation) = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(explanation.contains("allowed"), "\(explanation)")
        #expect(log.all.sorted() == (1...9).map { "\($0)" }.filter { $0 != id })
    }

    @Test("An archive over the store's limit holds up no others, and is an error with its id in the end")
    func tooLargeToLoad() async throws {
        let store = NarrowStore()
        try await walk((1...9).map { "\($0)" }, in: store)
        store.limits.withLock { $0["5"] = (load: 10, save: .max) }
        try await deliverBesideTooLarge("5", in: store)
    }

    @Test("An archive that is over the store's limit with a lease holds up no others, and is an error with its id")
    func tooLargeToLease() async throws {
        let store = NarrowStore()
        try await walk((1...9).map { "\($0)" }, in: store)
        let size = try #require(await store.inner.load("5")).archive.count
        store.limits.withLock { $0["5"] = (load: .max, save: size + 10) }
        try await deliverBesideTooLarge("5", in: store)
        store.limits.withLock { $0 = [:] }
        #expect(try await store.deliver(Walk.self, scheduler: clock.scheduler) { _, _ in } == 1)
    }

    @Test("An archive that is over the store's limit with what a handler has thrown holds up no others")
    func tooLargeToFail() async throws {
        struct Long: Error, CustomStringConvertible { var description: String { String(repeating: "é", count: 900) } }
        let store = NarrowStore()
        try await walk((1...9).map { "\($0)" }, in: store)
        let size = try #require(await store.inner.load("5")).archive.count
        store.limits.withLock { $0["5"] = (load: .max, save: size + 500) }
        try await deliverBesideTooLarge("5", in: store) { key in if key.id == "5" { throw Long() } }
        await clock.advance(by: .seconds(61))
        #expect(try await store.deliver(Walk.self, scheduler: clock.scheduler) { _, _ in } == 1)
    }
}
