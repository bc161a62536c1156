import Foundation
import Heraclitus
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
}
