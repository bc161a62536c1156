import Foundation
import Heraclitus
import HeraclitusStores

/// What stores promise of effects.
extension StoreConformance {
    static func effects(_ store: any ArchiveStore, _ report: ConformanceReport) async throws {
        try await store.update("1", of: Bell.self) { bell in
            try bell.fire.ring(RingingState(1))
            try bell.fire.stop()
            try bell.fire.ring(RingingState(2))
        }
        let saved = try await store.effects(of: Bell.self)
        let revision = try await store.load("1")?.revision ?? 0
        report.expect(
            saved.map(\.key) == (0..<4).map { EffectKey(id: "1", revision: revision, index: $0) },
            "the effects of all states that were entered are not saved, in order, with the revision"
        )
        do {
            try await store.update("1", of: Bell.self) { bell in
                try bell.fire.ring(RingingState(3))
                throw Broken()
            }
        } catch is Broken {}
        // Another save keeps what is there, with its keys, and adds its own.
        try await store.update("1", of: Bell.self) { try $0.fire.stop() }
        if let (bell, revision) = try await store.machine("1", of: Bell.self) {
            try await store.save(bell, as: "1", expecting: revision)
        }
        try await store.update("1", of: Bell.self) { try $0.fire.ring(RingingState(4)) }
        let all = try await store.effects(of: Bell.self)
        report.expect(all.prefix(4) == saved[...], "effects change when their machine is saved again")
        report.expect(all.count == 6 && Set(all.map(\.key)).count == 6, "not all effects have a key of their own")
        let handled = Handled()
        let count = try await store.deliver(Bell.self) { handled.add($0, $1) }
        report.expect(count == 6, "\(count) effects of 6 were delivered")
        let numbers = [1, 1, 2, 2, 4, 4]
        report.expect(handled.all.map(\.ring.number) == numbers, "the effects are not those that were saved, in order")
        report.expect(handled.all.map(\.key) == all.map(\.key), "effects are handed over with other keys")
        let again = try await store.deliver(Bell.self) { handled.add($0, $1) }
        report.expect(again == 0 && handled.all.count == 6, "what was carried out comes again")
        report.expect(
            try await store.machine("1", of: Bell.self)?.machine.state is RingingState,
            "effects have changed their machine"
        )
        // The same id once more, at the same revision of its machine.
        try await store.delete("1", expecting: nil)
        try await store.update("1", of: Bell.self) { try $0.fire.ring(RingingState(1)) }
        try await store.deliver(Bell.self) { handled.add($0, $1) }
        report.expect(
            handled.all.count == 8 && Set(handled.all.map(\.key)).count == 8,
            "an id that is used again has effects with keys that were there before"
        )
    }

    static func failingEffects(_ store: any ArchiveStore, _ report: ConformanceReport) async throws {
        let clock = ManualClock()
        let policy = DeliveryPolicy(attempts: 2, backOff: BackOff(first: .seconds(10), limit: .seconds(10)))
        let handled = Handled()
        for id in ["1", "2"] {
            try await store.update(id, of: Bell.self, scheduler: clock.scheduler) { try $0.fire.ring(RingingState(1)) }
        }
        @discardableResult
        func deliver(failing: Bool) async throws -> Int {
            try await store.deliver(Bell.self, policy: policy, scheduler: clock.scheduler) { effect, key in
                handled.add(effect, key)
                if failing, key.id == "1", key.index == 0 { throw Broken() }
            }
        }
        report.expect(try await deliver(failing: true) == 2, "one machine's effect that fails holds up another's")
        report.expect(try await deliver(failing: false) == 0, "an effect that has failed does not wait")
        let waiting = try await store.effects(of: Bell.self)
        report.expect(
            waiting.map(\.attempts) == [1, 0] && waiting[0].error != nil && !waiting[0].isParked,
            "that an effect has failed is not written down: \(waiting)"
        )
        await clock.advance(by: .seconds(10))
        report.expect(try await deliver(failing: true) == 1, "what comes after a parked effect does not go on")
        let parked = try await store.effects(of: Bell.self)
        report.expect(parked.map(\.isParked) == [true], "an effect is not parked after its last attempt: \(parked)")
        await clock.advance(by: .seconds(1_000))
        report.expect(try await deliver(failing: false) == 0, "a parked effect is delivered")
        let calls = handled.all.filter { $0.key.id == "1" }
        report.expect(calls.map(\.key.index) == [0, 0, 1], "the effects of a machine are not in order: \(calls)")
        guard let key = parked.first?.key else { return }
        report.expect(try await store.retry(key), "a parked effect is not found by its key")
        report.expect(try await deliver(failing: false) == 1, "what is to be tried again is not")
        report.expect(try await !store.discard(key), "what was carried out is still there")
        // A program that does not know them loses none of them.
        try await store.update("2", of: Bell.self, scheduler: clock.scheduler) { try $0.fire.ring(RingingState(2)) }
        do {
            try await store.update("2", of: DumbBell.self, scheduler: clock.scheduler) { bell in
                try bell.fire.ring(RingingState(3))
            }
            report.add("an effect is saved that the workflow does not list")
        } catch ArchiveError.unknownEffect {}
        report.expect(
            try await store.deliver(DumbBell.self, scheduler: clock.scheduler) { handled.add($0, $1) } == 0,
            "effects are made that the workflow does not list"
        )
        let unknown = try await store.effects(of: DumbBell.self)
        report.expect(unknown.count == 2 && !unknown.contains(where: \.isParked), "unknown effects are lost, or parked")
        for effect in unknown {
            report.expect(try await store.discard(effect.key), "an effect is not found by its key")
        }
        report.expect(try await store.effects(of: Bell.self).isEmpty, "what was discarded is still there")
    }

    static func workers(_ store: any ArchiveStore, _ report: ConformanceReport) async throws {
        let machines = 12
        for number in 0..<machines {
            try await store.update("\(number)", of: Bell.self) { try $0.fire.ring(RingingState(number)) }
        }
        let handled = Handled()
        let policy = DeliveryPolicy(machinesAtOnce: 2)
        let count = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    try await store.deliver(Bell.self, policy: policy) { effect, key in
                        handled.add(effect, key)
                        await Task.yield()
                    }
                }
            }
            return try await group.reduce(0, +)
        }
        report.expect(count == 2 * machines, "\(count) effects of \(2 * machines) were delivered")
        report.expect(handled.all.count == 2 * machines, "several workers were at one effect")
        let byMachine = Dictionary(grouping: handled.all, by: \.key.id)
        report.expect(
            byMachine.values.allSatisfy { $0.map(\.key.index) == [0, 1] },
            "the effects of a machine are not in order"
        )
        let left = try await store.ids(withEffectsBy: .distantFuture, of: Bell.name, limit: 100)
        report.expect(left == [], "what was carried out is listed")
    }
}
