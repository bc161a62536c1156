public import Heraclitus
public import HeraclitusEssentials

extension TransitionTable {
    /// Reads a document in SCXML, the interchange format of the W3C for state machines, as far as a table can say it.
    ///
    /// It reads states within states, final states, initial states, and transitions for events. A transition of a state around others is one of
    /// each of these, unless a nearer state has one for the same event. One that leads to a state around others leads to the initial one in there.
    /// A transition without a target is an update, as ``scxml()`` writes it. What a table cannot say is refused, with its name and line: parallel states,
    /// history, conditions, data, scripts, invocations, and what is executed. Attributes of other namespaces are left out.
    ///
    /// A document that ``scxml()`` has written is read as it was, but for what that leaves out. It takes time and memory linear in the
    /// document and in the transitions of the table.
    /// - Parameters:
    ///   - document: The document in UTF-8.
    ///   - version: The workflow's version, which SCXML does not say.
    ///   - limit: How many bytes it may have; 64 MiB unless said otherwise.
    /// - Throws: ``UnreadableSCXML`` with everything that cannot be read.
    public init(scxml document: Data, version: Int = 1, limit: Int = 64 << 20) throws(UnreadableSCXML) {
        guard document.count <= limit else {
            throw UnreadableSCXML([.init(line: 1, name: "scxml", explanation: "It has more than \(limit) bytes.")])
        }
        var states = SCXMLStates()
        try states.read([UInt8](document))
        self = try states.table(version: version)
    }

    /// Reads a document in SCXML from a text.
    /// - Parameters:
    ///   - document: The document.
    ///   - version: The workflow's version, which SCXML does not say.
    /// - Throws: ``UnreadableSCXML`` with everything that cannot be read.
    public init(scxml document: String, version: Int = 1) throws(UnreadableSCXML) {
        try self.init(scxml: Data(document.utf8), version: version, limit: .max)
    }
}

/// The error of a document in SCXML that is broken, or says what a table cannot.
public struct UnreadableSCXML: Error, Hashable, Sendable {
    /// Something that cannot be read.
    public struct Problem: Hashable, Sendable {
        /// The line, from 1.
        public let line: Int

        /// The name of the element or the attribute, or the id of the state.
        public let name: String

        /// What is wrong with it.
        public let explanation: String
    }

    /// Everything that cannot be read, in the order of the document; 100 at most.
    public let problems: [Problem]

    init(_ problems: [Problem]) { self.problems = problems }
}

extension UnreadableSCXML: CustomStringConvertible, LocalizedError {
    /// The first twenty problems with their lines.
    public var description: String {
        "This SCXML cannot be read as a table:"
            + problems.prefix(20).map {
                "\n  line \($0.line), \($0.name.shortened): \($0.explanation.shortenedExplanation)"
            }.joined()
    }

    /// The first twenty problems with their lines.
    public var errorDescription: String? { description }
}
