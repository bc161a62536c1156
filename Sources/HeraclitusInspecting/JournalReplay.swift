public import Heraclitus
public import HeraclitusEssentials

/// A line of a journal that today's definition of the workflow forbids.
public struct JournalMisfit: Error, Sendable {
    /// The number of the line.
    public let line: Int

    /// The occurrence in the line.
    public let occurrence: Occurrence

    /// The error that today's machine would throw.
    public let error: InvalidTransition
}

extension JournalMisfit: CustomStringConvertible, LocalizedError {
    /// The line, and the error.
    public var description: String { "line \(line): \(error)" }

    /// The same text as `description`.
    public var errorDescription: String? { description }
}

extension Journal {
    /// Runs a journal through today's definition of a workflow, by its table alone.
    ///
    /// Each event has to lead from the destination of the line before to the destination of its own line. The replay begins anew at the source of a
    /// line where revisions show a gap, and where the version of the workflow changes, because a migration may have changed the state. Lines of
    /// rejected and ignored fires are left out, and so are actions. Guards and hooks stay silent, because a journal omits the states' data.
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

    /// Runs the journal through today's definition of a workflow, as `replay(_:as:)` does, and goes on after each misfit.
    /// - Parameter workflow: The workflow.
    /// - Returns: All lines that do not fit.
    public func misfits<W: Workflow>(as workflow: W.Type) -> [JournalMisfit] {
        var replay = Replay(by: TransitionValidator<W>())
        return zip(firstLine..., self).compactMap { line, occurrence in replay.misfit(of: occurrence, in: line) }
    }
}

/// A run of a journal through a definition.
private struct Replay<W: Workflow> {
    private let validator: TransitionValidator<W>

    /// The destination of the last transition, with the revision and the version of its line.
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
