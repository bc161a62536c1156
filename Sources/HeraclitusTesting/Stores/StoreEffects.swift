import Foundation
import Heraclitus
import HeraclitusStores

/// Promises of stores about effects.
extension StoreConformance {
    private static func handlers(_ handled: Handled) -> EffectHandlers {
        EffectHandlers().on(Ring.self) { handled.add($0, $1) }
    }

    static func effects(_ store: any ArchiveStore, _ report: ConformanceReport) async throws {
        let bells = store.workflow(Bell.self)
        try await bells.update("1") { bell in
            try bell.fire.ring(RingingState(1))
            try bell.fire.stop()
            try bell.fire.ring(RingingState(2))
        }
        let saved = try await bells.effects()
        report.expect(
            saved.map(\.key.index) == [0, 1, 2, 3] && Set(saved.map(\.key.series)).count == 1,
            "the effects of entered states are not saved in order: \(saved.map(\.key))"
        )
        do {
            try await bells.update("1") { bell in
                try bell.fire.ring(RingingState(3))
                throw Broken()
            }
        } catch is Broken {}
        // A further save keeps stored effects with their keys, and adds its own.
        try await bells.update("1") { try $0.fire.stop() }
        if let (bell, revision) = try await bells.machine("1") {
            try await bells.save(bell, as: "1", expecting: revision)
        }
        try await bells.update("1") { try $0.fire.ring(RingingState(4)) }
        let all = try await bells.effects()
        report.expect(all.prefix(4) == saved[...], "effects change when their machine is saved again")
        report.expect(all.count == 6 && Set(all.map(\.key)).count == 6, "two effects have the same key")
        let stored = try await store.load("1")
        let handled = Handled()
        let count = try await bells.deliver(to: handlers(handled)).count
        report.expect(count == 6, "\(count) of 6 effects were delivered")
        let numbers = [1, 1, 2, 2, 4, 4]
        report.expect(handled.all.map(\.ring.number) == numbers, "effects are lost or out of order")
        report.expect(handled.all.map(\.key) == all.map(\.key), "effects are delivered with other keys")
        let again = try await bells.deliver(to: handlers(handled)).count
        report.expect(again == 0 && handled.all.count == 6, "a delivered effect is delivered again")
        let now = try await store.load("1")
        report.expect(
            now?.revision == stored?.revision && now?.archive == stored?.archive && now?.effects == nil,
            "a delivery changes its machine, or leaves effects behind"
        )
        // A new machine has the id and the revision of the deleted one.
        try await store.delete("1", expecting: nil)
        try await bells.update("1") { try $0.fire.ring(RingingState(1)) }
        try await bells.deliver(to: handlers(handled))
        report.expect(
            handled.all.count == 8 && Set(handled.all.map(\.key)).count == 8,
            "a reused id has effects with used keys"
        )
    }

    static func failingEffects(_ store: any ArchiveStore, _ report: ConformanceReport) async throws {
        let clock = ManualClock()
        let policy = DeliveryPolicy(attempts: 2, backOff: BackOff(first: .seconds(10), limit: .seconds(10)))
        let handled = Handled()
        let bells = store.workflow(Bell.self, scheduler: clock.scheduler)
        for id in ["1", "2"] { try await bells.update(id) { try $0.fire.ring(RingingState(1)) } }
        @discardableResult
        func deliver(failing: Bool) async throws -> Int {
            let handlers = EffectHandlers().on(Ring.self) { ring, key in
                handled.add(ring, key)
                if failing, key.id == "1", key.index == 0 { throw Broken() }
            }
            return try await bells.deliver(policy: policy, to: handlers).count
        }
        report.expect(try await deliver(failing: true) == 2, "a failing effect holds up the effects of another machine")
        report.expect(try await deliver(failing: false) == 0, "a failed effect is retried without a delay")
        let waiting = try await bells.effects()
        report.expect(
            waiting.map(\.attempts) == [1, 0] && waiting[0].error != nil && !waiting[0].isParked,
            "a failure is not recorded in its effect: \(waiting)"
        )
        await clock.advance(by: .seconds(10))
        report.expect(try await deliver(failing: true) == 1, "a parked effect holds up the next effect")
        let parked = try await bells.effects()
        report.expect(parked.map(\.isParked) == [true], "an effect is not parked after its last attempt: \(parked)")
        await clock.advance(by: .seconds(1_000))
        report.expect(try await deliver(failing: false) == 0, "a parked effect is delivered")
        let calls = handled.all.filter { $0.key.id == "1" }
        report.expect(calls.map(\.key.index) == [0, 0, 1], "the effects of a machine are not in order: \(calls)")
        guard let key = parked.first?.key else { return }
        report.expect(try await bells.retry(key), "a parked effect is not found by its key")
        report.expect(try await deliver(failing: false) == 1, "an effect is not delivered after retry")
        report.expect(try await !bells.discard(key), "a delivered effect is still stored")
        // A program without the effect types keeps the effects.
        let others = store.workflow(DumbBell.self, scheduler: clock.scheduler)
        try await bells.update("2") { try $0.fire.ring(RingingState(2)) }
        do {
            try await others.update("2") { bell in try bell.fire.ring(RingingState(3)) }
            report.add("an effect that the workflow does not list is saved")
        } catch ArchiveError.unknownEffect {}
        let known = try await others.deliver(to: handlers(handled))
        report.expect(known.count == 0, "effects that the workflow does not list are delivered")
        report.expect(known.failures.count == 1, "an effect of an unknown type is not reported once: \(known.failures)")
        let unknown = try await others.effects()
        report.expect(unknown.count == 2 && !unknown.contains(where: \.isParked), "unknown effects are lost, or parked")
        for effect in unknown {
            report.expect(try await others.discard(effect.key), "an effect is not found by its key")
        }
        report.expect(try await bells.effects().isEmpty, "a discarded effect is still stored")
    }

    static func workers(_ store: any ArchiveStore, _ report: ConformanceReport) async throws {
        let machines = 12
        let bells = store.workflow(Bell.self)
        for number in 0..<machines {
            try await bells.update("\(number)") { try $0.fire.ring(RingingState(number)) }
        }
        let handled = Handled()
        let policy = DeliveryPolicy(machinesAtOnce: 2)
        let count = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    try await bells.deliver(
                        policy: policy,
                        to: EffectHandlers().on(Ring.self) { effect, key in
                            handled.add(effect, key)
                            await Task.yield()
                        }
                    ).count
                }
            }
            return try await group.reduce(0, +)
        }
        report.expect(count == 2 * machines, "\(count) of \(2 * machines) effects were delivered")
        report.expect(handled.all.count == 2 * machines, "two workers delivered the same effect")
        let byMachine = Dictionary(grouping: handled.all, by: \.key.id)
        report.expect(
            byMachine.values.allSatisfy { $0.map(\.key.index) == [0, 1] },
            "the effects of a machine are not in order"
        )
        let left = try await bells.effects()
        report.expect(left == [], "delivered effects are still listed")
    }

    /// Saves, retries and discards effects while a worker runs other effects of the machine.
    static func leases(_ store: any ArchiveStore, _ report: ConformanceReport) async throws {
        let clock = ManualClock()
        let policy = DeliveryPolicy(attempts: 2, backOff: BackOff(first: .zero))
        let bells = store.workflow(Bell.self, scheduler: clock.scheduler)
        let failures = Lock<[String]>([])
        let hasBegun = Lock(false)
        let idle = EffectHandlers().on(Ring.self) { _, _ in }
        @Sendable func expectNone(_ failure: String) async throws {
            let count = try await bells.deliver(policy: policy, to: idle).count
            if count > 0 { failures.withLock { $0.append(failure) } }
        }
        try await bells.update("1") { try $0.fire.ring(RingingState(1)) }
        let handlers = EffectHandlers().on(Ring.self) { _, _ in
            let isFirst = hasBegun.withLock { hasBegun in
                defer { hasBegun = true }
                return !hasBegun
            }
            guard isFirst else { return }
            try await expectNone("another worker gets leased effects")
            try await bells.update("1") { try $0.fire.ring(RingingState(2)) }
            try await expectNone("a save of the machine releases the lease of its effects")
            let keys = try await bells.effects().map(\.key)
            if keys.count == 4 {
                try await bells.retry(keys[2])
                try await bells.discard(keys[3])
            } else {
                failures.withLock { $0.append("during a delivery, \(keys.count) effects are listed instead of 4") }
            }
            try await expectNone("a change of another effect releases the lease")
        }
        let count = try await bells.deliver(policy: policy, to: handlers).count
        for failure in failures.withLock({ $0 }) { report.add(failure) }
        report.expect(count == 2, "the call that leased 2 effects delivers \(count)")
        let next = try await bells.deliver(policy: policy, to: idle).count
        report.expect(
            next == 1,
            "after 2 effects were saved and 1 was discarded, the next call delivers \(next)"
        )
        report.expect(try await bells.effects() == [], "delivered effects are still stored")
    }
}
