import Foundation
import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import Testing

// What a delivery does when races are lost, leases grow old, and archives are damaged or cannot be loaded.

extension DeliveryTests {
    @Test("A delivery that loses a race for its only machine tries again")
    func lostRace() async throws {
        let store = DamagedStore()
        try await store.update("1", of: Walk.self) { try $0.fire.step(SteppingState(1)) }
        store.conflicts.withLock { $0 = 3 }
        #expect(try await store.deliver(Walk.self) { _, _ in } == 1)
        // It ends if nothing but races is lost.
        try await store.update("1", of: Walk.self) { try $0.fire.step(SteppingState(1)) }
        store.conflicts.withLock { $0 = .max }
        #expect(try await store.deliver(Walk.self) { _, _ in } == 0)
    }

    /// A store of four methods in which one archive is damaged, and one is over the limit.
    private final class PlainStore: StoreAround {
        let inner = InMemoryStore()
        func load(_ id: String) async throws -> StoredArchive? {
            if id == "0 damaged" { throw StoreError.damaged(id: id, explanation: "its row") }
            if id == "0 large" { throw ArchiveError.tooLarge(2, limit: 1) }
            return await inner.load(id)
        }
    }

    @Test(
        "In a store with the default listings, an archive that cannot be loaded holds up no effect and no deadline of others"
    )
    func defaultListings() async throws {
        let store = PlainStore()
        for id in ["0 damaged", "0 large", "1"] {
            try await store.inner.update(id, of: Walk.self) { try $0.fire.step(SteppingState(1)) }
            try await store.inner.update("bill \(id)", of: DeadlineTests.Bill.self) {
                try $0.fire.send(DeadlineTests.SentState(1, by: .distantPast))
            }
        }
        let log = log
        let error = await #expect(throws: StoreError.self) {
            try await store.deliver(Walk.self) { _, key in log.add(key.id) }
        }
        #expect(log.all == ["1"])
        if case .damaged("0 large", _) = error {} else { Issue.record("\(String(describing: error))") }
        let bills = PlainStore()
        for id in ["0 damaged", "0 large", "1"] {
            try await bills.inner.update(id, of: DeadlineTests.Bill.self) {
                try $0.fire.send(DeadlineTests.SentState(1, by: .distantFuture))
            }
        }
        #expect(try await bills.ids(dueBy: .distantFuture, of: DeadlineTests.Bill.name) == ["1"])
    }

    @Test(
        "An effect with half a key, or with one that is none, is damage and not handed over again and again",
        arguments: [
            #""revision":1"#, #""index":0"#, #""revision":-1,"index":0"#, #""revision":1,"index":-1"#,
            #""revision":1,"index":9223372036854775807"#,
        ]
    )
    func halfKey(_ key: String) async throws {
        let store = InMemoryStore()
        try await store.update("1", of: Walk.self) { try $0.fire.step(SteppingState(1)) }
        let outbox = #"{"outbox":{"effects":[{"name":"Step","data":{"number":0},\#(key)}]}}"#
        try await store.save(
            StoredArchive(id: "0", revision: 0, workflow: Walk.name, state: "Stepping", archive: Data(outbox.utf8))
        )
        let log = log
        let error = await #expect(throws: StoreError.self) {
            try await store.deliver(Walk.self) { _, key in
                log.add(key.id)
                if log.all.count > 50 { throw CancellationError() }
            }
        }
        #expect(log.all == ["1"])
        if case .damaged("0", _) = error {} else { Issue.record("\(String(describing: error))") }
    }

    @Test("A machine that cannot be saved any more holds up the effects of no others", arguments: [0, 1])
    func lastRevision(_ left: Int) async throws {
        let place = try StorePlace("directory")
        for id in ["1", "2", "3"] {
            try await place.store.update(id, of: Walk.self) { try $0.fire.step(SteppingState(1)) }
        }
        let file = try #require(place.folder).appendingPathComponent("2.json")
        let text = try String(contentsOf: file, encoding: .utf8)
        let last = text.replacing(#""revision":1,"#, with: #""revision":\#((1 << 53) - left),"#, maxReplacements: 1)
        #expect(last != text)
        try Data(last.utf8).write(to: file)
        let log = log
        let error = await #expect(throws: StoreError.self) {
            try await place.store.deliver(Walk.self, policy: DeliveryPolicy(machinesAtOnce: 1)) { _, key in
                log.add(key.id)
            }
        }
        // With one revision left it is leased, and carried out, but that cannot be written down.
        #expect(log.all.sorted() == (left == 0 ? ["1", "3"] : ["1", "2", "3"]))
        if case .damaged("2", _) = error {} else { Issue.record("\(String(describing: error))") }
        #expect(try await place.store.effects(of: Walk.self).map(\.key.id) == ["2"])
    }

    @Test("A worker whose call is cancelled keeps the lease as long as its handler goes on", .timeLimit(.minutes(20)))
    func cancelled() async throws {
        try await walk("1", 1)
        let (begun, mayEnd) = (Latch(), Latch())
        let policy = DeliveryPolicy(lease: .milliseconds(150))
        let first = Task { [self] in
            try await deliver("a", policy: policy) { _, _ in
                begun.open()
                await mayEnd.waitStubbornly()
            }
        }
        try await begun.wait()
        first.cancel()
        for _ in 0..<3 {
            let revision = try await store.load("1")?.revision
            for _ in 0..<24_000 where try await store.load("1")?.revision == revision {
                try await Task.sleep(for: .milliseconds(5))
            }
            #expect(try await store.load("1")?.revision != revision)
        }
        #expect(try await deliver("b") == 0)
        mayEnd.open()
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(log.all == ["a0"])
        #expect(try await left() == [])
    }

    /// A store that does something after a number of saves.
    private final class HookedStore: StoreAround {
        let inner = InMemoryStore()
        let hook = Lock<(saves: Int, body: (@Sendable () async throws -> Void)?)>((0, nil))
        func save(_ archive: StoredArchive) async throws -> Int {
            let revision = try await inner.save(archive)
            let body = hook.withLock { hook -> (@Sendable () async throws -> Void)? in
                hook.saves -= 1
                return hook.saves == 0 ? hook.body : nil
            }
            try await body?()
            return revision
        }
    }

    @Test("A worker whose leases have lapsed while it leased others carries out nothing that somebody else has")
    func oldLeases() async throws {
        let store = HookedStore()
        for id in ["1", "2"] {
            try await store.update(id, of: Walk.self, scheduler: clock.scheduler) {
                try $0.fire.step(SteppingState(1))
            }
        }
        let (clock, log) = (clock, log)
        store.hook.withLock {
            $0 = (
                2,
                {
                    await clock.advance(by: .seconds(61))
                    try await store.inner.deliver(Walk.self, scheduler: clock.scheduler) { _, key in
                        log.add("b\(key.id)")
                    }
                }
            )
        }
        let count = try await store.deliver(Walk.self, scheduler: clock.scheduler) { _, key in log.add("a\(key.id)") }
        #expect(count == 0)
        #expect(log.all.sorted() == ["b1", "b2"])
    }

    @Test("Whoever brings back an effect behind one that waits does not end its waiting")
    func retryBehind() async throws {
        try await walk()
        let once = DeliveryPolicy(attempts: 1)
        #expect(try await deliver(policy: once) { _, _ in throw Failed() } == 0)
        let keys = try await store.effects(of: Walk.self).map(\.key)
        #expect(try await store.effects(of: Walk.self).allSatisfy(\.isParked))
        #expect(try await store.retry(keys[0]))
        let patient = DeliveryPolicy(attempts: 5, backOff: BackOff(first: .seconds(600)))
        #expect(try await deliver(policy: patient) { _, _ in throw Failed() } == 0)
        #expect(try await store.retry(keys[1]))
        #expect(try await deliver(policy: patient) == 0)
        await clock.advance(by: .seconds(601))
        #expect(try await deliver(policy: patient) == 2)
    }

    @Test("A rehearsal reads what a machine is made of, however deep what nobody reads is")
    func deepRehearsal() async throws {
        try await walk("1", 1)
        let archive = try #require(try await store.load("1"))
        let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
        let text = String(decoding: archive.archive, as: UTF8.self).replacing(
            #""count":1"#,
            with: #""count":1,"x":\#(deep)"#
        )
        #expect(text.contains(deep))
        try await store.save(
            StoredArchive(
                id: "1",
                revision: archive.revision,
                workflow: Walk.name,
                state: archive.state,
                archive: Data(text.utf8)
            )
        )
        #expect(try await store.machine("1", of: Walk.self) != nil)
        let rehearsal = try await store.rehearseMigration(of: Walk.self)
        #expect(rehearsal.failures.isEmpty && rehearsal.readable == [1: 1])
    }
}
