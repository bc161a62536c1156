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
    /// - Throws: ``UnreadableSCXML`` with all problems.
    public init(scxml document: Data, version: Int = 1, limit: Int = 64 << 20) throws(UnreadableSCXML) {
        guard document.count <= limit else {
            throw UnreadableSCXML([.init(line: 1, name: "scxml", explanation: "It has more than \(limit) bytes.")])
        }
        var states = SCXMLStates()
        try states.read([UInt8](document))
        self = try states.table(version: version)
    }

    /// Reads a document in SCXML from a text.
    package init(scxml document: String, version: Int = 1) throws(UnreadableSCXML) {
        try self.init(scxml: Data(document.utf8), version: version, limit: .max)
    }
}

/// The error of a document in SCXML that is broken, or has elements that a table lacks.
public struct UnreadableSCXML: Error, Hashable, Sendable {
    /// A problem of a document.
    public struct Problem: Hashable, Sendable {
        /// The line, from 1.
        public let line: Int

        /// The name of the element or the attribute, or the id of the state.
        public let name: String

        /// The explanation of the problem.
        public let explanation: String
    }

    /// The problems in the order of the document; 100 at most.
    public let problems: [Problem]

    init(_ problems: [Problem]) { self.problems = problems }
}

extension UnreadableSCXML: DescribedError {
    /// The first twenty problems with their lines.
    public var description: String {
        "This SCXML cannot be read as a table:"
            + problems.prefix(20).map {
                "\n  line \($0.line), \($0.name.shortened): \($0.explanation.shortenedExplanation)"
            }.joined()
    }
}
