public import Heraclitus
import HeraclitusEssentials

/// An error of a store.
@nonexhaustive
public enum StoreError: Error, Sendable {
    /// Another revision is stored than expected, because the machine was saved or deleted after it was loaded.
    ///
    /// Revision 0 stands for a missing archive.
    case conflict(id: String, expected: Int, found: Int)

    /// Other effects are stored than expected, because a worker or a save has changed them.
    case effectsChanged(id: String)

    /// Each attempt of an update met a conflict.
    case tooManyConflicts(id: String, attempts: Int)

    /// The stored archive is damaged; the explanation has details.
    case damaged(id: String, explanation: String)

    /// The store lacks transactions, so it cannot save several archives together.
    case noTransactions(ids: [String])

    /// The store's medium cannot distinguish two ids.
    case ambiguousID(String, taken: String)

    /// A unit of work got contradictory requests for an id: two workflows, a message after the machine was loaded, or a
    /// deleted machine.
    case repeatedID(String)

    /// No archive is stored, and the workflow's initial state needs data.
    ///
    /// Make the machine in `creating`.
    case notStored(id: String)

    /// The machine has entered a state with effects outside a unit of work, so the effects are lost.
    ///
    /// Fire the machine in ``StoredWorkflow/update(_:attempts:creating:_:saved:)``, or in another unit of work. The
    /// error has the first such state.
    case uncollectedEffects(id: String, state: String)

    /// A machine was fired, or a unit of work asked, after the unit had ended.
    case unitEnded(id: String)

    /// Handlers are missing for these types of effects of the workflow, so the worker claims none.
    case missingHandlers([String])
}

extension StoreError: DescribedError {
    /// A sentence with the id and the problem.
    ///
    /// Ids are shortened to 200 characters, and texts of other errors to 1,000. The payload has both in full.
    public var description: String {
        switch self {
        case .conflict(let id, let expected, 0):
            "The archive of \"\(id.shortened)\" is missing; revision \(expected) was expected."
        case .conflict(let id, 0, let found):
            "An archive is stored for \"\(id.shortened)\" already, with revision \(found)."
        case .conflict(let id, let expected, let found):
            "The archive of \"\(id.shortened)\" has revision \(found); \(expected) was expected."
        case .effectsChanged(let id): "The effects of \"\(id.shortened)\" have changed since they were loaded."
        case .tooManyConflicts(let id, let attempts):
            "All \(attempts) attempts to update \"\(id.shortened)\" met conflicts."
        case .damaged(let id, let explanation):
            "The archive of \"\(id.shortened)\" is damaged: \(explanation.shortenedExplanation)"
        case .noTransactions(let ids):
            "The store lacks transactions: it cannot save \"\(ids.first?.shortened ?? "")\" together with \(ids.count - 1) more. "
                + "Save them one at a time."
        case .ambiguousID(let id, let taken):
            "The store cannot distinguish the id \"\(id.shortened)\" from \"\(taken.shortened)\", which is in use."
        case .repeatedID(let id):
            "The unit of work already uses \"\(id.shortened)\" for another workflow, without the message, or deleted."
        case .notStored(let id):
            "Nothing is stored for \"\(id.shortened)\", and its workflow has no initial object. Make the machine in `creating`."
        case .uncollectedEffects(let id, let state):
            "The machine of \"\(id.shortened)\" has entered \(state.shortened) outside of a unit of work, and its effects would be lost. "
                + "Fire the event in the closure of `update`, which saves the effects with the machine."
        case .unitEnded(let id):
            "The unit of work of \"\(id.shortened)\" has ended. Load the machine in a new unit of work."
        case .missingHandlers(let names):
            "Handlers are missing for \(names.map(\.shortened).joined(separator: ", ")). Add them with `on(_:policy:_:)` or `others(_:)`."
        }
    }
}
