import Heraclitus
public import HeraclitusEssentials

/// An error of a store.
@nonexhaustive
public enum StoreError: Error, Sendable {
    /// Another revision is stored than expected, because somebody has saved or deleted the machine meanwhile.
    ///
    /// Revision 0 means that nothing is stored.
    case conflict(id: String, expected: Int, found: Int)

    /// Other effects of the machine are stored than expected, because a worker or another save has changed them meanwhile.
    case effectsChanged(id: String)

    /// Each attempt of an update met a conflict.
    case tooManyConflicts(id: String, attempts: Int)

    /// The stored archive is damaged; the explanation says how.
    case damaged(id: String, explanation: String)

    /// The store cannot save several archives together.
    case noTransactions(ids: [String])

    /// The store's medium cannot distinguish two ids.
    case ambiguousID(String, taken: String)

    /// A unit of work was asked twice for an id, in ways that exclude each other: with two workflows, with a message after the machine was loaded, or after
    /// the machine was deleted.
    case repeatedID(String)

    /// Nothing is stored, and machines of the workflow begin with data of their own: let `creating` make it.
    case notStored(id: String)

    /// The machine has entered a state with effects outside of a unit of work, so nobody has collected them.
    ///
    /// To save it would lose them. Fire the machine in ``StoredWorkflow/update(_:attempts:creating:_:saved:)``, or in another unit of work. The state is
    /// the first such state.
    case uncollectedEffects(id: String, state: String)

    /// A machine was fired after its unit of work had ended, so nobody would save it.
    case unitEnded(id: String)

    /// A worker has no handler for effects of the workflow, so it takes none; the names of their types.
    case missingHandlers([String])
}

extension StoreError: CustomStringConvertible {
    /// A sentence with the id, and what is wrong.
    ///
    /// An id of more than 200 characters is shortened, and what another error says to 1,000. The payload has them whole.
    public var description: String {
        switch self {
        case .conflict(let id, let expected, 0):
            "Nothing is stored for \"\(id.shortened)\" any more; revision \(expected) was expected."
        case .conflict(let id, 0, let found):
            "An archive is stored for \"\(id.shortened)\" already, with revision \(found)."
        case .conflict(let id, let expected, let found):
            "The archive of \"\(id.shortened)\" has revision \(found); \(expected) was expected."
        case .effectsChanged(let id): "The effects of \"\(id.shortened)\" were changed by others meanwhile."
        case .tooManyConflicts(let id, let attempts):
            "The archive of \"\(id.shortened)\" was changed by others in each of \(attempts) attempts to update it."
        case .damaged(let id, let explanation):
            "The archive of \"\(id.shortened)\" is damaged: \(explanation.shortenedExplanation)"
        case .noTransactions(let ids):
            "The store cannot save \(ids.count) machines together, of \"\(ids.first?.shortened ?? "")\" and others. Save them one at a time."
        case .ambiguousID(let id, let taken):
            "The store cannot distinguish the id \"\(id.shortened)\" from \"\(taken.shortened)\", which is in use."
        case .repeatedID(let id):
            "The unit of work has \"\(id.shortened)\" already, as a machine of another workflow, without the message, or deleted."
        case .notStored(let id):
            "Nothing is stored for \"\(id.shortened)\", and its workflow has no initial object. Make the machine in `creating`."
        case .uncollectedEffects(let id, let state):
            "The machine of \"\(id.shortened)\" has entered \(state.shortened) outside of a unit of work, and its effects would be lost. "
                + "Fire the event in the closure of `update`, which saves the effects with the machine."
        case .unitEnded(let id):
            "The unit of work of \"\(id.shortened)\" has ended, so the machine would not be saved. Load it in a new unit of work."
        case .missingHandlers(let names):
            "There is no handler for \(names.map(\.shortened).joined(separator: ", ")). Add one with `on(_:policy:_:)`, or `others(_:)`."
        }
    }
}

extension StoreError: LocalizedError {
    /// What is wrong, and for which id.
    public var errorDescription: String? { description }
}
