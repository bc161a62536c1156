public import Heraclitus

/// The error of ``exercise(_:samples:covering:restartingAtEveryStep:firedByHooks:except:invariants:)``: what is wrong, and the shortest
/// way there.
public struct ExerciseFailure: Error {
    /// What is wrong.
    @nonexhaustive
    public enum Problem: Sendable {
        /// No sample makes some states, and they are not empty; or none makes them from the states that events to them leave.
        ///
        /// ``ExerciseFailure/code`` has the samples to write.
        case missingSamples(states: [String])

        /// A state comes back from an archive with other properties.
        case lostInArchive(LostInArchive)

        /// A machine could not be archived or restored.
        case notArchived(any Error)

        /// A hook has fired an event that it is not said to fire, and the machine went elsewhere.
        case strayed(event: String, to: String)

        /// What should always be true of a machine is not.
        case brokenInvariant(String)

        /// What was asked whether an invariant is true has thrown an error.
        case failedInvariant(String, underlyingError: any Error)

        /// The machine has rejected what its table allows, for another reason than a guard's.
        case rejected(InvalidTransition)
    }

    /// The name of the workflow.
    public let workflow: String

    /// What is wrong.
    public let problem: Problem

    /// The shortest way there that was found: without any step or loop of it, the problem did not show.
    public let path: TransitionPath?

    /// The way as code for a test, in which `samples` are those that were exercised with.
    public let code: String
}

extension ExerciseFailure.Problem: CustomStringConvertible {
    /// A sentence that says what is wrong.
    public var description: String {
        switch self {
        case .missingSamples(let states): "No sample makes \(states.joined(separator: ", "))."
        case .lostInArchive(let error): "\(error)."
        case .notArchived(let error): "The machine cannot be archived and restored: \(error)"
        case .strayed(let event, let state): "A hook has fired \"\(event)\", which led to \(state)."
        case .brokenInvariant(let name): "It is no longer true: \(name)."
        case .failedInvariant(let name, let error): "Nobody can say whether it is true: \(name). \(error)"
        case .rejected(let error): "\(error)"
        }
    }

    /// What makes it the same problem on another way.
    var identity: [String] {
        switch self {
        case .missingSamples(let states): ["samples"] + states
        case .lostInArchive(let error): ["lost", error.state]
        case .notArchived: ["archive"]
        case .strayed(let event, let state): ["strayed", event, state]
        case .brokenInvariant(let name), .failedInvariant(let name, _): ["invariant", name]
        case .rejected(let error): ["rejected", error.event ?? "", error.reason.rawValue]
        }
    }
}

extension ExerciseFailure: CustomStringConvertible {
    /// The problem, the way there, and the code.
    public var description: String {
        let way = path.map { "\n\($0)" } ?? ""
        return "\(workflow): \(problem)\(way)" + (code.isEmpty ? "" : "\n\n\(code)")
    }
}
