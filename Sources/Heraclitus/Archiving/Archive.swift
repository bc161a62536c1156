public import HeraclitusEssentials

/// Additional content of an archive.
public struct ArchiveExtras: OptionSet, Sendable {
    /// The extras, a bit each.
    public let rawValue: Int

    /// Makes a set of extras.
    /// - Parameter rawValue: The extras, a bit each.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The workflow's ``TransitionTable``, for tools that do not have the workflow's code; machines do not read it.
    public static let definition = ArchiveExtras(rawValue: 1)
}

extension StateMachine {
    /// The default limit of an archive's size: 64 MiB.
    public static var archiveLimit: Int { 64 << 20 }

    /// Archives the machine to JSON: its state with its data, its revision, and whether it was activated.
    ///
    /// Keys are sorted, as are the elements of sets and of dictionaries whose keys are no texts. Dates are written in ISO 8601. So the same
    /// machine gives the same bytes, unless a state's own `encode` writes something in no fixed order: `tags.encode(to: encoder)` writes a set in the
    /// order of its hashes, where `container.encode(tags)` sorts it. You can also use a
    /// coder of your own, because a machine is `Codable`. A decoder that reads what this method writes needs the date strategy
    /// `JSONDecoder.DateDecodingStrategy.archived`.
    ///
    /// Any thread may call it at any time. The archive is consistent: it has the committed state of one moment.
    /// - Parameters:
    ///   - extras: Additional content of the archive.
    ///   - isPrettyPrinted: Whether to write it on several lines for people to read.
    ///   - limit: The maximum size in bytes, by default ``archiveLimit``, as for reading.
    /// - Returns: UTF-8 JSON, on one line unless it is pretty printed.
    /// - Throws: ``ArchiveError/unwritableState(_:underlyingError:)`` if the state's data cannot be written, or could not be read
    ///   again, with the key; ``ArchiveError/tooLarge(_:limit:)``.
    public func archive(
        including extras: ArchiveExtras = [],
        prettyPrinted isPrettyPrinted: Bool = false,
        limit: Int = StateMachine.archiveLimit
    ) throws(ArchiveError) -> Data {
        let archive = try envelope(including: extras).encoded(isPrettyPrinted: isPrettyPrinted)
        guard archive.count <= limit else { throw .tooLarge(archive.count, limit: limit) }
        return archive
    }

    /// Archives the machine, whatever its size, and says what one looks for without reading it: all as of one moment.
    /// - Returns: Among others the name of a state whose effects were not collected.
    package func archiveWithColumns() throws(ArchiveError) -> (
        archive: Data, state: String, due: Date?, uncollectedState: String?
    ) {
        let envelope = try envelope()
        // First: a state that is entered while another one is encoded is not in the archive.
        let uncollectedState = uncollectedState
        return (
            try envelope.encoded(isPrettyPrinted: false), definition.states[envelope.snapshot.status.index].name,
            definition.firstDeadline(of: envelope.snapshot).flatMap(Self.writable), uncollectedState
        )
    }

    /// A deadline as stores keep it: one before all dates is due like the first of them, and one after the last never comes.
    private static func writable(_ date: Date) -> Date? {
        let date = max(date, .distantPast)
        return ArchivedDate.text(of: date) == nil ? nil : date
    }

    /// Restores a machine from an archive, and gives it what its states need.
    ///
    /// Restoring is not a transition: no guard, hook or observer runs. ``activate(userInfo:)``, or the first fire, calls
    /// `didRestore` of the state. An archive of an older version of the workflow goes through its
    /// ``Workflow/migrations`` first.
    /// - Parameters:
    ///   - archive: UTF-8 JSON, as ``archive(including:prettyPrinted:limit:)`` writes it.
    ///   - context: What the states need and archives do not keep.
    ///   - limit: The maximum size in bytes, by default ``archiveLimit``.
    ///   - scheduler: Fires the events that are due.
    /// - Throws: ``ArchiveError``, whatever the bytes are.
    public convenience init(
        archive: Data,
        context: W.Context,
        limit: Int = StateMachine.archiveLimit,
        scheduler: Scheduler = .system
    ) throws(ArchiveError) {
        try self.init(archive, limit: limit, scheduler, Self.given(context))
    }

    /// Restores a machine, with nothing or with what its states need.
    package convenience init(
        _ archive: Data,
        limit: Int,
        _ scheduler: Scheduler = .system,
        _ context: GivenContext? = nil
    ) throws(ArchiveError) {
        guard archive.count <= limit else { throw .tooLarge(archive.count, limit: limit) }
        let definition = CompiledWorkflow<W>.definition(given: context)
        let snapshot = try EnvelopeReader.read(archive, definition) { try $0.snapshot() }
        self.init(MachineCore(definition, snapshot, scheduler, context))
    }
}

extension StateMachine where W.Context == Void {
    /// Restores a machine from an archive.
    ///
    /// Restoring is not a transition: no guard, hook or observer runs. ``activate(userInfo:)``, or the first fire, calls
    /// `didRestore` of the state. An archive of an older version of the workflow goes through its
    /// ``Workflow/migrations`` first.
    /// - Parameters:
    ///   - archive: UTF-8 JSON, as ``archive(including:prettyPrinted:limit:)`` writes it.
    ///   - limit: The maximum size in bytes, by default ``archiveLimit``.
    ///   - scheduler: Fires the events that are due.
    /// - Throws: ``ArchiveError``, whatever the bytes are.
    public convenience init(
        archive: Data,
        limit: Int = StateMachine.archiveLimit,
        scheduler: Scheduler = .system
    ) throws(ArchiveError) {
        try self.init(archive, limit: limit, scheduler)
    }
}

extension EnvelopeReader {
    /// Reads an archive of bytes; what `read` throws that is no ``ArchiveError`` is about the JSON.
    static func read<Result>(
        _ archive: Data,
        _ definition: Definition,
        _ read: (EnvelopeReader) throws -> Result
    ) throws(ArchiveError) -> Result {
        do {
            return try read(EnvelopeReader(ArchiveDecoder(try JSONValue(text: [UInt8](archive))), definition))
        } catch let error as ArchiveError {
            throw error
        } catch let problem as JSONProblem {
            throw ArchiveError(problem)
        } catch {
            throw .notJSON(explanation: ArchiveError.explanation(of: error))
        }
    }
}

extension ArchiveError {
    /// The error of a text that the parser refuses.
    init(_ problem: JSONProblem) {
        self =
            problem.isDuplicate
            ? .malformed(path: Self.path(problem.path), explanation: problem.explanation)
            : .notJSON(explanation: problem.description)
    }
}

extension Envelope {
    func encoded(isPrettyPrinted: Bool) throws(ArchiveError) -> Data {
        do {
            let json = try ArchiveEncoder.bytes(of: Envelope.self) { try write(to: $0) }
            return Data(isPrettyPrinted ? JSONWriter.prettyPrinted(json) : json)
        } catch let error as ArchiveError {
            throw error
        } catch {
            throw .unwritableState(definition.states[snapshot.status.index].name, underlyingError: error)
        }
    }
}
