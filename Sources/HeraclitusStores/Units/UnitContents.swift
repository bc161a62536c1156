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
        let (known, isEnded, isDeleted) = contents.withLock { contents in
            let key = ExactID(id)
            let (known, isDeleted) = (contents.member(key), contents.deleted.contains(key))
            if known == nil, !contents.isEnded, !isDeleted {
                contents.places[key] = contents.members.count
                contents.members.append(member)
            }
            return (known, contents.isEnded, isDeleted)
        }
        if known == nil, !isEnded, !isDeleted { return member.machine }
        // Two tasks of the unit have loaded or deleted the machine at once, or the unit has ended since.
        member.close()
        if isDeleted, !isEnded { throw StoreError.repeatedID(id) }
        guard let known else { throw StoreError.unitEnded(id: id) }
        guard message == nil, let machine = known.anyMachine as? StateMachine<W> else {
            throw StoreError.repeatedID(id)
        }
        return machine
    }

    /// Deletes a machine when the unit is saved.
    /// - Returns: `false` if another task of the unit has deleted it since.
    /// - Throws: ``StoreError/unitEnded(id:)``.
    func delete(_ id: String, _ stored: StoredArchive?) throws(StoreError) -> Bool {
        let (isEnded, isFirst) = contents.withLock { contents in
            if contents.isEnded { return (true, false) }
            let isFirst = contents.deleted.insert(ExactID(id)).inserted
            if isFirst { contents.deletions.append((id, stored?.revision)) }
            return (false, isFirst)
        }
        if isEnded { throw .unitEnded(id: id) }
        return isFirst
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
            let changed = try member.change()
            changes.append(changed.change)
            isChange = isChange || changed.isChange
        }
        // Unchanged machines are saved, too: their revisions guard the data on which the changes are based.
        return isChange
            ? changes + deletions.compactMap { id, revision in revision.map { .delete(id, expecting: $0) } } : []
    }

    /// The changes after another save has changed the effects of a machine.
    func changes(_ changes: [StoreChange], replacing effects: WaitingEffects?, of id: String) throws -> [StoreChange] {
        try changes.map { change in
            guard ExactID(change.id) == ExactID(id), let member = member(id) else { return change }
            return try member.change(replacing: effects)
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
