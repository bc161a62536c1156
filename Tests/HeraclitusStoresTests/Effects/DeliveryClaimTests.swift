import Foundation
import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import Testing

@testable import Fixtures

// Machines that a delivery claims or skips, in several kinds of stores.

extension DeliveryTests {
    /// A store with unreadable rows for ids that begin with "row", and with concurrent changes of effects.
    final class DamagedStore: StoreAround {
        let inner = InMemoryStore()

        /// The number of next saves before which another worker changes the same effects.
        let conflicts = Lock(0)

        func load(_ id: String) async throws -> StoredArchive? {
            if id.hasPrefix("row") { throw StoreError.damaged(id: id, explanation: "its row") }
            return await inner.load(id)
        }

        func save(_ changes: [StoreChange]) async throws -> [Int] {
            let isMet = conflicts.withLock { conflicts in
                conflicts -= 1
                return conflicts >= 0
            }
            if isMet, let id = changes.first?.id, let effects = await inner.load(id)?.effects {
                var others = effects
                others.date -= 0.001
                try await inner.save([.effects(of: id, (effects, others))])
            }
            return try await inner.save(changes)
        }
    }

    /// Damages the effects of a machine.
    func damageEffects(of id: String, in store: some StoreAround) async throws {
        try await store.inner.replaceInEffects(of: id, #""effects":["#, with: #""effects":[7,"#)
    }

    /// A store whose medium fails after a number of saves.
    final class FailingStore: StoreAround {
        let inner = InMemoryStore()
        let saves = Lock(Int.max)

        func save(_ changes: [StoreChange]) async throws -> [Int] {
            let fails = saves.withLock { saves in
                saves -= 1
                return saves < 0
            }
            if fails { throw Failed() }
            return try await inner.save(changes)
        }
    }

    @Test("Machines claimed before a store failed are delivered, and the next claim throws the error")
    func failingClaim() async throws {
        let store = FailingStore()
        for id in ["1", "2", "3"] { try await walk(id, 1, in: store) }
        store.saves.withLock { $0 = 2 }
        let claim = StoreClaim(
            .effects(by: clock.date, names: [Step.name]),
            of: [Walk.name],
            newestVersion: 1,
            until: clock.date + 60,
            by: "worker",
            limit: 3
        )
        #expect(try await store.claim(claim).count == 2)
        await #expect(throws: Failed.self) { try await store.claim(claim) }
    }

    @Test("A claim keeps its queue when its query gets none")
    func queue() {
        let date = clock.date
        var claim = StoreClaim(.due(by: date), of: ["Walk"], newestVersion: 1, until: date + 60, by: "worker", limit: 3)
        claim.query.queue = .effects(by: date, names: ["Step"])
        claim.query.queue = nil
        claim.query.limit = 2
        #expect(claim.query.queue == .effects(by: date, names: ["Step"]) && claim.query.limit == 2)
    }

    /// A store that claims like a database: it reads only as many machines as the limit.
    struct ClaimingStore: StoreAround {
        let base = DamagedStore()
        var inner: InMemoryStore { base.inner }

        func claim(_ claim: StoreClaim) async throws -> [StoredArchive] { await inner.claim(claim) }
    }

    /// A store that claims like a database, records the claims, and can fail.
    final class RecordingStore: StoreAround {
        let inner = InMemoryStore()

        /// The largest number of machines that each claim asked for.
        let limits = Lock<[Int]>([])

        /// The number of claims before the store fails.
        let claims = Lock(Int.max)

        /// Open after a failed claim.
        let hasFailed = Latch()

        func claim(_ claim: StoreClaim) async throws -> [StoredArchive] {
            limits.withLock { $0.append(claim.query.limit) }
            let fails = claims.withLock { claims in
                claims -= 1
                return claims < 0
            }
            guard fails else { return await inner.claim(claim) }
            hasFailed.open()
            throw Failed()
        }
    }

    @Test("A failed claim is thrown after the handlers under way have ended")
    func failedClaim() async throws {
        let store = RecordingStore()
        for id in ["1", "2"] { try await walk(id, 1, in: store) }
        store.claims.withLock { $0 = 1 }
        await #expect(throws: Failed.self) {
            _ = try await deliverAll(of: store) { [log] key in
                // The end of this handler makes place for the next claim.
                guard key.id == "2" else { return }
                try await store.hasFailed.wait()
                // A cancelled handler would throw here.
                try await Task.sleep(for: .milliseconds(20))
                log.add("handled")
            }
        }
        #expect(log.all.sorted() == ["1", "2", "handled"])
        #expect(try await walks(store).effects().isEmpty)
    }

    @Test("A delivery claims the next machines when half of its handlers have returned")
    func halfOfTheHandlers() async throws {
        let store = RecordingStore()
        for id in 1...12 { try await walk("\(id)", 1, in: store) }
        let report = try await deliverAll(of: store, policy: DeliveryPolicy(machinesAtOnce: 4)) { key in
            // Handlers that return one after the other.
            try await Task.sleep(for: .milliseconds(3 * (Int(key.id) ?? 0)))
        }
        #expect(report.count == 12)
        let limits = store.limits.withLock { $0 }
        #expect(limits.first == 4 && limits.allSatisfy { $0 >= 2 }, "\(limits)")
    }

    @Test("Damaged machines hold up no others, even with ids that differ only in their UTF-8")
    func damagedAlike() async throws {
        let store = ClaimingStore()
        for id in ["n\u{E9}", "ne\u{301}", "fine"] { try await walk(id, 1, in: store) }
        for id in ["n\u{E9}", "ne\u{301}"] { try await damageEffects(of: id, in: store) }
        let report = try await deliverAll(of: store, policy: DeliveryPolicy(machinesAtOnce: 1))
        #expect(log.all == ["fine"] && report.count == 1)
        #expect(Set(report.failures.map { Array($0.id.utf8) }).count == 2 && report.failureCount == 2)
    }

    @Test("Machines whose effects are for the next delivery hold up no others")
    func leftAlone() async throws {
        let store = ClaimingStore()
        for id in ["1", "2", "3"] { try await walk(id, 1, in: store) }
        let policy = DeliveryPolicy(machinesAtOnce: 1)
        _ = try await deliverAll(of: store, policy: policy) { [self] key in
            if log.all.count < 50 { try await walk(key.id, 1, in: store) }
        }
        #expect(log.all == ["1", "2", "3"])
        let others = try await deliverAll(of: store)
        #expect(others.count == 3)
    }

    @Test("Machines with damaged effects hold up no others, and are failures with their ids")
    func damaged() async throws {
        let store = DamagedStore()
        for id in (10..<30).map({ "\($0)" }) + ["row", "1", "2", "3"] { try await walk(id, 2, in: store.inner) }
        for number in 10..<30 { try await damageEffects(of: "\(number)", in: store) }
        let report = try await deliverAll(of: store, policy: DeliveryPolicy(machinesAtOnce: 1))
        #expect(log.all.sorted() == ["1", "1", "2", "2", "3", "3"] && report.count == 6)
        #expect(report.failures.map(\.id).sorted() == (10..<30).map { "\($0)" })
        for failure in report.failures {
            guard case StoreError.damaged(failure.id, _) = failure.error, failure.effect == nil else {
                Issue.record(failure.error)
                continue
            }
        }
        await #expect(throws: StoreError.self) { try await walks(store).effects() }
    }
}
