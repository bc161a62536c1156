import Heraclitus
import HeraclitusEssentials

/// A change of a stored machine, of its effects, or of both; several changes are saved all together or not at all.
public struct StoreChange: Sendable {
    /// The id of the machine.
    public let id: String

    /// What happens to the machine.
    public let machine: MachineChange

    /// What happens to the effects that wait; `nil` if they stay as they are.
    public let effects: EffectsChange?

    /// What happens to a machine.
    public enum MachineChange: Sendable {
        /// The machine stays as it is, with its revision.
        case keep

        /// The archive replaces the one with its revision, 0 for none; its ``StoredArchive/effects`` are ignored.
        case save(StoredArchive)

        /// The machine is deleted, with its effects; the revision to delete, `nil` for any.
        case delete(expecting: Int?)
    }

    /// Effects that replace those that were loaded.
    public struct EffectsChange: Sendable {
        /// The effects that were loaded; all of them must still be stored as they were.
        public let old: WaitingEffects?

        /// The effects that replace them.
        public let new: WaitingEffects?

        /// Makes a change.
        /// - Parameters:
        ///   - old: The effects that were loaded.
        ///   - new: The effects that replace them.
        public init(from old: WaitingEffects?, to new: WaitingEffects?) { (self.old, self.new) = (old, new) }
    }

    /// Saves a machine.
    /// - Parameters:
    ///   - archive: The archive; its revision is that of the archive to replace, 0 if nothing is stored yet.
    ///   - effects: The change of the effects that wait.
    /// - Returns: The change.
    public static func save(_ archive: StoredArchive, effects: EffectsChange? = nil) -> StoreChange {
        StoreChange(id: archive.id, machine: .save(archive), effects: effects)
    }

    /// Changes the effects of a machine, and keeps the machine as it is.
    /// - Parameters:
    ///   - id: The id of the machine.
    ///   - effects: The change.
    /// - Returns: The change.
    public static func effects(of id: String, _ effects: EffectsChange) -> StoreChange {
        StoreChange(id: id, machine: .keep, effects: effects)
    }

    /// Deletes a machine with its effects.
    /// - Parameters:
    ///   - id: The id.
    ///   - revision: The revision to delete; `nil` for any.
    /// - Returns: The change.
    public static func delete(_ id: String, expecting revision: Int?) -> StoreChange {
        StoreChange(id: id, machine: .delete(expecting: revision), effects: nil)
    }

    /// Applies the change to a row: all that a store without a database of its own has to decide.
    /// - Parameters:
    ///   - stored: The row that is stored; `nil` if there is none.
    ///   - last: The largest revision that was ever deleted, which a new row comes after.
    /// - Returns: The row to store, with its new revision; `nil` to delete it.
    /// - Throws: ``StoreError/conflict(id:expected:found:)``; ``StoreError/effectsChanged(id:)``;
    ///   ``StoreError/damaged(id:explanation:)`` if there is no next revision.
    public func applied(to stored: StoredArchive?, after last: Int) throws(StoreError) -> StoredArchive? {
        let found = stored?.revision ?? 0
        var row: StoredArchive
        switch machine {
        case .delete(let expected):
            if let expected, expected != found { throw .conflict(id: id, expected: expected, found: found) }
            return nil
        case .keep:
            // Effects of a machine that is gone are gone with it.
            guard let stored else { throw .effectsChanged(id: id) }
            row = stored
        case .save(let archive):
            guard archive.revision == found else {
                throw .conflict(id: id, expected: archive.revision, found: found)
            }
            let before = found == 0 ? last : found
            guard before < .max else {
                throw .damaged(id: id, explanation: "There is no revision after \(before).")
            }
            row = archive
            row.revision = before + 1
            row.effects = stored?.effects
        }
        if let effects {
            guard row.effects == effects.old else { throw .effectsChanged(id: id) }
            row.effects = effects.new
        }
        return row
    }
}
