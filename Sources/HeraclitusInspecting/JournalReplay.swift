public import Heraclitus

extension Collection<Occurrence> {
    /// Runs the journal through today's definition of a workflow, by its table alone, and goes on after each misfit.
    ///
    /// Each event has to lead from the destination of the line before to the destination of its own line. The replay begins anew at the source of a
    /// line where revisions show a gap, and where the version of the workflow changes, because a migration may have changed the state. Lines of
    /// rejected and ignored fires are left out, and so are actions. Guards and hooks stay silent, because a journal omits the states' data.
    ///
    /// Lines of an older version of the workflow have the names of their time. They are read with the names that
    /// `Migration.state(_:becomes:in:data:)` has given to their states since.
    ///
    /// ```swift
    /// if let misfit = order.journal.misfits(by: TransitionValidator<Order>()).first { throw misfit.error }
    /// ```
    /// - Parameter validator: The validator of the workflow, also of a workflow of data.
    /// - Returns: The number of each line that does not fit, with its occurrence and the error of today's machine.
    public func misfits<W: Workflow>(
        by validator: TransitionValidator<W>
    ) -> [(line: Int, occurrence: Occurrence, error: InvalidTransition)] {
        // The destination of the last transition, with the revision and the version of its line.
        var last: (state: String, revision: Int, version: Int)?
        var misfits: [(line: Int, occurrence: Occurrence, error: InvalidTransition)] = []
        for (line, occurrence) in zip(lineNumbers, self) {
            guard occurrence.kind == .transitioned, occurrence.path == nil else { continue }
            let names = validator.definition.namesToday(of: occurrence)
            let follows =
                last.map { ($0.revision &+ 1, $0.version) == (occurrence.revision, occurrence.version) } ?? false
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
            } catch {
                misfits.append((line, occurrence, error))
            }
        }
        return misfits
    }
}
