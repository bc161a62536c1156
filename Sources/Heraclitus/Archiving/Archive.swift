public import HeraclitusEssentials

extension StateMachine {
    /// Archives the machine to JSON: its state with its data, its revision, and whether it was activated.
    ///
    /// The bytes depend only on the machine: keys are sorted, and dates are written in ISO 8601. Sets, and
    /// dictionaries with other keys than texts, are sorted by their JSON. A state's own `encode` keeps that promise
    /// if it encodes collections as values: `container.encode(tags)` sorts a set, but `tags.encode(to: encoder)` has
    /// the order of its hashes.
    ///
    /// A machine is `Codable`, so you can use your own coder, too. A decoder of these archives needs the date
    /// strategy `JSONDecoder.DateDecodingStrategy.archived`.
    ///
    /// You can call it on any thread at any time. The archive has the committed state of one moment.
    /// - Parameters:
    ///   - includesDefinition: Whether to add the workflow's ``TransitionTable``, for tools without the workflow's code.
    ///   - isPrettyPrinted: Whether to write several lines for people to read.
    ///   - limit: The maximum size in bytes, by default 64 MiB, as for reading.
    /// - Returns: UTF-8 JSON, on one line unless `isPrettyPrinted`.
    /// - Throws: ``ArchiveError/unwritableState(_:underlyingError:)`` with the key, for data that cannot be written
    ///   or read again; ``ArchiveError/tooLarge(_:limit:)``.
    public func archive(
        includingDefinition includesDefinition: Bool = false,
        prettyPrinted isPrettyPrinted: Bool = false,
        limit: Int = 64 << 20
    ) throws(ArchiveError) -> Data {
        try envelope(includingDefinition: includesDefinition).encoded(isPrettyPrinted: isPrettyPrinted, limit: limit)
    }

    /// Archives the machine in any size, with its columns for queries, all as of one moment.
    /// - Returns: The columns include the name of a state with uncollected effects.
    package func archiveWithColumns() throws(ArchiveError) -> (
        archive: Data, state: AnyObject, due: Date?, uncollectedState: String?
    ) {
        let envelope = try envelope()
        // The name comes first: a state that is entered during the encoding is missing in the archive.
        let uncollectedState = uncollectedState
        return (
            try envelope.encoded(isPrettyPrinted: false), envelope.snapshot.state,
            definition.firstDeadline(of: envelope.snapshot).flatMap(Self.writable), uncollectedState
        )
    }

    /// A deadline as stores keep it: dates before all dates become the first date, and dates after the last become
    /// `nil`.
    private static func writable(_ date: Date) -> Date? {
        let date = max(date, .distantPast)
        return ArchivedDate.text(of: date) == nil ? nil : date
    }

    /// Restores a machine from an archive.
    ///
    /// Restoring is not a transition: it runs no guard, hook or observer. ``activate(context:userInfo:)``, or the first
    /// fire, calls `didRestore` of the state. An archive of an older version goes through the workflow's
    /// ``Workflow/migrations`` first.
    /// - Parameters:
    ///   - archive: UTF-8 JSON, as ``archive(includingDefinition:prettyPrinted:limit:)`` writes it.
    ///   - context: The runtime dependencies of the states, which archives leave out; `nil` for a machine that needs
    ///     none or gets them later. A machine of a `DataWorkflow` needs its context at once, and stops the program
    ///     without it.
    ///   - limit: The maximum size in bytes, by default 64 MiB.
    ///   - scheduler: The scheduler of deadlines.
    /// - Throws: ``ArchiveError`` for any invalid archive.
    public convenience init(
        archive: Data,
        context: W.Context? = nil,
        limit: Int = 64 << 20,
        scheduler: Scheduler = .system
    ) throws(ArchiveError) {
        try self.init(archive, limit: limit, scheduler, W.given(context))
    }

    /// Restores a machine with the context that `Workflow.given(_:)` has made.
    package convenience init(
        _ archive: Data,
        limit: Int,
        _ scheduler: Scheduler,
        _ context: GivenContext?
    ) throws(ArchiveError) {
        let definition = W.definition(given: context)
        let snapshot = try EnvelopeReader.snapshot(from: archive, limit: limit, definition, scheduler)
        self.init(MachineCore(definition, snapshot, scheduler, context))
    }
}

extension EnvelopeReader {
    /// Reads a machine's archive of bytes, and turns errors of the JSON into ``ArchiveError``.
    static func snapshot(
        from archive: Data,
        limit: Int,
        _ definition: Definition,
        _ scheduler: Scheduler
    ) throws(ArchiveError) -> Snapshot {
        guard archive.count <= limit else { throw .tooLarge(archive.count, limit: limit) }
        do {
            // Machines in the state have the same scheduler.
            let userInfo: [CodingUserInfoKey: Any] = scheduler === Scheduler.system ? [:] : [.scheduler: scheduler]
            let decoder = try ArchiveDecoder(text: archive, userInfo: userInfo)
            return try EnvelopeReader(decoder, definition).snapshot()
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
    /// The error of a text that the parser rejects.
    package init(_ problem: JSONProblem) {
        self =
            problem.isDuplicate
            ? .malformed(path: Self.path(problem.path), explanation: problem.explanation)
            : .notJSON(explanation: problem.description)
    }
}

extension Envelope {
    func encoded(isPrettyPrinted: Bool, limit: Int = .max) throws(ArchiveError) -> Data {
        let archive: Data
        do {
            archive = try ArchiveEncoder.data(of: self, prettyPrinted: isPrettyPrinted)
        } catch {
            throw error as? ArchiveError ?? .unwritableState(name, underlyingError: error)
        }
        guard archive.count <= limit else { throw .tooLarge(archive.count, limit: limit) }
        return archive
    }
}

extension JSONValue {
    /// Reads JSON with all digits of its numbers.
    ///
    /// Time and memory are proportional to the number of bytes, so use it for untrusted JSON. Foundation's
    /// `JSONDecoder` also decodes a ``JSONValue``, but rounds numbers of more than 38 digits, and takes longer for deep
    /// values. Convert the value to events, user infos and tables by ``decoded(as:)``.
    ///
    /// The first of two values for one key is read. Keys are compared like Swift texts, so `é` is one key in any
    /// composition.
    /// - Parameters:
    ///   - json: UTF-8 JSON.
    ///   - limit: The maximum size in bytes, by default 64 MiB.
    /// - Throws: ``ArchiveError``: `tooLarge`; `notJSON`, also for more than 64 nested levels.
    public init(json: Data, limit: Int = 64 << 20) throws(ArchiveError) {
        guard json.count <= limit else { throw .tooLarge(json.count, limit: limit) }
        do {
            self = try JSONValue(foreignText: json)
        } catch {
            throw .notJSON(explanation: error.description)
        }
    }
}
