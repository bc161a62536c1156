import Foundation
import Heraclitus
import HeraclitusStores

extension ArchiveStore {
    /// Saves a machine, without a context for its workflow.
    @discardableResult
    func save<W: Workflow>(_ machine: StateMachine<W>, as id: String, expecting revision: Int) async throws -> Int {
        try await workflow(W.self).save(machine, as: id, expecting: revision)
    }

    /// Finds machines by a query.
    func ids(where change: (inout ArchiveQuery) -> Void) async throws -> [String] {
        var query = ArchiveQuery()
        change(&query)
        return try await ids(query)
    }

    /// Finds due machines.
    func ids(dueBy date: Date) async throws -> [String] { try await ids { $0.queue = .due(by: date) } }
}

extension StoredArchive {
    /// A copy with other bytes, or with another state or deadline.
    func with(
        archive: String? = nil,
        state: String? = nil,
        due: Date?? = nil,
        version: Int?? = nil,
        revision: Int? = nil,
        workflow: String? = nil
    ) -> StoredArchive {
        var row = self
        if let archive { row.archive = Data(archive.utf8) }
        row.state = state ?? row.state
        row.due = due ?? row.due
        row.version = version ?? row.version
        row.revision = revision ?? row.revision
        row.workflow = workflow ?? row.workflow
        return row
    }
}

extension WaitingEffects {
    /// A copy with a replaced text.
    func replacing(_ text: String, with other: String) -> WaitingEffects {
        var effects = self
        effects.content = Data(String(decoding: content, as: UTF8.self).replacing(text, with: other).utf8)
        return effects
    }
}

extension ArchiveStore {
    /// Replaces a text in the waiting effects.
    func replaceInEffects(of id: String, _ text: String, with other: String) async throws {
        let old = try await load(id)?.effects
        try await save([.effects(of: id, (old, old?.replacing(text, with: other)))])
    }
}
