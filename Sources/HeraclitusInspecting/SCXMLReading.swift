public import Heraclitus
public import HeraclitusEssentials

extension TransitionTable {
    /// Reads a document in SCXML, the interchange format of the W3C for state machines.
    ///
    /// A table has states within states, final states, initial states, and transitions for events. Inner states inherit the transitions of the states
    /// around them, unless a nearer state has a transition for the same event. A transition to an outer state leads to its initial inner state. A
    /// transition without a target is an update, as ``DiagramFormat/scxml`` has it. The reader refuses elements that a table lacks, with their names and lines:
    /// parallel states, history, conditions, data, scripts, invocations and executable content. It skips attributes of other namespaces.
    /// Names that ``DiagramFormat/scxml`` encodes are decoded, such as `a_x0020_b` for `a b`, and other names stay as they are. An event `go.B` to
    /// `B` is `go` with several destinations, unless a state has only one such transition.
    ///
    /// The final states of the table follow from its events: no event leaves them, and a machine enters them. A `final` element alone makes no
    /// final state.
    ///
    /// Reading takes time and memory linear in the document and in the transitions of the table.
    /// - Parameters:
    ///   - document: The document in UTF-8.
    ///   - version: The workflow's version, which SCXML omits.
    ///   - limit: The largest size of the document in bytes, by default 64 MiB.
    /// - Throws: `ArchiveError`: `tooLarge`; `malformed` with the lines of all problems, 100 at most.
    public init(scxml document: Data, version: Int = 1, limit: Int = 64 << 20) throws(ArchiveError) {
        guard document.count <= limit else { throw .tooLarge(document.count, limit: limit) }
        var states = SCXMLStates()
        try states.read([UInt8](document))
        self = try states.table(version: version)
    }
}
