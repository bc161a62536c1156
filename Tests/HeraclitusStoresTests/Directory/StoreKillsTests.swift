import Foundation
import Heraclitus
import HeraclitusStores
import Testing

@testable import Fixtures

/// Processes that are killed at random moments while they save.
@Suite("Kills of stores") struct StoreKillsTests {
    private static let ids = ["a", "B", "c/d"]

    @Test("Every save acknowledged before a kill is kept, and the store goes on")
    func kills() async throws {
        let place = try StorePlace("directory")
        let folder = try #require(place.folder)
        let log = URL(fileURLWithPath: folder.path + ".log")
        defer { try? FileManager.default.removeItem(at: log) }
        let end = ContinuousClock.now + .seconds(Attack.seconds)
        var kills = 0
        var known: [String: Int] = [:]
        repeat {
            kills += 1
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.path as String] in
                try await Self.saveUntilKilled(path)
            }
            let store = try DirectoryStore(at: folder)
            let acknowledged = try Self.acknowledged(log)
            for id in Self.ids {
                let revision = max(acknowledged[id] ?? 0, known[id] ?? 0)
                let kept = try await store.workflow(Ticket.self).machine(id)
                // Each process may have saved once more before it could acknowledge the save.
                #expect((revision...(revision + 1)).contains(kept?.revision ?? 0), "\(id)")
                guard let kept else { continue }
                #expect((kept.machine.state as? QueuedState)?.urls == ["\(kept.revision)"])
                known[id] = kept.revision
            }
            #expect(try await Set(store.ids()).isSubset(of: Self.ids))
        } while ContinuousClock.now < end
        let saves = try Data(contentsOf: log).count { $0 == 10 }
        print("kills of stores: \(kills) kills, \(saves) acknowledged saves")
        // The last acknowledgement may be incomplete. Drafts are removed.
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/.store")
        #expect(left.allSatisfy { !$0.hasSuffix(".tmp") })
    }

    /// The last acknowledged revision of each id.
    private static func acknowledged(_ log: URL) throws -> [String: Int] {
        var revisions: [String: Int] = [:]
        for line in try String(contentsOf: log, encoding: .utf8).split(separator: "\n") {
            let parts = line.split(separator: " ")
            guard parts.count == 2, let revision = Int(parts[1]) else { continue }
            revisions[String(parts[0])] = revision
        }
        return revisions
    }

    /// Runs in a child process that kills itself after a moment.
    private static func saveUntilKilled(_ path: String) async throws {
        let store = try DirectoryStore(at: URL(fileURLWithPath: path))
        // The file outlives the process, unlike a buffer of a pipe.
        let log = unsafe open(path + ".log", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        try #require(log >= 0)
        let moment = Double.random(in: 0.001...0.05)
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: moment)
            kill(getpid(), SIGKILL)
        }
        while true {
            for id in ids {
                let revision = try await store.load(id)?.revision ?? 0
                let ticket = StateMachine<Ticket>(resumingIn: QueuedState(["\(revision + 1)"]))
                let saved = try await store.workflow(Ticket.self).save(ticket, as: id, expecting: revision)
                let line = Array("\(id) \(saved)\n".utf8)
                try #require(unsafe write(log, line, line.count) == line.count)
            }
        }
    }
}
