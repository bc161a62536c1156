import Heraclitus
import HeraclitusStores

// Short forms of store calls for tests.

extension ArchiveQuery {
    init(_ change: (inout ArchiveQuery) -> Void) {
        self.init()
        change(&self)
    }
}

extension ArchiveStore {
    /// Saves several archives in one transaction.
    @discardableResult
    func save(together archives: [StoredArchive]) async throws -> [Int] { try await save(archives.map { .save($0) }) }
}

extension StoredArchive {
    /// A row of a machine, without columns for searches.
    init<W: Workflow>(_ machine: StateMachine<W>, id: String, replacing stored: StoredArchive? = nil) throws {
        self.init(
            id: id,
            revision: stored?.revision ?? 0,
            workflow: W.name,
            version: W.version,
            state: "",
            archive: try machine.archive()
        )
    }
}
