import Foundation
import Heraclitus
import HeraclitusStores
import PostgresStore
import SQLiteStore

/// A store, and handwritten SQL for the same database.
struct Candidates {
    let store: any ArchiveStore
    let byHand: any ByHand

    /// The counting machines.
    var machines: StoredWorkflow<Counting> { store.workflow(Counting.self) }

    /// Opens both; `nil` for another kind of database.
    init?(_ kind: String, _ place: String) async throws {
        switch kind {
        case "sqlite":
            store = try await SQLiteStore(at: URL(filePath: place))
            byHand = try SQLiteByHand(place)
        case "postgres":
            store = try await PostgresStore(place)
            byHand = try PostgresByHand(place)
        default: return nil
        }
    }
}

/// Handwritten SQL without a store: each unit of work is one call, which blocks the thread of a queue.
///
/// The SQL maintains the indexed columns, as a store does. It knows no machines, and writes back the archive that it
/// has read.
protocol ByHand: Sendable {
    /// Loads the archive of an id, and saves it with the next revision; after a conflict, it retries.
    func unit(_ id: String) async throws

    /// Lists the ids of a workflow's machines in a state.
    func ids(of workflow: String, in state: String) async throws -> [String]
}

/// An unexpected answer to a handwritten SQL statement.
struct Unexpected: Error {
    let explanation: String
}

extension DispatchQueue {
    /// Runs a blocking closure on the thread of this queue.
    func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            self.async { continuation.resume(with: Swift.Result(catching: body)) }
        }
    }
}
