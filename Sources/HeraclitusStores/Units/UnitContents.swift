import Heraclitus
import HeraclitusEssentials

/// The machines that a unit of work has loaded, in order.
final class UnitContents: Sendable {
    private struct Contents {
        var members: [any UnitMember] = []

        /// The place of each machine in the list.
        var places: [ExactID: Int] = [:]
        var deletions: [(id: String, revision: Int?)] = []
        var deleted: Set<ExactID> = []
        var isEnded = false

        func member(_ id: ExactID) -> (any UnitMember)? { places[id].map { members[$0] } }
    }

    private let contents = Lock(Contents())

    var members: [any UnitMember] { contents.withLock { $0.members } }

    private var deletions: [(id: String, revision: Int?)] { contents.withLock { $0.deletions } }

    /// The id of the first machine, for errors.
    var firstID: String { members.first?.id ?? deletions.first?.id ?? "" }

    /// The machine that the unit already has for an id.
    /// - Throws: ``StoreError/repeatedID(_:)`` for another workflow or a deleted machine;
    ///   ``StoreError/unitEnded(id:)``.
    func machine<W: Workflow>(_ id: String, of workflow: W.Type) throws(StoreError) -> StateMachine<W>? {
        if try deletes(id) { throw .repeatedID(id) }
        guard let member = member(id) else { return nil }
        guard let machine = member.anyMachine as? StateMachine<W> else { throw .repeatedID(id) }
        return machine
    }

    func member(_ id: String) -> (any UnitMember)? { contents.withLock { $0.member(ExactID(id)) } }

    /// Adds a machine.
    /// - Returns: The machine; `nil` if it has handled the message before.
    func add<W: Workflow>(
        _ id: String,
        _ stored: StoredArchive?,
        of workflow: StoredWorkflow<W>,
        once message: String?,
        _ memory: MessageMemory,
        creating create: (() throws -> StateMachine<W>)?
    ) throws -> StateMachine<W>? {
        var handled: Data?
        if let message {
            let messages = try HandledMessages(stored?.handled, of: id)
            let now = workflow.scheduler.date
            if messages.contains(message, memory, at: now) { return nil }
            handled = try messages.adding(message, memory, at: now)
        }
        let member = try MachineInUnit(id, stored, of: workflow, handled: handled, creating: create)
        var isAdded = false
        defer { if !isAdded { member.close() } }
        let known: (any UnitMember)? = try contents.withLock { contents throws(StoreError) in
            let key = ExactID(id)
            if contents.isEnded { throw .unitEnded(id: id) }
            if contents.deleted.contains(key) { throw .repeatedID(id) }
            if let known = contents.member(key) { return known }
            contents.places[key] = contents.members.count
            contents.members.append(member)
            return nil
        }
        guard let known else {
            isAdded = true
            return member.machine
        }
        // Two tasks of the unit have loaded the machine at once.
        guard message == nil, let machine = known.anyMachine as? StateMachine<W> else {
            throw StoreError.repeatedID(id)
        }
        return machine
    }

    /// Deletes a machine when the unit is saved.
    /// - Parameters:
    ///   - id: The id.
    ///   - loaded: The stored row; `nil` without one, or if the unit has the machine.
    /// - Returns: Whether the machine was stored; `false` also if another task of the unit has deleted it since.
    /// - Throws: ``StoreError/unitEnded(id:)``.
    func delete(_ id: String, _ loaded: StoredArchive?) throws(StoreError) -> Bool {
        try contents.withLock { contents throws(StoreError) in
            if contents.isEnded { throw .unitEnded(id: id) }
            let member = contents.member(ExactID(id))
            let stored = member?.stored ?? loaded
            guard member != nil || stored != nil else { return false }
            guard contents.deleted.insert(ExactID(id)).inserted else { return false }
            // A machine made in the unit has no revision, and stays unsaved.
            contents.deletions.append((id, stored?.revision))
            return stored != nil
        }
    }

    /// Whether the unit deletes a machine.
    /// - Throws: ``StoreError/unitEnded(id:)``.
    func deletes(_ id: String) throws(StoreError) -> Bool {
        if contents.withLock({ $0.isEnded }) { throw .unitEnded(id: id) }
        return isDeleted(id)
    }

    private func isDeleted(_ id: String) -> Bool { contents.withLock { $0.deleted.contains(ExactID(id)) } }

    /// Ends the unit, and returns the changes to save; empty if the unit has changed nothing.
    func changes() throws -> [StoreChange] {
        close()
        var changes: [StoreChange] = []
        var isChange = deletions.contains { $0.revision != nil }
        for member in members where !isDeleted(member.id) {
            let (row, isOther) = try member.row()
            changes.append(.save(row, effects: try member.effectsChange(from: member.stored?.effects)))
            isChange = isChange || isOther
        }
        // Unchanged machines are saved, too: their revisions guard the data on which the changes are based.
        return isChange
            ? changes + deletions.compactMap { id, revision in revision.map { .delete(id, expecting: $0) } } : []
    }

    /// The changes after another save has changed the effects of a machine.
    func changes(_ changes: [StoreChange], replacing effects: WaitingEffects?, of id: String) throws -> [StoreChange] {
        try changes.map { change in
            guard case .save(let row, _) = change, ExactID(row.id) == ExactID(id), let member = member(id) else {
                return change
            }
            return .save(row, effects: try member.effectsChange(from: effects))
        }
    }

    func noteSaved() { for member in members { member.noteSaved() } }

    /// Ends the unit, also if nothing was saved.
    func end() {
        close()
        for member in members { member.noteUnsaved() }
    }

    private func close() {
        let isFirst = contents.withLock { contents in
            defer { contents.isEnded = true }
            return !contents.isEnded
        }
        if isFirst { for member in members { member.close() } }
    }

    func transitions(of id: String) -> [StateTransition] { member(id)?.transitions ?? [] }
}
