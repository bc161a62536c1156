public import Heraclitus
import HeraclitusEssentials

/// The machines changed in a transaction that the caller has begun.
///
/// ``StoreTransaction/unit(_:)`` makes it. Use it within the closure only.
public final class TransactionUnit {
    private let transaction: any StoreTransaction
    let contents = UnitContents()

    fileprivate init(_ transaction: any StoreTransaction) { self.transaction = transaction }

    /// Loads or makes a machine.
    ///
    /// A second call returns the same machine.
    /// - Parameters:
    ///   - id: The id.
    ///   - workflow: The workflow, with the machine's context and scheduler.
    ///   - create: Makes a machine for an unknown id; by default in its initial state.
    /// - Returns: The machine. It is passive: its deadlines and its work stay off.
    /// - Throws: `ArchiveError`; ``StoreError/repeatedID(_:)`` if the unit has the id with another workflow; errors of the store's medium.
    public func machine<W: Workflow>(
        _ id: String,
        of workflow: StoredWorkflow<W>,
        creating create: (() throws -> StateMachine<W>)? = nil
    ) throws -> StateMachine<W> {
        if let known = try contents.machine(id, of: W.self) { return known }
        return try contents.add(id, try transaction.load(id), of: workflow, once: nil, .last(1), creating: create)!
    }

    /// Loads or makes a machine to handle a message once.
    /// - Parameters:
    ///   - id: The id.
    ///   - workflow: The workflow, with the machine's context and scheduler.
    ///   - message: The id of the message. Saving the unit records it in the machine.
    ///   - memory: The number or the period of messages to remember.
    ///   - create: Makes a machine for an unknown id; by default in its initial state.
    /// - Returns: The machine; `nil` if it has handled the message before.
    /// - Throws: The errors of loading without a message; ``StoreError/repeatedID(_:)`` if the unit has the machine
    ///   already.
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

    /// Deletes a machine and its effects together with the other changes of the unit.
    /// - Parameter id: The id.
    /// - Returns: Whether the machine was stored.
    /// - Throws: ``StoreError/unitEnded(id:)``; errors of the store's medium.
    @discardableResult
    public func delete(_ id: String) throws -> Bool {
        if try contents.deletes(id) { return false }
        return try contents.delete(id, contents.member(id) == nil ? transaction.load(id) : nil)
    }

    /// The transitions of a machine in the unit, in order.
    /// - Parameter id: The id of the machine.
    /// - Returns: The transitions; empty for a machine that the unit has not loaded.
    public func transitions(of id: String) -> [StateTransition] { contents.transitions(of: id) }
}

extension StoreTransaction {
    /// Changes machines in the transaction: saves them when the closure returns.
    ///
    /// The caller's commit makes the changes final.
    ///
    /// Databases with concurrent transactions may find a conflict. In that case roll back, and begin the transaction
    /// again.
    /// - Parameter body: Loads and changes machines.
    /// - Returns: The value of `body`.
    /// - Throws: Errors of `body` and of the store's medium; ``StoreError/conflict(id:expected:found:)``;
    ///   ``StoreError/effectsChanged(id:)``; `ArchiveError`. Roll back on errors.
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
