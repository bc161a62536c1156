import Foundation
import Heraclitus
import HeraclitusStores

extension ArchiveStore {
    /// Saves a machine of a workflow without a context.
    @discardableResult
    func save<W: Workflow>(_ machine: StateMachine<W>, as id: String, expecting revision: Int) async throws -> Int
    where W.Context == Void {
        try await workflow(W.self).save(machine, as: id, expecting: revision)
    }

    /// Finds machines with some properties.
    func ids(where change: (inout ArchiveQuery) -> Void) async throws -> [String] {
        var query = ArchiveQuery()
        change(&query)
        return try await ids(query)
    }

    /// Finds the machines that are due.
    func ids(dueBy date: Date) async throws -> [String] { try await ids { $0.queue = .due(by: date) } }
}

extension StoredArchive {
    /// The same with other bytes, or with another state or deadline.
    func with(
        archive: String? = nil,
        state: String? = nil,
        due: Date?? = nil,
        version: Int?? = nil,
        revision: Int? = nil,
        workflow: String? = nil
    ) -> StoredArchive {
        StoredArchive(
            id: id,
            revision: revision ?? self.revision,
            workflow: workflow ?? self.workflow,
            version: version ?? self.version,
            state: state ?? self.state,
            entered: entered,
            due: due ?? self.due,
            values: values,
            archive: archive.map { Data($0.utf8) } ?? self.archive,
            handled: handled,
            effects: effects
        )
    }
}

extension WaitingEffects {
    /// The same with other text.
    func replacing(_ text: String, with other: String) -> WaitingEffects {
        let content = String(decoding: content, as: UTF8.self).replacing(text, with: other)
        return WaitingEffects(content: Data(content.utf8), next: next, date: date, worker: worker)
    }
}

extension ArchiveStore {
    /// Replaces some text of the effects that wait.
    func replaceInEffects(of id: String, _ text: String, with other: String) async throws {
        let old = try await load(id)?.effects
        try await save([.effects(of: id, .init(from: old, to: old?.replacing(text, with: other)))])
    }
}
