import Foundation
import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import Testing

// Which machines a delivery claims, of stores of different kinds, and which it leaves alone.

extension DeliveryTests {
    /// A store whose ids begin with what is wrong with them.
    final class DamagedStore: StoreAround {
        let inner = InMemoryStore()

        /// Before how many of the next saves somebody else saves the same.
        let conflicts = Lock(0)

        func load(_ id: String) async throws -> StoredArchive? {
            guard let found = await inner.load(id) else { return nil }
            if id.hasPrefix("row") { throw StoreError.damaged(id: id, explanation: "its row") }
            guard id.hasPrefix("effects") else { return found }
            return StoredArchive(
                id: id,
                revision: found.revision,
                workflow: found.workflow,
                state: found.state,
                archive: Data(#"{"outbox":7}"#.utf8)
            )
        }

        func save(_ archive: StoredArchive) async throws -> Int {
            let isMet = conflicts.withLock { conflicts in
                conflicts -= 1
                return conflicts >= 0
            }
            if isMet, let found = await inner.load(archive.id) { _ = try await inner.save(found) }
            return try await inner.save(archive)
        }
        func ids(withEffectsBy date: Date, of workflow: String?, limit: Int) async throws -> [String] {
            try await inner.ids(withEffectsBy: date, of: workflow, limit: limit)
        }
    }

    /// A store that counts how often it is asked for what has effects.
    final class CountingStore: StoreAround {
        let inner = InMemoryStore()
        let listings = Lock(0)

        func ids(withEffectsBy date: Date, of workflow: String?, limit: Int) async throws -> [String] {
            listings.withLock { $0 += 1 }
            return try await inner.ids(withEffectsBy: date, of: workflow, limit: limit)
        }
    }

    /// A store of two others, from which it claims one after the other.
    final class DividedStore: ArchiveStore {
        let parts = [CountingStore(), CountingStore()]

        private func part(of id: String) -> CountingStore { parts[id.utf8.count % 2] }

        func load(_ id: String) async throws -> StoredArchive? { try await part(of: id).load(id) }
        func save(_ archive: StoredArchive) async throws -> Int { try await part(of: archive.id).save(archive) }
        func delete(_ id: String, expecting revision: Int?) async throws -> Bool {
            try await part(of: id).delete(id, expecting: revision)
        }
        func ids(of workflow: String?, in state: String?) async throws -> [String] {
            try await (parts[0].ids(of: workflow, in: state) + parts[1].ids(of: workflow, in: state)).sorted()
        }
        func claim(
            effectsBy date: Date,
            of workflow: String,
            limit: Int,
            _ change: @escaping @Sendable (_ archive: StoredArchive) throws -> StoredArchive?
        ) async throws -> [StoredArchive] {
            let some = try await parts[0].claim(effectsBy: date, of: workflow, limit: limit / 2, change)
            let rest = limit - some.count
            return try await some + parts[1].claim(effectsBy: date, of: workflow, limit: rest, change)
        }
    }

    @Test("What a delivery has found in one of several stores is looked for in no other one")
    func listingsOfParts() async throws {
        let store = DividedStore()
        for number in 1...200 {
            try await store.update("\(number)", of: Walk.self, scheduler: clock.scheduler) {
                try $0.fire.step(SteppingState(1))
            }
        }
        #expect(try await store.deliver(Walk.self, scheduler: clock.scheduler) { _, _ in } == 200)
        for part in store.parts { #expect(part.listings.withLock { $0 } <= 20) }
    }

    @Test("A delivery lists what has effects again only when it has tried all that it has found")
    func listings() async throws {
        let store = CountingStore()
        for number in 1...200 {
            try await store.update("\(number)", of: Walk.self, scheduler: clock.scheduler) {
                try $0.fire.step(SteppingState(1))
            }
        }
        // So that it is due again within the same call.
        let policy = DeliveryPolicy(attempts: 2, backOff: BackOff(first: .zero))
        let log = log
        let count = try await store.deliver(Walk.self, policy: policy, scheduler: clock.scheduler) { _, key in
            let isFirst = !log.all.contains(key.id)
            log.add(key.id)
            if key.id == "7", isFirst { throw Failed() }
        }
        #expect(count == 200 && log.all.count == 201)
        // All of them, the one that has failed, and that nothing is left.
        #expect(store.listings.withLock { $0 } <= 3)
        #expect(try await store.effects(of: Walk.self).isEmpty)
    }

    /// A store whose medium fails after it has saved so many archives.
    final class FailingStore: StoreAround {
        let inner = InMemoryStore()
        let saves = Lock(Int.max)
        func save(_ archive: StoredArchive) async throws -> Int {
            let fails = saves.withLock { saves in
                saves -= 1
                return saves < 0
            }
            if fails { throw Failed() }
            return try await inner.save(archive)
        }
    }

    @Test("What was claimed before a store failed is carried out, and the error comes with the next claim")
    func failingClaim() async throws {
        let store = FailingStore()
        for id in ["1", "2", "3"] {
            try await store.update(id, of: Walk.self, scheduler: clock.scheduler) {
                try $0.fire.step(SteppingState(1))
            }
        }
        store.saves.withLock { $0 = 2 }
        func claim() async throws -> [StoredArchive] {
            try await store.claim(effectsBy: clock.date, of: Walk.name, limit: 3) { $0 }
        }
        #expect(try await claim().count == 2)
        await #expect(throws: Failed.self) { try await claim() }
    }

    /// A store that claims as a database does: it looks at no more machines than it is to claim.
    struct ClaimingStore: StoreAround {
        let base = DamagedStore()
        var inner: InMemoryStore { base.inner }
        func load(_ id: String) async throws -> StoredArchive? { try await base.load(id) }
        func claim(
            effectsBy date: Date,
            of workflow: String,
            limit: Int,
            _ change: @escaping @Sendable (_ archive: StoredArchive) throws -> StoredArchive?
        ) async throws -> [StoredArchive] {
            var claimed: [StoredArchive] = []
            for id in try await inner.ids(withEffectsBy: date, of: workflow, limit: limit) {
                guard let found = try await load(id), let changed = try change(found) else { continue }
                _ = try await save(changed)
                if let archive = try await load(id) { claimed.append(archive) }
            }
            return claimed
        }
    }

    @Test("Damaged machines hold up no others, also if their ids differ in their UTF-8 alone")
    func damagedAlike() async throws {
        let store = ClaimingStore()
        for id in ["effects n\u{E9}", "effects ne\u{301}", "fine"] {
            try await store.inner.update(id, of: Walk.self, scheduler: clock.scheduler) {
                try $0.fire.step(SteppingState(1))
            }
        }
        let log = log
        let policy = DeliveryPolicy(machinesAtOnce: 1)
        await #expect(throws: StoreError.self) {
            try await store.deliver(Walk.self, policy: policy, scheduler: clock.scheduler) { _, key in log.add(key.id) }
        }
        #expect(log.all == ["fine"])
    }

    @Test("Machines with effects that are for the next delivery hold up no others")
    func leftAlone() async throws {
        let store = ClaimingStore()
        let clock = clock
        @Sendable func walk(_ id: String) async throws {
            try await store.update(id, of: Walk.self, scheduler: clock.scheduler) {
                try $0.fire.step(SteppingState(1))
            }
        }
        for id in ["1", "2", "3"] { try await walk(id) }
        let log = log
        let policy = DeliveryPolicy(machinesAtOnce: 1)
        try await store.deliver(Walk.self, policy: policy, scheduler: clock.scheduler) { _, key in
            log.add(key.id)
            if log.all.count < 50 { try await walk(key.id) }
        }
        #expect(log.all == ["1", "2", "3"])
    }

    @Test("Machines whose effects are damaged hold up no others, and are an error with the id in the end")
    func damaged() async throws {
        let store = DamagedStore()
        for number in 10..<30 {
            try await store.inner.update("effects \(number)", of: Walk.self) { try $0.fire.step(SteppingState(1)) }
        }
        for id in ["row", "1", "2", "3"] {
            try await store.inner.update(id, of: Walk.self) { try $0.fire.step(SteppingState(2)) }
        }
        let log = log
        let error = await #expect(throws: StoreError.self) {
            try await store.deliver(Walk.self, policy: DeliveryPolicy(machinesAtOnce: 1)) { _, key in log.add(key.id) }
        }
        guard case .damaged("effects 10", _) = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(log.all.sorted() == ["1", "1", "2", "2", "3", "3"])
        await #expect(throws: StoreError.self) { try await store.effects(of: Walk.self) }
    }
}
