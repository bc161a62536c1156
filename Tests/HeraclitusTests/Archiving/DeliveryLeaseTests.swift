import Foundation
import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import Testing

// Only one worker is at the effects of a machine, whatever else takes its time or takes them away.

extension DeliveryTests {
    /// Delivers two effects, the first of which is parked at once.
    private func parkingFirst(
        lease: Duration = .seconds(60),
        failed: @escaping @Sendable () async throws -> Void
    ) async throws -> Int {
        let policy = DeliveryPolicy(lease: lease, attempts: 1)
        return try await store.deliver(Walk.self, policy: policy, scheduler: clock.scheduler) { _, _ in
            try await failed()
        } _: { [log] _, key in
            log.add("a\(key.index)")
            if key.index == 0 { throw Failed() }
        }
    }

    @Test("A worker that is told of a failure for longer than its lease leaves the rest to the one who has it")
    func slowlyTold() async throws {
        try await walk()
        async let second = Task { [self] in
            try await log.wait(for: "told")
            return try await deliver("b") { [log] _, _ in try await log.wait(for: "a ended") }
        }.value
        let first = try await parkingFirst { [clock, log] in
            await clock.advance(by: .seconds(61))
            log.add("told")
            try await log.wait(for: "b1")
        }
        log.add("a ended")
        #expect(try await second == 1)
        #expect(first == 0 && log.all == ["a0", "told", "b1", "a ended"])
        #expect(try await left() == [0])
    }

    @Test("A lease is renewed as long as somebody is told of a failure", .timeLimit(.minutes(20)))
    func renewedWhileTold() async throws {
        try await walk()
        let count = try await parkingFirst(lease: .milliseconds(90)) { [store] in
            for _ in 0..<3 {
                let revision = try await store.load("1")?.revision
                while try await store.load("1")?.revision == revision { try await Task.sleep(for: .milliseconds(5)) }
            }
        }
        #expect(count == 1 && log.all == ["a0", "a1"])
    }

    @Test("What is left out because somebody who is told of a failure throws need not wait for the lease to end")
    func leftOut() async throws {
        try await walk()
        await #expect(throws: CocoaError.self) { try await parkingFirst { throw CocoaError(.featureUnsupported) } }
        #expect(try await deliver("b") == 1)
        #expect(log.all == ["a0", "b1"])
    }

    @Test("What was saved while somebody was told of a failure is for the next delivery")
    func savedWhileTold() async throws {
        try await walk()
        let count = try await parkingFirst { [self] in
            let last = try #require(try await store.effects(of: Walk.self).last)
            try await walk("1", 3)
            try await store.discard(last.key)
        }
        #expect(count == 0 && log.all == ["a0"])
        #expect(try await deliver("b") == 3)
    }

    /// Has a worker carry out an effect until something has happened, and another one look for what else is to be done.
    private func discardingAmid(_ body: @escaping @Sendable (EffectKey) async throws -> Void) async throws {
        async let first = deliver("a") { [log] _, key in
            guard log.all == ["a0"] else { return }
            try await body(key)
            log.add("b looks")
            try await log.wait(for: "b has looked")
        }
        try await log.wait(for: "b looks")
        let count = try await deliver("b")
        #expect(count == 0)
        log.add("b has looked")
        #expect(try await first == 1)
        #expect(try await deliver("c") == 1)
        #expect(log.all == ["a0", "b looks", "b has looked", "c0"])
        #expect(try await due() == nil)
        #expect(try await !hasOutbox())
    }

    private func hasOutbox() async throws -> Bool {
        let archive = try #require(try await store.load("1")).archive
        return String(decoding: archive, as: UTF8.self).contains("outbox")
    }

    @Test("While an effect is carried out that was discarded, the machine's next one waits")
    func nextOfDiscarded() async throws {
        try await walk("1", 1)
        try await discardingAmid { [self] key in
            #expect(try await store.discard(key))
            #expect(try await due() == nil)
            try await walk("1", 1)
        }
    }

    @Test("While an effect is carried out that was discarded, the machine's next one waits, also beside parked ones")
    func nextOfDiscardedBesideParked() async throws {
        try await walk("1", 1)
        let policy = DeliveryPolicy(attempts: 1)
        try await store.deliver(Walk.self, policy: policy, scheduler: clock.scheduler) { _, _ in throw Failed() }
        let parked = try #require(try await store.effects(of: Walk.self).first)
        try await walk("1", 1)
        try await discardingAmid { [self] key in
            #expect(try await store.discard(key))
            try await walk("1", 1)
            try await store.discard(parked.key)
        }
    }

    @Test("While an effect is carried out again that is done already, the machine's next one waits")
    func nextOfDone() async throws {
        try await walk("1", 1)
        async let slow = deliver("slow") { [log] _, _ in try await log.wait(for: "a1") }
        try await log.wait(for: "slow0")
        await clock.advance(by: .seconds(61))
        async let first = deliver("a") { [log] _, _ in
            log.add("a1")
            try await log.wait(for: "b has looked")
        }
        #expect(try await slow == 1)
        try await walk("1", 1)
        #expect(try await deliver("b") == 0)
        log.add("b has looked")
        #expect(try await first == 1)
        #expect(try await deliver("c") == 1)
        #expect(log.all == ["slow0", "a0", "a1", "b has looked", "c0"])
    }

    @Test("What follows a discarded effect waits until the lease ends, and no longer")
    func nextOfLapsed() async throws {
        try await walk("1", 1)
        async let first = deliver("a") { [self] _, key in
            try await store.discard(key)
            try await walk("1", 1)
            log.add("discarded")
            try await log.wait(for: "b has looked")
        }
        try await log.wait(for: "discarded")
        #expect(try await deliver("b") == 0)
        await clock.advance(by: .seconds(61))
        #expect(try await deliver("b") == 1)
        log.add("b has looked")
        #expect(try await first == 1)
        #expect(try await !hasOutbox())
    }

    @Test("A machine that is saved after the lease of a discarded effect has ended keeps nothing of it")
    func nothingLeft() async throws {
        try await walk("1", 1)
        async let first = deliver("a") { [self] _, key in
            try await store.discard(key)
            #expect(try await hasOutbox())
            await clock.advance(by: .seconds(61))
            try await walk("1", 0)
            #expect(try await !hasOutbox())
        }
        #expect(try await first == 1)
    }
}
