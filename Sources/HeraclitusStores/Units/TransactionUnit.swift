public import Heraclitus
import HeraclitusEssentials

/// The machines that are changed in a transaction that the caller has begun.
///
/// ``StoreTransaction/unit(_:)`` makes it. Use it within the closure only.
public final class TransactionUnit {
    private let transaction: any StoreTransaction
    let contents = UnitContents()

    fileprivate init(_ transaction: any StoreTransaction) { self.transaction = transaction }

    /// Loads a machine of a workflow without a context, or makes it; asked again, it returns the same machine.
    /// - Parameters:
    ///   - id: The id.
    ///   - workflow: The workflow.
    ///   - create: Makes the machine if nothing is stored; by default one in its initial state.
    /// - Returns: The machine. It is passive: it arms no deadlines and begins no work.
    /// - Throws: `ArchiveError`; ``StoreError/repeatedID(_:)`` if the unit has the id with another workflow; errors of the store's medium.
    public func machine<W: Workflow>(
        _ id: String,
        of workflow: W.Type,
        creating create: (() throws -> StateMachine<W>)? = nil
    ) throws -> StateMachine<W> where W.Context == Void {
        try machine(id, of: StoredWorkflow<W>(InMemoryStore(), context: ()), creating: create)
    }

    /// Loads a machine, or makes it; asked again, it returns the same machine.
    /// - Parameters:
    ///   - id: The id.
    ///   - workflow: The workflow, with the machine's context and scheduler.
    ///   - create: Makes the machine if nothing is stored; by default one in its initial state.
    /// - Returns: The machine. It is passive: it arms no deadlines and begins no work.
    /// - Throws: `ArchiveError`; ``StoreError/repeatedID(_:)`` if the unit has the id with another workflow; errors of the store's medium.
    public func machine<W: Workflow>(
        _ id: String,
        of workflow: StoredWorkflow<W>,
        creating create: (() throws -> StateMachine<W>)? = nil
    ) throws -> StateMachine<W> {
        if let known = try contents.machine(id, of: W.self) { return known }
        return try contents.add(id, try transaction.load(id), of: workflow, once: nil, .last(1), creating: create)!
    }

    /// Loads a machine, or makes it, because of a message that the machine is to handle once.
    /// - Parameters:
    ///   - id: The id.
    ///   - workflow: The workflow, with the machine's context and scheduler.
    ///   - message: What identifies the message. The machine remembers it when the unit is saved.
    ///   - memory: How many messages the machine remembers, or for how long.
    ///   - create: Makes the machine if nothing is stored; by default one in its initial state.
    /// - Returns: The machine; `nil` if it has handled the message before.
    /// - Throws: As without a message; ``StoreError/repeatedID(_:)`` if the unit has the machine already.
    public func machine<W: Workflow>(
        _ id: String,
        of workflow: StoredWorkflow<W>,
        once message: String,
        remembering memory: MessageMemory = .last(100),
        creating create: (() throws -> StateMachine<W>)? = nil
    ) throws -> StateMachine<W>? {
        if try contents.machine(id, of: W.self) != nil { throw StoreError.repeatedID(id) }
        return try contents.add(id, try transaction.load(id), of: workflow, once: message, memory, creating: create)
    }

    /// Deletes a machine, with its effects, together with the other changes of the unit.
    /// - Parameter id: The id.
    /// - Returns: Whether there is such a machine.
    /// - Throws: Errors of the store's medium.
    @discardableResult
    public func delete(_ id: String) throws -> Bool {
        if contents.isDeleted(id) { return false }
        let member = contents.member(id)
        let stored = member == nil ? try transaction.load(id) : member?.stored
        // A machine that the unit has made is not saved then.
        if member != nil || stored != nil { contents.delete(id, stored) }
        return stored != nil
    }

    /// The transitions that a machine has made in the unit, in order.
    /// - Parameter id: The id of the machine.
    /// - Returns: The transitions; none of a machine that the unit has not loaded.
    public func transitions(of id: String) -> [StateTransition] { contents.transitions(of: id) }
}

extension StoreTransaction {
    /// Changes machines in the transaction: they are saved when the closure returns, and count when the caller commits.
    ///
    /// Databases whose transactions do not exclude one another may find a conflict. Then roll back, and begin the transaction again.
    /// - Parameter body: Loads and changes machines.
    /// - Returns: The value of `body`.
    /// - Throws: Errors of `body` and of the store's medium; ``StoreError/conflict(id:expected:found:)``; `ArchiveError`. Roll back then.
    public func unit<Result>(_ body: (TransactionUnit) throws -> Result) throws -> Result {
        let unit = TransactionUnit(self)
        defer { unit.contents.end() }
        let result = try body(unit)
        let changes = try unit.contents.changes()
        if !changes.isEmpty { _ = try save(changes) }
        unit.contents.noteSaved()
        return result
    }
}
