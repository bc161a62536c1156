import Foundation
import Heraclitus
import HeraclitusStores
import Testing

@testable import Fixtures

/// Processes that are killed at random moments while they save several machines together and deliver their effects.
@Suite("Kills of stores with effects") struct EffectKillsTests {
    private static let ids = ["a", "B", "c/d"]

    @Test(
        "Machines saved together stay together after a kill, and every effect is kept unchanged"
    )
    func kills() async throws {
        let place = try StorePlace("directory")
        let folder = try #require(place.folder)
        let log = KillLog(beside: folder)
        defer { log.remove() }
        let end = ContinuousClock.now + .seconds(Attack.seconds)
        var kills = 0
        var number = 0
        repeat {
            kills += 1
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.path as String] in
                try await Self.workUntilKilled(path)
            }
            let store = try DirectoryStore(at: folder)
            var numbers: Set<Int> = []
            for id in Self.ids { numbers.insert(try await Self.number(of: id, in: store)) }
            #expect(numbers.count == 1, "Some were saved without the others: \(numbers)")
            number = numbers.max() ?? 0
            let acknowledged = try log.lines("saved").compactMap { Int($0[1]) }.max() ?? 0
            #expect(acknowledged <= number, "\(acknowledged) was acknowledged, \(number) is there")
            // On a busy computer a process may be killed before it has begun.
        } while ContinuousClock.now < end || (number < 5 && kills < 100)
        // The leases of killed processes have ended long before.
        let later = Scheduler(ContinuousClock()) { Date() + 3_600 }
        try await Self.deliver(DirectoryStore(at: folder), by: later, log.opened())
        var contents: [String: Set<String>] = [:]
        for line in try log.lines("effect") { contents[line[1], default: []].insert(line[2]) }
        #expect(contents.values.allSatisfy { $0.count == 1 }, "An effect has two contents.")
        for id in Self.ids {
            let done = contents.filter { $0.key.hasPrefix(id + "/") }.values.compactMap { $0.first.flatMap { Int($0) } }
            #expect(done.sorted() == Array(1...max(1, number)).filter { $0 <= number }, "\(id)")
        }
        print("kills of stores with effects: \(kills) kills, \(number) transactions")
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/.store")
        #expect(left.allSatisfy { !$0.hasSuffix(".tmp") && $0 != "transaction" })
    }

    private static func number(of id: String, in store: DirectoryStore) async throws -> Int {
        (try await store.workflow(Tolling.self).machine(id)?.machine.state as? TollingState)?.number ?? 0
    }

    private static func deliver(
        _ store: DirectoryStore,
        by scheduler: Scheduler = .system,
        _ log: KillLog.Writer
    ) async throws {
        while try await store.workflow(Tolling.self, scheduler: scheduler).deliver(
            // A short lease, so that other workers take over from killed ones.
            policy: DeliveryPolicy(lease: .milliseconds(200)),
            to: EffectHandlers().on(Toll.self) { toll, key in log.note("effect \(key) \(toll.number)") }
        ).count > 0 {}
    }

    /// Runs in a child process that kills itself after a moment.
    private static func workUntilKilled(_ path: String) async throws {
        let store = try DirectoryStore(at: URL(fileURLWithPath: path))
        let log = try KillLog(beside: URL(fileURLWithPath: path)).opened()
        KillLog.killSoon(within: 0.001...0.4)
        while true {
            let number = try await store.unit { unit in
                var number = 0
                for id in ids {
                    let machine = try await unit.machine(id, of: Tolling.self)
                    try machine.fire.toll { TollingState($0.number + 1) }
                    number = (machine.state as? TollingState)?.number ?? 0
                }
                return number
            }
            log.note("saved \(number)")
            if number % 5 == 0 { try await deliver(store, log) }
        }
    }
}
