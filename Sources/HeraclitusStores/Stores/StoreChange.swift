import Heraclitus
import HeraclitusEssentials

/// A change of a stored machine, of its effects, or of both.
///
/// A save of several changes stores either all or none.
public enum StoreChange: Sendable {
    /// Saves a machine, and changes its waiting effects; `nil` keeps them. The old effects must still be stored.
    ///
    /// The revision of the archive is the revision of the replaced archive, or 0 for a new machine. The archive's own
    /// ``StoredArchive/effects`` are ignored.
    case save(StoredArchive, effects: (old: WaitingEffects?, new: WaitingEffects?)? = nil)

    /// Changes the waiting effects of a machine, and keeps the machine and its revision. The old effects must still be
    /// stored.
    case effects(of: String, (old: WaitingEffects?, new: WaitingEffects?))

    /// Deletes a machine with its effects.
    ///
    /// The expected revision is `nil` for any.
    case delete(String, expecting: Int?)

    /// The id of the machine.
    public var id: String {
        switch self {
        case .save(let archive, _): archive.id
        case .effects(let id, _), .delete(let id, _): id
        }
    }

    /// The change of the waiting effects; `nil` to keep them.
    public var effects: (old: WaitingEffects?, new: WaitingEffects?)? {
        switch self {
        case .save(_, let effects): effects
        case .effects(_, let effects): effects
        case .delete: nil
        }
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
        switch self {
        case .delete(_, let expected):
            if let expected, expected != found { throw .conflict(id: id, expected: expected, found: found) }
            return nil
        case .effects:
            // A deletion of the machine deletes its effects.
            guard let stored else { throw .effectsChanged(id: id) }
            row = stored
        case .save(let archive, _):
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
