import Foundation
import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import Testing

@testable import Fixtures

// Deliveries with lost races, expired leases, damaged archives and unreadable ones.

extension DeliveryTests {
    @Test("A delivery retries after a lost race for its only machine")
    func lostRace() async throws {
        let store = DamagedStore()
        try await walk("1", 1, in: store)
        store.conflicts.withLock { $0 = 3 }
        #expect(try await deliverAll(of: store).count == 1)
        // The delivery ends, even if it loses every race.
        try await walk("1", 1, in: store)
        store.conflicts.withLock { $0 = .max }
        #expect(try await deliverAll(of: store).count == 0)
    }

    /// A store with the default implementations, one damaged archive, and one archive over the limit.
    private final class PlainStore: StoreAround {
        let inner = InMemoryStore()
        func load(_ id: String) async throws -> StoredArchive? {
            if id.hasSuffix("damaged") { throw StoreError.damaged(id: id, explanation: "its row") }
            if id.hasSuffix("large") { throw ArchiveError.tooLarge(2, limit: 1) }
            return await inner.load(id)
        }
    }

    @Test(
        "With default claims, an archive that cannot be loaded holds up no other effects and deadlines"
    )
    func defaultClaims() async throws {
        let store = PlainStore()
        for id in ["0 damaged", "0 large", "1"] {
            try await walks(store.inner).update(id) { try $0.fire.step(SteppingState(1)) }
            try await store.inner.workflow(Bill.self, scheduler: clock.scheduler).update("bill \(id)") {
                try $0.fire.send(Bill.SentState(1, by: .distantPast))
            }
        }
        let report = try await deliverAll(of: store)
        #expect(log.all == ["1"] && report.failures.isEmpty)
        #expect(try await store.workflow(Bill.self, scheduler: clock.scheduler).fireDue().count == 1)
        #expect(await store.inner.load("bill 1")?.state == Bill.LapsedState.name)
    }

    @Test("An effect in an unreadable archive that is claimed alone is reported, and others are delivered")
    func unreadableAlone() async throws {
        let base = InMemoryStore()
        for (id, key) in [("1", 0x5A), ("2", 0x5A), ("3", 3)] as [(String, UInt8)] {
            try await walk(id, 1, in: base.sealed(by: Seal(key: key)))
            await clock.advance(by: .seconds(1))
        }
        let store = base.sealed(by: Seal())
        let policy = DeliveryPolicy(machinesAtOnce: 1)
        let report = try await deliverAll(of: store, policy: policy)
        #expect(report.count == 2 && report.failures.map(\.id) == ["3"])
        #expect(log.all == ["1", "2"])
    }

    @Test(
        "An effect with an incomplete key is damaged, and delivered never",
        arguments: [#""index":0,"#, #""series":"#]
    )
    func halfKey(_ key: String) async throws {
        for id in ["0", "1"] { try await walk(id, 1) }
        try await store.replaceInEffects(of: "0", key, with: key.hasSuffix(",") ? "" : #""serie":"#)
        let report = try await deliverAll(of: store)
        #expect(log.all == ["1"] && report.count == 1)
        #expect(report.failures.map(\.id) == ["0"])
        if case StoreError.damaged("0", _)? = report.failures.first?.error {} else { Issue.record("\(report)") }
    }

    @Test("A machine with the largest revision cannot be saved, but its effects can be changed")
    func lastRevision() async throws {
        let row = StoredArchive(
            id: "1",
            revision: .max - 1,
            workflow: Walk.name,
            version: 1,
            state: SteppingState.name,
            archive: try StateMachine<Walk>(resumingIn: SteppingState(1)).archive()
        )
        try await walk("0", 1)
        let effects = try await store.load("0")?.effects
        var stored = row
        stored.effects = effects
        let next = try StoreChange.save(row).applied(to: stored, after: 0)
        #expect(next?.revision == .max && next?.effects == effects)
        #expect(throws: StoreError.self) { try StoreChange.save(try #require(next)).applied(to: next, after: 0) }
        let change = StoreChange.effects(of: "1", (effects, nil))
        #expect(try change.applied(to: next, after: 0)?.revision == .max)
    }

    @Test("A cancelled worker keeps its lease while its handler runs", .timeLimit(.minutes(20)))
    func cancelled() async throws {
        try await walk("1", 1)
        let (begun, mayEnd) = (Latch(), Latch())
        let first = Task { [self] in
            try await deliver("a") { _, _ in
                begun.open()
                await mayEnd.waitStubbornly()
            }
        }
        try await begun.wait()
        first.cancel()
        for _ in 0..<3 {
            let end = try await due()
            while try await due() == end {
                await clock.advance(by: .seconds(7))
                try await Task.sleep(for: .milliseconds(1))
            }
        }
        #expect(try await deliver("b") == 0)
        mayEnd.open()
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(log.all == ["a0"])
        #expect(try await left() == [])
    }

    /// A store that runs a closure after a number of saves.
    private final class HookedStore: StoreAround {
        let inner = InMemoryStore()
        let hook = Lock<(saves: Int, body: (@Sendable () async throws -> Void)?)>((0, nil))
        func save(_ changes: [StoreChange]) async throws -> [Int] {
            let revisions = try await inner.save(changes)
            let body = hook.withLock { hook -> (@Sendable () async throws -> Void)? in
                hook.saves -= 1
                return hook.saves == 0 ? hook.body : nil
            }
            try await body?()
            return revisions
        }
    }

    @Test("A worker whose leases expired during its claim skips the effects that another worker has")
    func oldLeases() async throws {
        let store = HookedStore()
        for id in ["1", "2"] { try await walk(id, 1, in: store) }
        let (clock, log) = (clock, log)
        let others = walks(store.inner)
        store.hook.withLock {
            $0 = (
                2,
                {
                    await clock.advance(by: .seconds(61))
                    try await others.deliver(to: EffectHandlers().on(Step.self) { _, key in log.add("b\(key.id)") })
                }
            )
        }
        let report = try await deliverAll(of: store)
        #expect(report.count == 0)
        #expect(log.all.sorted() == ["b1", "b2"])
    }

    @Test("Retrying a queued effect keeps the back-off of the first")
    func retryBehind() async throws {
        try await walk()
        let once = DeliveryPolicy(attempts: 1)
        #expect(try await deliver(policy: once) { _, _ in throw Failed() } == 0)
        let keys = try await walks().effects().map(\.key)
        #expect(try await walks().effects().allSatisfy(\.isParked))
        #expect(try await walks().retry(keys[0]))
        let patient = DeliveryPolicy(attempts: 5, backOff: BackOff(first: .seconds(600)))
        #expect(try await deliver(policy: patient) { _, _ in throw Failed() } == 0)
        #expect(try await walks().retry(keys[1]))
        #expect(try await deliver(policy: patient) == 0)
        await clock.advance(by: .seconds(601))
        #expect(try await deliver(policy: patient) == 2)
    }

    @Test("A rehearsal reads all parts of a machine, and ignores the depth of unread data")
    func deepRehearsal() async throws {
        try await walk("1", 1)
        let archive = try #require(try await store.load("1"))
        let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
        let text = String(decoding: archive.archive, as: UTF8.self).replacing(
            #""count":1"#,
            with: #""count":1,"x":\#(deep)"#
        )
        #expect(text.contains(deep))
        try await store.save(archive.with(archive: text))
        #expect(try await walks().machine("1") != nil)
        let rehearsal = try await walks().rehearseMigration()
        #expect(rehearsal.failures.isEmpty && rehearsal.count == 1)
    }
}
