import Heraclitus
import HeraclitusEssentials

/// A change of a stored machine, of its effects, or of both.
///
/// A save of several changes stores either all or none.
public struct StoreChange: Sendable {
    /// The id of the machine.
    public let id: String

    /// The change of the machine.
    public let machine: MachineChange

    /// The change of the waiting effects; `nil` to keep them.
    public let effects: EffectsChange?

    /// A change of a machine.
    public enum MachineChange: Sendable {
        /// Keeps the machine and its revision.
        case keep

        /// Replaces the archive of the same revision; revision 0 is for a new machine.
        ///
        /// ``StoredArchive/effects`` are ignored.
        case save(StoredArchive)

        /// Deletes the machine with its effects.
        ///
        /// The expected revision is `nil` for any.
        case delete(expecting: Int?)
    }

    /// A replacement of loaded effects.
    public struct EffectsChange: Sendable {
        /// The loaded effects, which must still be stored unchanged.
        public let old: WaitingEffects?

        /// The new effects.
        public let new: WaitingEffects?

        /// Makes a change.
        /// - Parameters:
        ///   - old: The loaded effects.
        ///   - new: The new effects.
        public init(from old: WaitingEffects?, to new: WaitingEffects?) { (self.old, self.new) = (old, new) }
    }

    /// Saves a machine.
    /// - Parameters:
    ///   - archive: The archive. Its revision is the revision of the replaced archive, or 0 for a new machine.
    ///   - effects: The change of the waiting effects.
    /// - Returns: The change.
    public static func save(_ archive: StoredArchive, effects: EffectsChange? = nil) -> StoreChange {
        StoreChange(id: archive.id, machine: .save(archive), effects: effects)
    }

    /// Changes the effects of a machine, and keeps the machine.
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

    /// Applies the change to a row.
    ///
    /// A simple store needs only this to decide about a save.
    /// - Parameters:
    ///   - stored: The stored row; `nil` if there is none.
    ///   - last: The largest deleted revision. The revision of a new row is larger.
    /// - Returns: The row to store, with its new revision; `nil` to delete the row.
    /// - Throws: ``StoreError/conflict(id:expected:found:)``; ``StoreError/effectsChanged(id:)``;
    ///   ``StoreError/damaged(id:explanation:)`` if revisions are exhausted.
    public func applied(to stored: StoredArchive?, after last: Int) throws(StoreError) -> StoredArchive? {
        let found = stored?.revision ?? 0
        var row: StoredArchive
        switch machine {
        case .delete(let expected):
            if let expected, expected != found { throw .conflict(id: id, expected: expected, found: found) }
            return nil
        case .keep:
            // A deletion of the machine deletes its effects.
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
