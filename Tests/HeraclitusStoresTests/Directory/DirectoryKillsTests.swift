import Foundation
import Heraclitus
import HeraclitusStores
import Testing

@testable import Fixtures

/// Processes that are killed at random moments while they save, claim and run waiting machines.
@Suite("Kills of processes with an index") struct DirectoryKillsTests {
    private static let ids = (0..<6).map { "\($0)" }

    @Test(
        "A killed process leaves each waiting machine with a link, and no stale link that stays",
        .timeLimit(.minutes(20))
    )
    func kills() async throws {
        let place = DirectoryPlace()
        // This store has already compared all files with the index, and relies on the index from now on.
        let watching = try place.store()
        #expect(try await watching.ids(DirectoryPlace.dueIDs()) == [])
        let end = ContinuousClock.now + .seconds(Attack.seconds)
        var kills = 0
        var waiting = 0
        repeat {
            kills += 1
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = place.folder.path as String] in
                try await Self.workUntilKilled(path)
            }
            // Completes the committed transaction.
            _ = try place.store()
            var (due, effects): (Set<String>, Set<String>) = ([], [])
            for id in Self.ids {
                guard let row = try await watching.load(id) else { continue }
                if row.due != nil { due.insert(id) }
                if row.effects != nil { effects.insert(id) }
            }
            waiting += due.count + effects.count
            #expect(try await Set(watching.ids(DirectoryPlace.dueIDs(by: .distantFuture))) == due)
            #expect(try await Set(watching.ids(DirectoryPlace.effectIDs(by: .distantFuture))) == effects)
            // The search has removed stale links and made missing ones.
            #expect(try (place.links("due") + place.links("claimed")).sorted() == due.sorted().map { "\($0).json" })
            #expect(try place.links("effects") == effects.sorted().map { "\($0).json" })
        } while ContinuousClock.now < end || (waiting < 20 && kills < 100)
        // The claims of killed processes have ended by then.
        let later = DirectoryPlace.date + 1_000_000
        let due = try await watching.ids(DirectoryPlace.dueIDs(by: .distantFuture))
        #expect(
            try await watching.claim(DirectoryPlace.claim(.due(by: later), until: later + 1)).map(\.id).sorted()
                == due.sorted()
        )
        print("kills of processes with an index: \(kills) kills, \(waiting) that waited")
    }

    /// Runs in a child process that kills itself after a moment.
    private static func workUntilKilled(_ path: String) async throws {
        let store = try DirectoryStore(at: URL(fileURLWithPath: path))
        let moment = Double.random(in: 0.001...0.1)
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: moment)
            kill(getpid(), SIGKILL)
        }
        while true {
            try await change(store)
            let date = DirectoryPlace.date + Double.random(in: 0..<100)
            let queue = Bool.random() ? ArchiveQuery.Queue.due(by: date) : .effects(by: date, names: ["Mail"])
            _ = try await store.claim(DirectoryPlace.claim(queue, until: date + 100, limit: 2))
        }
    }

    private static func change(_ store: DirectoryStore) async throws {
        var changes: [StoreChange] = []
        for id in ids.shuffled().prefix(Int.random(in: 1...3)) {
            let row = try await store.load(id)
            let date = DirectoryPlace.date + Double.random(in: 0..<100)
            let effects = Bool.random() ? DirectoryPlace.effects(at: date) : nil
            let due: Date? = Bool.random() ? date : nil
            switch Int.random(in: 0..<5) {
            case 0: changes.append(.delete(id, expecting: row?.revision ?? 0))
            case 1:
                if row != nil { changes.append(.effects(of: id, (row?.effects, effects))) }
            default:
                let new = DirectoryPlace.row(id, replacing: row?.revision ?? 0, due: due)
                changes.append(.save(new, effects: Bool.random() ? nil : (row?.effects, effects)))
            }
        }
        try await store.save(changes)
    }
}
