import Foundation
import Heraclitus
import HeraclitusStores
import Testing

/// Processes that are killed at random moments while they save several machines together, and carry out their effects.
@Suite("Kills of stores with effects") struct EffectKillsTests {
    private static let folderKey = "HERACLITUS_KILLED_EFFECTS"
    private static let ids = ["a", "B", "c/d"]

    @Test(
        "Machines that are saved together stay together when their process is killed, and no effect is lost or changes"
    )
    func kills() async throws {
        let place = try StorePlace("directory")
        let folder = try #require(place.folder)
        unsafe setenv(Self.folderKey, folder.path, 1)
        let log = URL(fileURLWithPath: folder.path + ".log")
        defer { try? FileManager.default.removeItem(at: log) }
        let end = ContinuousClock.now + .seconds(Attack.seconds)
        var kills = 0
        var number = 0
        repeat {
            kills += 1
            await #expect(processExitsWith: .signal(SIGKILL)) { try await Self.workUntilKilled() }
            let store = try DirectoryStore(at: folder)
            var numbers: Set<Int> = []
            for id in Self.ids { numbers.insert(try await Self.number(of: id, in: store)) }
            #expect(numbers.count == 1, "Some were saved without the others: \(numbers)")
            number = numbers.max() ?? 0
            let acknowledged = try Self.lines(of: log, "saved").compactMap { Int($0[1]) }.max() ?? 0
            #expect(acknowledged <= number, "\(acknowledged) was acknowledged, \(number) is there")
            // On a busy machine a process may be killed before it has done anything.
        } while ContinuousClock.now < end || (number < 5 && kills < 100)
        // Leases of those who were killed have ended long before.
        let later = Scheduler(ContinuousClock()) { Date() + 3_600 }
        try await Self.deliver(DirectoryStore(at: folder), by: later, try Self.open(log.path))
        var contents: [String: Set<String>] = [:]
        for line in try Self.lines(of: log, "effect") { contents[line[1], default: []].insert(line[2]) }
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

    /// The words of the complete lines that begin with one.
    private static func lines(of log: URL, _ word: String) throws -> [[String]] {
        guard let text = try? String(contentsOf: log, encoding: .utf8) else { return [] }
        return text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
            .filter { $0.first == word && $0.last == "." }
    }

    private static func open(_ path: String) throws -> Int32 {
        // What is written here outlives the process, as a pipe to another one would.
        let log = unsafe Foundation.open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        try #require(log >= 0)
        return log
    }

    private static func note(_ line: String, _ log: Int32) {
        let bytes = Array("\(line) .\n".utf8)
        _ = unsafe write(log, bytes, bytes.count)
    }

    private static func deliver(
        _ store: DirectoryStore,
        by scheduler: Scheduler = .system,
        _ log: Int32
    ) async throws {
        while try await store.workflow(Tolling.self, scheduler: scheduler).deliver(
            // Short, so that others go on with what somebody had leased who was killed.
            policy: DeliveryPolicy(lease: .milliseconds(200)),
            to: EffectHandlers().on(Toll.self) { toll, key in note("effect \(key) \(toll.number)", log) }
        ).count > 0 {}
    }

    /// In a process of its own, which ends itself after a moment.
    private static func workUntilKilled() async throws {
        let path = try #require(ProcessInfo.processInfo.environment[folderKey])
        let store = try DirectoryStore(at: URL(fileURLWithPath: path))
        let log = try open(path + ".log")
        let moment = Double.random(in: 0.001...0.4)
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: moment)
            kill(getpid(), SIGKILL)
        }
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
            note("saved \(number)", log)
            if number % 5 == 0 { try await deliver(store, log) }
        }
    }
}
