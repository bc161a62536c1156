import Foundation
import Heraclitus
import HeraclitusStores
import PostgresStore
import SQLiteStore

/// A store, and what somebody without one would write for the same database.
struct Contestants {
    let store: any ArchiveStore
    let byHand: any ByHand

    /// The machines that count.
    var machines: StoredWorkflow<Counting> { store.workflow(Counting.self) }

    /// Opens both; `nil` for a database of another kind.
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

/// The same SQL without a store: one call for each unit of work, which blocks the thread of a queue.
///
/// It does what a store does with the columns that an index needs. It knows nothing of machines, and writes the archive that it has read.
protocol ByHand: Sendable {
    /// Loads the archive of an id, and saves it with the next revision; once more if others were faster.
    func unit(_ id: String) async throws

    /// Lists the ids of a workflow's machines in a state.
    func ids(of workflow: String, in state: String) async throws -> [String]
}

/// What an SQL statement by hand answers that it should not.
struct Unexpected: Error {
    let explanation: String
}

extension DispatchQueue {
    /// Does something that blocks, on the thread of this queue.
    func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            self.async { continuation.resume(with: Swift.Result(catching: body)) }
        }
    }
}
