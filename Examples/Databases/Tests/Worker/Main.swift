import Foundation
import Heraclitus
import HeraclitusStores
import PostgresStore
import SQLStores
import SQLiteStore
import StoreTesting

/// Counts on meters and carries out their effects, until it is killed or its standard input ends: `worker DATABASE LEDGER ID...`.
///
/// The worker retries when the database is unreachable, and records unclear outcomes.
@main struct Worker {
    static func main() async throws {
        let arguments = CommandLine.arguments
        let (database, ids) = (arguments[1], Array(arguments[3...]))
        let ledger = Ledger(at: URL(filePath: arguments[2]))
        // The process that started this one may have ended.
        Thread.detachNewThread {
            while !FileHandle.standardInput.availableData.isEmpty {}
            exit(0)
        }
        let store = try await opened(database)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await count(ids, in: store, ledger) }
            group.addTask { await deliver(store, ledger) }
        }
    }

    private static func opened(_ database: String) async throws -> any ArchiveStore {
        if database.hasSuffix(".sqlite") { return try await SQLiteStore(at: URL(filePath: database)) }
        if !database.contains("=") { return try Archive.directory(at: URL(filePath: database)) }
        while true {
            do {
                return try await PostgresStore(database, connections: 2, connectTimeout: .seconds(2))
            } catch let error as DatabaseError {
                guard case .inaccessible = error.reason else { throw error }
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    private static func count(_ ids: [String], in store: any ArchiveStore, _ ledger: Ledger) async {
        while true {
            let id = ids.randomElement() ?? "1"
            do {
                ledger.noteSaved(id, try await store.count(id))
                // Leaves the processors to other programs.
                try? await Task.sleep(for: .milliseconds(2))
            } catch {
                if let error = error as? DatabaseError, case .unclear = error.reason { ledger.noteUnclear(id) }
                try? await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    private static func deliver(_ store: any ArchiveStore, _ ledger: Ledger) async {
        let (meters, policy) = (store.workflow(Meter.self), DeliveryPolicy(lease: .seconds(3)))
        // Saves of other processes ring no bell here.
        try? await store.run(meters, to: ledger.handlers, policy: policy, interval: .milliseconds(10))
    }
}
