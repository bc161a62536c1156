import Foundation
import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import Testing

// The effects of a machine run on one worker at a time.

extension DeliveryTests {
    /// One worker runs an effect while another worker looks for effects.
    private func discardingAmid(_ index: Int = 0, _ body: @escaping @Sendable (EffectKey) async throws -> Void)
        async throws
    {
        async let first = deliver("a") { [log] _, key in
            guard log.all == ["a\(index)"] else { return }
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
        #expect(log.all == ["a\(index)", "b looks", "b has looked", "c\(index + 1)"])
        #expect(try await due() == nil)
        #expect(try await !hasEffects())
    }

    private func hasEffects() async throws -> Bool { try await store.load("1")?.effects != nil }

    @Test("While a discarded effect runs, the machine's next effect waits")
    func nextOfDiscarded() async throws {
        try await walk("1", 1)
        try await discardingAmid { [self] key in
            #expect(try await walks().discard(key))
            #expect(try await store.load("1")?.effects?.next == nil)
            try await walk("1", 1)
        }
    }

    @Test("While a discarded effect runs, the machine's next effect waits, also beside parked ones")
    func nextOfDiscardedBesideParked() async throws {
        try await walk("1", 1)
        try await walks().deliver(
            policy: DeliveryPolicy(attempts: 1),
            to: EffectHandlers().on(Step.self) { _, _ in throw Failed() }
        )
        let parked = try #require(try await walks().effects().first)
        try await walk("1", 1)
        try await discardingAmid(1) { [self] key in
            #expect(try await walks().discard(key))
            try await walk("1", 1)
            try await walks().discard(parked.key)
        }
    }

    @Test("While a completed effect runs again, the machine's next effect waits")
    func nextOfDone() async throws {
        try await walk("1", 1)
        async let slow = deliver("slow", by: ManualClock()) { [log] _, _ in try await log.wait(for: "a1") }
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
        #expect(log.all == ["slow0", "a0", "a1", "b has looked", "c1"])
    }

    @Test("The effect after a discarded one waits until the lease ends, and no longer")
    func nextOfLapsed() async throws {
        try await walk("1", 1)
        async let first = deliver("a", by: ManualClock()) { [self] _, key in
            try await walks().discard(key)
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
        #expect(try await !hasEffects())
    }
}
