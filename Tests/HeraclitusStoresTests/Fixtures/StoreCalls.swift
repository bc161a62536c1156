import Heraclitus
import HeraclitusStores

// What tests say of stores in fewer words.

extension ArchiveQuery {
    init(_ change: (inout ArchiveQuery) -> Void) {
        self.init()
        change(&self)
    }
}

extension ArchiveStore {
    /// Saves several archives, or none of them.
    @discardableResult
    func save(together archives: [StoredArchive]) async throws -> [Int] { try await save(archives.map { .save($0) }) }
}

extension StoredArchive {
    /// A row of a machine that nobody looks for.
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
