import Foundation
import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import Testing

@testable import Fixtures

// The number of machines in a delivery, and machines that are too large for the store.

extension DeliveryTests {
    /// Counts running handlers.
    private final class Meter: Sendable {
        private let counts = Lock((now: 0, most: 0))
        var most: Int { counts.withLock { $0.most } }

        /// Lets all other runnable handlers begin.
        func pass() async {
            counts.withLock { counts in
                counts.now += 1
                counts.most = max(counts.most, counts.now)
            }
            for _ in 0..<100 { await Task.yield() }
            counts.withLock { $0.now -= 1 }
        }
    }

    private func walk(_ ids: some Sequence<String>, in store: any ArchiveStore) async throws {
        for id in ids { try await walk(id, 1, in: store) }
    }

    private func mostAtOnce(_ machines: Int, in store: any ArchiveStore) async throws -> Int {
        let meter = Meter()
        _ = try await deliverAll(of: store, policy: DeliveryPolicy(machinesAtOnce: machines)) { _ in await meter.pass()
        }
        return meter.most
    }

    @Test("With any number of damaged machines, deliveries at once stay within the policy")
    func atOnceBesideDamaged() async throws {
        for machines in [1, 3] {
            let stores: [any StoreAround] = [DamagedStore(), ClaimingStore()]
            for store in stores {
                try await walk((1...40).map { "\($0)" }, in: store)
                for number in 21...40 { try await damageEffects(of: "\(number)", in: store) }
                let before = log.all.count
                #expect(try await mostAtOnce(machines, in: store) <= machines)
                #expect(log.all.count == before + 20)
            }
        }
    }

    @Test("A machine whose effects change during the claim is claimed in the same delivery, one at a time")
    func claimedAfterConflict() async throws {
        let store = DamagedStore()
        try await walk(["1", "2", "3"], in: store)
        store.conflicts.withLock { $0 = 2 }
        #expect(try await mostAtOnce(1, in: store) == 1)
        #expect(log.all.sorted() == ["1", "2", "3"])
    }

    /// A store with limits for effects and archives.
    private final class NarrowStore: StoreAround {
        let inner = InMemoryStore()
        let limits = Lock<[String: (load: Int, save: Int)]>([:])

        func load(_ id: String) async throws -> StoredArchive? {
            guard let found = await inner.load(id) else { return nil }
            try check(found.archive, limits.withLock { $0[id]?.load })
            return found
        }
        func save(_ changes: [StoreChange]) async throws -> [Int] {
            for change in changes {
                guard let content = change.effects?.new?.content else { continue }
                try check(content, limits.withLock { $0[change.id]?.save })
            }
            return try await inner.save(changes)
        }
        private func check(_ bytes: Data, _ limit: Int?) throws {
            if let limit, bytes.count > limit { throw ArchiveError.tooLarge(bytes.count, limit: limit) }
        }
    }

    @Test("An archive over the store's limit holds up no other effects")
    func tooLargeToLoad() async throws {
        let store = NarrowStore()
        let ids = (1...9).map { "\($0)" }
        try await walk(ids, in: store)
        store.limits.withLock { $0["5"] = (load: 10, save: .max) }
        let report = try await deliverAll(of: store, policy: DeliveryPolicy(machinesAtOnce: 1))
        #expect(log.all.sorted() == ids.filter { $0 != "5" } && report.failures.isEmpty)
    }

    @Test(
        "Effects that exceed the limit with a handler's error hold up no others, and are retried"
    )
    func tooLargeToFail() async throws {
        struct Long: Error, CustomStringConvertible { var description: String { String(repeating: "é", count: 900) } }
        let store = NarrowStore()
        let ids = (1...9).map { "\($0)" }
        try await walk(ids, in: store)
        let size = try #require(await store.inner.load("5")?.effects).content.count
        store.limits.withLock { $0["5"] = (load: .max, save: size + 500) }
        let report = try await deliverAll(of: store, policy: DeliveryPolicy(machinesAtOnce: 1)) { key in
            if key.id == "5" { throw Long() }
        }
        #expect(log.all.sorted() == ids && report.failures.map(\.id) == ["5"])
        if case ArchiveError.tooLarge? = report.failures.first?.error {} else { Issue.record("\(report)") }
        await clock.advance(by: .seconds(61))
        #expect(try await deliverAll(of: store).count == 1)
    }
}
