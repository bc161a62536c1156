public import Heraclitus

/// The error of ``exercise(_:context:samples:covering:restartingAtEveryStep:firedByHooks:except:invariants:)``: a
/// problem and a path to it, shortened to the steps that it needs.
public struct ExerciseFailure: Error {
    /// The kind of problem.
    @nonexhaustive
    public enum Problem: Sendable {
        /// States lack a sample: they need data, or each sample fails to make them from the states that their events
        /// leave.
        ///
        /// ``ExerciseFailure/code`` has the samples to write.
        case missingSamples(states: [String])

        /// The workflow needs a `context:`.
        case missingContext

        /// An archive changes a property of a state.
        case lostInArchive(LostInArchive)

        /// Archiving or restoring a machine has failed.
        case notArchived(any Error)

        /// A hook has fired an event that is missing from `firedByHooks`.
        case strayed(event: String, to: String)

        /// The invariant of this name is false.
        case brokenInvariant(String)

        /// The closure of the invariant has thrown an error.
        case failedInvariant(String, underlyingError: any Error)

        /// The machine has rejected an event that its table allows, for another reason than a guard.
        case rejected(InvalidTransition)
    }

    /// The name of the workflow.
    public let workflow: String

    /// The kind of problem.
    public let problem: Problem

    /// The shortened path: the problem is hidden if a further step or loop is removed from it.
    ///
    /// It has the steps of the machine itself. ``code`` also has the steps of machines in its states.
    public let path: TransitionPath?

    /// The path as code for a test.
    ///
    /// Its `samples` are the list given to the exercise.
    public let code: String
}

extension ExerciseFailure.Problem: CustomStringConvertible {
    /// A sentence about the problem.
    public var description: String {
        switch self {
        case .missingSamples(let states): "No sample makes \(states.joined(separator: ", "))."
        case .missingContext: "The workflow needs a context: pass `context:`."
        case .lostInArchive(let error): "\(error)."
        case .notArchived(let error): "The machine cannot be archived and restored: \(error)"
        case .strayed(let event, let state): "A hook has fired \"\(event)\", which led to \(state)."
        case .brokenInvariant(let name): "It is no longer true: \(name)."
        case .failedInvariant(let name, let error): "The check of an invariant has failed: \(name). \(error)"
        case .rejected(let error): "\(error)"
        }
    }

    /// A key that is equal for the same problem on another path.
    var identity: String {
        switch self {
        case .missingSamples, .missingContext, .strayed, .brokenInvariant: description
        case .lostInArchive(let error): "lost \(error.state)"
        case .notArchived: "not archived"
        case .failedInvariant(let name, _): Self.brokenInvariant(name).description
        case .rejected(let error): "rejected \(error.event ?? "") \(error.reason.rawValue)"
        }
    }
}

extension ExerciseFailure: CustomStringConvertible {
    /// The problem, the path and the code.
    public var description: String {
        let way = path.map { "\n\($0)" } ?? ""
        return "\(workflow): \(problem)\(way)" + (code.isEmpty ? "" : "\n\n\(code)")
    }
}
