public import Heraclitus
public import HeraclitusEssentials

/// A line of a journal that today's definition of the workflow does not allow.
public struct JournalMisfit: Error, Sendable {
    /// The number of the line.
    public let line: Int

    /// What has happened.
    public let occurrence: Occurrence

    /// What a machine would say to it today.
    public let error: InvalidTransition
}

extension JournalMisfit: CustomStringConvertible, LocalizedError {
    /// The line, and why it does not fit.
    public var description: String { "line \(line): \(error)" }

    /// The same.
    public var errorDescription: String? { description }
}

extension Journal {
    /// Runs a journal through today's definition of a workflow, by its table alone.
    ///
    /// It follows the transitions from the source of the first: each event has to lead from the state in which the one before has ended
    /// to the state that was entered. Where lines are missing, as their revisions say, it goes on from the source of the next; so it
    /// does where the version of the workflow changes, because a migration may have changed the state. What was
    /// rejected, ignored or is no fire is left out. No guard and no hook runs, because a journal does not have the states' data.
    ///
    /// Lines of an older version of the workflow have the names of their time. They are read with the names that
    /// `Migration.renameState(_:to:in:)` and `Migration.removeState(_:into:in:data:)` have given to their states since.
    /// - Parameters:
    ///   - journal: The journal, of a machine or of a file.
    ///   - workflow: The workflow.
    /// - Throws: The first line that does not fit, with the `InvalidTransition`.
    public static func replay<W: Workflow>(_ journal: Journal, as workflow: W.Type) throws(JournalMisfit) {
        var replay = Replay(by: TransitionValidator<W>())
        if let misfit = replay.firstMisfit(in: journal) { throw misfit }
    }

    /// Runs a journal through a workflow of data, by its table alone.
    /// - Parameters:
    ///   - journal: The journal, of a machine or of a file.
    ///   - workflow: The workflow.
    /// - Throws: The first line that does not fit, with the `InvalidTransition`.
    public static func replay(_ journal: Journal, as workflow: DataWorkflow) throws(JournalMisfit) {
        var replay = Replay(by: TransitionValidator(workflow))
        if let misfit = replay.firstMisfit(in: journal) { throw misfit }
    }

    /// Runs the journal through today's definition of a workflow, as ``replay(_:as:)`` does, and goes on after each misfit.
    /// - Parameter workflow: The workflow.
    /// - Returns: All lines that do not fit.
    public func misfits<W: Workflow>(as workflow: W.Type) -> [JournalMisfit] {
        var replay = Replay(by: TransitionValidator<W>())
        return zip(firstLine..., self).compactMap { line, occurrence in replay.misfit(of: occurrence, in: line) }
    }
}

/// How far a journal was run through a definition.
private struct Replay<W: Workflow> {
    private let validator: TransitionValidator<W>

    /// Where the last transition has led, and the machine's revision and the version of the workflow then.
    private var last: (state: String, revision: Int, version: Int)?

    init(by validator: TransitionValidator<W>) { self.validator = validator }

    /// The first line of a journal that does not fit.
    mutating func firstMisfit(in journal: Journal) -> JournalMisfit? {
        for (line, occurrence) in zip(journal.firstLine..., journal) {
            if let misfit = misfit(of: occurrence, in: line) { return misfit }
        }
        return nil
    }

    mutating func misfit(of occurrence: Occurrence, in line: Int) -> JournalMisfit? {
        guard occurrence.kind == .transitioned, occurrence.path == nil else { return nil }
        let names = validator.namesToday(of: occurrence)
        let follows = last.map { ($0.revision &+ 1, $0.version) == (occurrence.revision, occurrence.version) } ?? false
        let source = follows ? last?.state ?? names.source : names.source
        let destination = names.destination ?? ""
        last = (destination, occurrence.revision, occurrence.version)
        do throws(InvalidTransition) {
            try validator.validateTransition(
                named: occurrence.event ?? "",
                from: source,
                to: destination,
                userInfo: occurrence.userInfo
            )
            return nil
        } catch {
            return JournalMisfit(line: line, occurrence: occurrence, error: error)
        }
    }
}
