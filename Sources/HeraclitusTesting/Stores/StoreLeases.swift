import Heraclitus
import HeraclitusStores

/// What stores promise of the effects that a worker has leased.
extension StoreConformance {
    private static let policy = DeliveryPolicy(attempts: 2, backOff: BackOff(first: .zero))

    static func leases(_ store: any ArchiveStore, _ report: ConformanceReport) async throws {
        let clock = ManualClock()
        let failures = Lock<[String]>([])
        let hasBegun = Lock(false)
        @Sendable func expectNone(_ failure: String) async throws {
            let count = try await store.deliver(Bell.self, policy: policy, scheduler: clock.scheduler) { _, _ in }
            if count > 0 { failures.withLock { $0.append(failure) } }
        }
        try await store.update("1", of: Bell.self, scheduler: clock.scheduler) { try $0.fire.ring(RingingState(1)) }
        let count = try await store.deliver(Bell.self, policy: policy, scheduler: clock.scheduler) { _, _ in
            let isFirst = hasBegun.withLock { hasBegun in
                defer { hasBegun = true }
                return !hasBegun
            }
            guard isFirst else { return }
            try await expectNone("somebody gets the effects that another worker has leased")
            await clock.advance(by: policy.lease - .seconds(1))
            try await store.update("1", of: Bell.self, scheduler: clock.scheduler) { try $0.fire.ring(RingingState(2)) }
            try await expectNone("whoever saves a machine releases the lease of its effects")
            let keys = try await store.effects(of: Bell.self).map(\.key)
            if keys.count == 4 {
                try await store.retry(keys[2])
                try await store.discard(keys[3])
            } else {
                failures.withLock { $0.append("while effects are carried out \(keys.count) are listed and not 4") }
            }
            try await expectNone("whoever changes another effect releases the lease")
        }
        for failure in failures.withLock({ $0 }) { report.add(failure) }
        report.expect(count == 2, "a worker delivers \(count) effects, and not the 2 that it has leased")
        let later = try await store.deliver(Bell.self, policy: policy, scheduler: clock.scheduler) { _, _ in }
        report.expect(
            later == 1,
            "of 2 effects that were saved during a lease, and 1 that was discarded, \(later) are delivered"
        )
    }

    /// Workers of one store, and what they have noted.
    private final class Workers: Sendable {
        let clock = ManualClock()
        private let store: any ArchiveStore
        private let events = Lock<[String]>([])

        init(_ store: any ArchiveStore) { self.store = store }

        func note(_ event: String) { events.withLock { $0.append(event) } }

        func hasNoted(_ event: String) -> Bool { events.withLock { $0.contains(event) } }

        /// Waits until somebody has noted something, but not forever: a store that gives effects to nobody is to be told so.
        func wait(for event: String) async throws {
            for _ in 0..<1_000 where !hasNoted(event) { try await Task.sleep(for: .milliseconds(5)) }
        }

        func deliver(_ handle: @escaping @Sendable (EffectKey) async throws -> Void) async throws -> Int {
            try await store.deliver(Bell.self, policy: policy, scheduler: clock.scheduler) { try await handle($1) }
        }
    }

    /// A worker stands still in a handler until its lease has lapsed and another is at the same effects, and then fails.
    static func lapsedLeases(_ store: any ArchiveStore, _ report: ConformanceReport) async throws {
        let workers = Workers(store)
        try await store.update("1", of: Bell.self, scheduler: workers.clock.scheduler) { bell in
            try bell.fire.ring(RingingState(1))
        }
        async let slow = workers.deliver { _ in
            workers.note("slow began")
            try await workers.wait(for: "other began")
            throw Broken()
        }
        try await workers.wait(for: "slow began")
        await workers.clock.advance(by: policy.lease + .seconds(1))
        async let other = workers.deliver { key in
            guard key.index == 0 else { return }
            workers.note("other began")
            try await workers.wait(for: "slow ended")
            if try await store.effects(of: Bell.self).contains(where: { $0.attempts > 0 }) { workers.note("failed") }
            if try await workers.deliver({ _ in }) > 0 { workers.note("released") }
        }
        _ = try await slow
        workers.note("slow ended")
        let count = try await other
        report.expect(
            workers.hasNoted("other began"),
            "effects of a worker whose lease has lapsed are given to nobody else"
        )
        report.expect(!workers.hasNoted("released"), "a worker whose lease has lapsed releases that of another")
        report.expect(!workers.hasNoted("failed"), "a worker whose lease has lapsed notes a failure for another")
        report.expect(count == 2, "after a lease has lapsed \(count) effects of 2 are delivered")
        report.expect(try await store.effects(of: Bell.self) == [], "what was carried out after a lapsed lease is left")
    }
}
