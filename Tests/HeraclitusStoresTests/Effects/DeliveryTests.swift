import Foundation
import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import Testing

@testable import Fixtures

/// Deliveries with concurrent workers, operators and damage.
@Suite("Disturbed deliveries") struct DeliveryTests {
    struct Step: Effect, Equatable {
        let number: Int
    }

    final class RestingState: EmptyState {}

    final class SteppingState: WorkflowState, Effecting {
        let count: Int
        init(_ count: Int) { self.count = count }
        var effects: [any Effect] { (0..<count).map { Step(number: $0) } }
    }

    struct Walk: Workflow {
        static var initial: any WorkflowState { RestingState() }
        static var effects: [any Effect.Type] { [Step.self] }
        let step = Event(from: RestingState.self, SteppingState.self, to: SteppingState.self)
    }

    struct Failed: Error {}

    /// A log of occurrences, in order.
    final class Log: Sendable {
        private let lines = Lock<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func add(_ line: String) { lines.withLock { $0.append(line) } }

        func wait(for line: String) async throws {
            for _ in 0..<60_000 where !all.contains(line) { try await Task.sleep(for: .milliseconds(5)) }
            #expect(all.contains(line))
        }
    }

    let store: any ArchiveStore = InMemoryStore()
    let clock = ManualClock()
    let log = Log()

    /// The machines, as seen by a process with its own clock.
    func walks(_ store: (any ArchiveStore)? = nil, _ clock: ManualClock? = nil) -> StoredWorkflow<Walk> {
        (store ?? self.store).workflow(Walk.self, scheduler: (clock ?? self.clock).scheduler)
    }

    func walk(_ id: String = "1", _ count: Int = 2, in store: (any ArchiveStore)? = nil) async throws {
        try await walks(store).update(id) { try $0.fire.step(SteppingState(count)) }
    }

    @discardableResult
    func deliver(
        _ name: String = "",
        by clock: ManualClock? = nil,
        policy: DeliveryPolicy = DeliveryPolicy(),
        _ body: @escaping @Sendable (Int, EffectKey) async throws -> Void = { _, _ in }
    ) async throws -> Int {
        try await walks(nil, clock).deliver(
            policy: policy,
            to: EffectHandlers().on(Step.self) { [log] _, key in
                log.add("\(name)\(key.index)")
                try await body(key.index, key)
            }
        ).count
    }

    /// Delivers all effects and logs the ids of their machines.
    func deliverAll(
        of store: any ArchiveStore,
        policy: DeliveryPolicy = DeliveryPolicy(),
        _ body: @escaping @Sendable (EffectKey) async throws -> Void = { _ in }
    ) async throws -> WorkReport {
        try await walks(store).deliver(
            policy: policy,
            to: EffectHandlers().on(Step.self) { [log] _, key in
                log.add(key.id)
                try await body(key)
            }
        )
    }

    func left() async throws -> [Int] { try await walks().effects().map(\.key.index) }

    func due(_ id: String = "1") async throws -> Date? { try await store.load(id)?.effects?.date }

    @Test(
        "A worker with an expired lease leaves the rest to the new worker, which skips the completed effect"
    )
    func lapsed() async throws {
        try await walk()
        // The first worker's process stands still, and so does its clock.
        async let first = deliver("a", by: ManualClock()) { index, _ in
            if index == 0 { try await log.wait(for: "b0") }
        }
        try await log.wait(for: "a0")
        await clock.advance(by: .seconds(61))
        async let second = deliver("b") { index, _ in
            if index == 0 { try await log.wait(for: "a ended") }
        }
        try await log.wait(for: "b0")
        let lease = try await due()
        #expect(try await first == 1)
        #expect(try await due() == lease)
        #expect(try await left() == [1])
        #expect(try await deliver("c") == 0)
        log.add("a ended")
        #expect(try await second == 2)
        #expect(log.all == ["a0", "b0", "a ended", "b1"])
        #expect(try await left() == [])
    }

    @Test("An effect completed after the lease expired is delivered once, also if it is not the next one")
    func lapsedAmid() async throws {
        try await walk()
        let policy = DeliveryPolicy(attempts: 1)
        try await deliver("a", by: ManualClock(), policy: policy) { [self] index, key in
            if index == 0 { throw Failed() }
            await clock.advance(by: .seconds(61))
            try await walks().retry(EffectKey(id: key.id, series: key.series, index: 0))
            // Another worker has leased the effects and released them.
            let other = Task {
                try await deliver("b") { _, _ in try await Task.sleep(for: .seconds(3_600)) }
            }
            try await log.wait(for: "b0")
            log.add("cancelled")
            other.cancel()
            _ = await other.result
        }
        #expect(try await left() == [0])
        #expect(try await deliver("c") == 1)
        #expect(log.all == ["a0", "a1", "b0", "cancelled", "c0"])
    }

    @Test("After a running effect is discarded, the effects after it go on", arguments: [false, true])
    func discardedMeanwhile(fails: Bool) async throws {
        try await walk("1", 3)
        let count = try await deliver { [self] index, key in
            guard index == 0 else { return }
            try await walks().discard(key)
            if fails { throw Failed() }
        }
        #expect(count == (fails ? 2 : 3))
        #expect(log.all == ["0", "1", "2"])
        #expect(try await due() == nil)
    }

    @Test(
        "After the only running effect is discarded, no effects are left, and the machine's next effect is delivered"
    )
    func onlyOneDiscarded() async throws {
        try await walk("1", 1)
        try await deliver { [self] _, key in try await walks().discard(key) }
        #expect(try await due() == nil)
        try await walk("1", 1)
        #expect(try await deliver() == 1)
    }

    @Test("After a failed effect is discarded, the effects after it stop waiting")
    func discardedWaiting() async throws {
        try await walk()
        #expect(try await deliver { _, _ in throw Failed() } == 0)
        #expect(try await deliver() == 0)
        let waiting = try #require(try await walks().effects().first)
        // Discarding a later effect changes nothing.
        try await walks().discard(try #require(try await walks().effects().last).key)
        try await walk()
        #expect(try await deliver() == 0)
        #expect(try await walks().discard(waiting.key))
        #expect(try await deliver() == 2)
    }

    @Test("A retried effect is delivered at once, whether it waited or was parked", arguments: [1, 2])
    func retried(attempts: Int) async throws {
        try await walk("1", 1)
        let policy = DeliveryPolicy(attempts: attempts, backOff: BackOff(first: .seconds(600)))
        #expect(try await deliver(policy: policy) { _, _ in throw Failed() } == 0)
        let failed = try #require(try await walks().effects().first)
        #expect(failed.isParked == (attempts == 1))
        #expect(try await deliver(policy: policy) == 0)
        #expect(try await walks().retry(failed.key))
        #expect(try await walks().effects().map(\.attempts) == [0])
        #expect(try await deliver(policy: policy) { _, _ in throw Failed() } == 0)
        #expect(try await walks().effects().map(\.attempts) == [1])
    }

    @Test(
        "A policy of zero machines at once delivers one at a time; the greatest number delivers all machines",
        arguments: [0, .max]
    )
    func atOnce(machines: Int) async throws {
        for id in ["1", "2"] { try await walk(id) }
        #expect(try await deliver(policy: DeliveryPolicy(machinesAtOnce: machines)) == 4)
    }

    @Test("A lease is renewed while the handler runs, by the scheduler's clock", .timeLimit(.minutes(20)))
    func renewed() async throws {
        try await walk("1", 1)
        let count = try await deliver { [self] _, _ in
            for _ in 0..<3 {
                let end = try await due()
                while try await due() == end {
                    await clock.advance(by: .seconds(7))
                    try await Task.sleep(for: .milliseconds(1))
                }
            }
        }
        #expect(count == 1)
        #expect(try await left() == [])
    }

    @Test("Leasing, delivering, retrying or parking an effect keeps the machine's archive and revision")
    func keptRevision() async throws {
        try await walk("1", 3)
        let stored = try #require(try await store.load("1"))
        let policy = DeliveryPolicy(attempts: 2)
        for _ in 1...2 {
            try await deliver(policy: policy) { index, _ in if index == 1 { throw Failed() } }
            await clock.advance(by: .seconds(1))
        }
        #expect(try await walks().effects().map(\.isParked) == [true])
        try await walks().retry(try #require(try await walks().effects().first).key)
        var now = try #require(try await store.load("1"))
        #expect(now.revision == stored.revision && now.archive == stored.archive)
        #expect(try await deliver() == 1)
        now = try #require(try await store.load("1"))
        #expect(now.revision == stored.revision && now.archive == stored.archive && now.effects == nil)
    }

    @Test("A worker keeps the lease while it delivers one effect after the other")
    func keptLease() async throws {
        try await walk("1", 6)
        let count = try await deliver { [self] _, _ in
            await clock.advance(by: .seconds(40))
            let others = try await deliver("other")
            #expect(others == 0)
        }
        #expect(count == 6)
    }

    /// A store that counts loads of a machine.
    private final class WatchedStore: StoreAround {
        let inner = InMemoryStore()
        let loads = Lock(0)

        func load(_ id: String) async throws -> StoredArchive? {
            loads.withLock { $0 += 1 }
            return await inner.load(id)
        }
    }

    @Test("A worker with an expired lease leaves the lease of another worker alone", .timeLimit(.minutes(20)))
    func renewedForOthers() async throws {
        let store = WatchedStore()
        try await walk("1", 1, in: store)
        let slow = ManualClock()
        let (log, clock) = (log, clock)
        async let first = walks(store, slow).deliver(
            to: EffectHandlers().on(Step.self) { _, _ in
                log.add("a")
                try await log.wait(for: "b ended")
            }
        )
        try await log.wait(for: "a")
        await clock.advance(by: .seconds(61))
        let second = try await walks(store).deliver(
            to: EffectHandlers().on(Step.self) { _, _ in
                let end = await store.inner.load("1")?.effects
                for _ in 0..<3 {
                    // Waits until the first worker has tried to renew its lease.
                    let loads = store.loads.withLock { $0 }
                    while store.loads.withLock({ $0 }) == loads {
                        await slow.advance(by: .seconds(7))
                        try await Task.sleep(for: .milliseconds(1))
                    }
                    let now = await store.inner.load("1")?.effects
                    #expect(now == end)
                }
                log.add("b ended")
            }
        )
        #expect(second.count == 1)
        _ = try await first
    }

    @Test("Workers whose clocks differ by hours deliver all effects, those of one machine in order")
    func clocks() async throws {
        let (store, log) = (store, log)
        for id in 0..<4 { try await walk("\(id)", 5) }
        let hours = [-5.0, 0, 3]
        let schedulers = hours.map { hours in Scheduler(ContinuousClock()) { Date() + hours * 3_600 } }
        let backOff = BackOff(first: .milliseconds(1))
        let policy = DeliveryPolicy(lease: .milliseconds(200), attempts: 1_000, backOff: backOff)
        // The slow clock sees only long-due effects. The fast clock's failures wait for its own worker.
        for round in 0..<200 {
            if try await walks().effects().isEmpty { break }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for scheduler in schedulers {
                    group.addTask {
                        try await store.workflow(Walk.self, scheduler: scheduler).deliver(
                            policy: policy,
                            to: EffectHandlers().on(Step.self) { _, key in
                                if round < 3, key.index == round { throw Failed() }
                                log.add("\(key)")
                            }
                        )
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(try await walks().effects().isEmpty)
        for id in 0..<4 {
            let calls = log.all.filter { $0.hasPrefix("\(id)/") }
            var seen: [String] = []
            for call in calls where !seen.contains(call) { seen.append(call) }
            #expect(seen.count == 5 && seen == seen.sorted(), "\(calls)")
        }
    }

    @Test("The result of an attempt is recorded despite concurrent changes of the effects")
    func conflicts() async throws {
        let store = DamagedStore()
        try await walk("1", 2, in: store)
        let report = try await deliverAll(of: store) { _ in store.conflicts.withLock { $0 = 3 } }
        #expect(report.count == 2 && log.all == ["1", "1"])
        #expect(try await walks(store).effects().isEmpty)
    }

    @Test("The delay after a failure never shrinks")
    func manyFailures() async throws {
        try await walk("1", 1)
        let policy = DeliveryPolicy(attempts: .max, backOff: BackOff(first: .seconds(1), limit: .seconds(600)))
        for failure in 1...80 {
            try await deliver(policy: policy) { _, _ in throw Failed() }
            let wait = try #require(try await due()).timeIntervalSince(clock.scheduler.date)
            if failure > 10 { #expect((449.9...600.1).contains(wait), "\(failure)") }
            await clock.advance(by: .seconds(wait + 0.01))
        }
    }

    @Test("A delivery returns even if a handler keeps adding effects to its machine")
    func evermore() async throws {
        try await walk("1", 2)
        let delivered = try await deliver("a") { [self] _, key in
            await clock.advance(by: .seconds(1))
            try await walk(key.id, 1)
        }
        #expect(delivered == 2 && log.all == ["a0", "a1"])
        #expect(try await left() == [2, 3])
        #expect(try await deliver("b") == 2)
    }

    @Test("Effects saved by a handler are for the next delivery, also if the clock stands still", arguments: 1...3)
    func standingClock(machines: Int) async throws {
        for number in 1...machines { try await walk("\(number)", 1) }
        let policy = DeliveryPolicy(machinesAtOnce: 1)
        let delivered = try await deliver(policy: policy) { [self] _, key in
            // An endless delivery would block all other tests.
            guard log.all.count < 50 else { return }
            try await walk(key.id, 1)
        }
        #expect(delivered == machines && log.all.count == machines)
        #expect(try await deliver() == machines)
    }

    @Test("A delivery works on each machine once, also if a failed effect waits for no time")
    func once() async throws {
        try await walk("1", 1)
        let policy = DeliveryPolicy(backOff: BackOff(first: .zero))
        let delivered = try await deliver(policy: policy) { [self] _, _ in
            guard log.all.count == 1 else { return }
            try await walk("1", 1)
            throw Failed()
        }
        #expect(delivered == 0 && log.all == ["0"])
        #expect(try await left() == [0, 1])
        #expect(try await deliver(policy: policy) == 2)
    }

    @Test("A failed effect waits, also after the clock is set back")
    func clockSetBack() async throws {
        try await walk("1", 1)
        let start = clock.date
        try await deliver("a") { [clock] _, _ in
            clock.setDate(to: start - 3_600)
            throw Failed()
        }
        #expect(log.all == ["a0"])
        #expect(try await walks().effects().map(\.attempts) == [1])
        await clock.advance(by: .seconds(1))
        #expect(try await deliver("b") == 1)
    }

    @Test(
        "A handler may throw an error of an unreadable effect, and is retried",
        arguments: [
            ArchiveError.unknownEffect("Mail", known: []), .brokenEffect("Mail", underlyingError: Failed()),
        ]
    )
    func unreadableElsewhere(error: ArchiveError) async throws {
        try await walk("1", 1)
        try await deliver { _, _ in throw error }
        #expect(try await walks().effects().map(\.isParked) == [false])
        await clock.advance(by: .seconds(1))
        #expect(try await deliver() == 1)
    }

    @Test("The stored number of attempts may be the largest integer")
    func countless() async throws {
        try await walk("1", 1)
        try await deliver { _, _ in throw Failed() }
        try await store.replaceInEffects(of: "1", #""attempts":1"#, with: #""attempts":9223372036854775807"#)
        await clock.advance(by: .seconds(3_600))
        #expect(try await deliver { _, _ in throw Failed() } == 0)
        #expect(try await walks().effects().map(\.isParked) == [true])
    }

    @Test("Only the beginning of an error's text is stored")
    func longErrors() async throws {
        struct Long: Error, CustomStringConvertible { var description: String { String(repeating: "é", count: 5_000) } }
        try await walk("1", 1)
        try await deliver { _, _ in throw Long() }
        #expect(try await walks().effects().map(\.error) == [String(repeating: "é", count: 1_000)])
    }
}
