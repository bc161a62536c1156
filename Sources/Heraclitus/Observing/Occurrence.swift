public import HeraclitusEssentials

/// An occurrence of a machine, for observers and audit logs.
///
/// It has the date, the workflow, the state, the revision, and the reason of a rejection or refusal. It is `Codable`:
///
/// ```swift
/// machine.observe { occurrence in
///     if let line = try? encoder.encode(occurrence) { log.append(line) }
/// }
/// ```
///
/// Observers also get the objects in ``outcome``. It is `nil` for decoded occurrences and in a ``Journal``.
public struct Occurrence: Sendable {
    /// The kind of an occurrence.
    @nonexhaustive
    public enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        /// A transition was made.
        case transitioned

        /// A fire was rejected.
        case rejected

        /// A fire was ignored in the current state, without a change.
        case ignored

        /// An action was carried out.
        case performed

        /// An action was refused, or failed.
        case refused

        /// The program has made an announcement.
        case announced

        /// The work of a state has failed without a following event.
        case failed
    }

    /// The kind of an occurrence with its objects.
    @nonexhaustive
    public enum Outcome: Sendable {
        /// A transition was made.
        case transitioned(StateTransition)

        /// A fire was rejected; its caller gets this error.
        case rejected(InvalidTransition)

        /// A fire was ignored in the current state.
        case ignored(IgnoredEvent)

        /// An action was carried out in a state that allows it.
        case performed(PerformedAction)

        /// An action was refused, or failed; its caller gets this error, or the action's own.
        case refused(InvalidAction)

        /// The program has made an announcement.
        case announced(Announcement)

        /// The work of a state has failed without a following event.
        case failed(FailedWork)
    }

    /// The date of the occurrence.
    public let date: Date

    /// The machine's revision; for a transition, the revision after it.
    public let revision: Int

    private let content: Content

    // The enumeration takes one word, because each turn reserves room for it, even without observers.
    private indirect enum Content {
        case happened(Outcome, in: Definition, path: String?)
        case recorded(Record)
    }

    init(_ outcome: Outcome, at date: Date, revision: Int, in definition: Definition) {
        self.date = date
        self.revision = revision
        content = .happened(outcome, in: definition, path: nil)
    }

    /// The occurrence as told to observers of the outer machine.
    func at(_ path: String) -> Occurrence {
        guard case .happened(let outcome, let definition, _) = content else { return self }
        return Occurrence(date: date, revision: revision, content: .happened(outcome, in: definition, path: path))
    }

    private init(date: Date, revision: Int, content: Content) {
        self.date = date
        self.revision = revision
        self.content = content
    }

    init(_ record: Record, at date: Date, revision: Int) {
        self.date = date
        self.revision = revision
        content = .recorded(record)
    }

    /// The occurrence without its objects, for keeping it.
    ///
    /// Values of the user info with secret keys are left out.
    func recorded(without secretKeys: Set<String> = []) -> Occurrence {
        var record = record
        record.userInfo = record.userInfo.recorded(without: secretKeys)
        record.facts = record.facts.recorded()
        return Occurrence(record, at: date, revision: revision)
    }

    /// The occurrence with the name of a workflow.
    func happened(in workflow: String) -> Occurrence {
        var record = record
        record.workflow = workflow
        return Occurrence(record, at: date, revision: revision)
    }

    /// The occurrence with the duration of callbacks.
    func lasting(_ duration: Duration) -> Occurrence {
        var record = record
        record.duration = duration
        return Occurrence(record, at: date, revision: revision)
    }
}

// MARK: - What there is to say of it

extension Occurrence {
    /// The kind of an occurrence.
    public var kind: Kind { record.kind }

    /// The name of the machine's workflow.
    public var workflow: String { record.workflow }

    /// The version of the workflow, whose names the occurrence has; 1 if it was written without a version.
    public var version: Int { record.version }

    /// The duration of the hooks and observers of a transition in a ``Journal``; `nil` elsewhere, and while callbacks
    /// run.
    ///
    /// Guards and the closure that builds the state are excluded.
    public var duration: Duration? { record.duration }

    /// The property names on the path from the observed machine to a machine in its state, such as `payment.card`;
    /// `nil` for the observed machine itself.
    ///
    /// See ``StateMachine/observeTree(_:)``.
    public var path: String? { record.path }

    /// The name of the event; `nil` without a fire, or if `enter` found none or several.
    public var event: String? { record.event }

    /// The name of the action that was performed or refused; `nil` for a block without a name.
    public var action: String? { record.action }

    /// The name of the announcement.
    public var announcement: String? { record.announcement }

    /// The name of the state that was left, or of the current state.
    public var source: String { record.source }

    /// The name of the state that was entered; for a rejected fire, the state to enter if it is known.
    public var destination: String? { record.destination }

    /// Whether the transition is an update, which only gives the state new data.
    public var isUpdate: Bool { record.isUpdate }

    /// The reason of a rejection or refusal: the name of an ``InvalidTransition/Reason-swift.enum`` or an
    /// ``InvalidAction/Reason-swift.enum``.
    public var reason: String? { record.reason }

    /// The text of the occurrence; for a rejection or refusal, the complete text of the error.
    ///
    /// It may have several lines, like the names and errors in it; ``description`` has one line.
    public var message: String { record.message }

    /// The values that the caller passed.
    public var userInfo: UserInfo { record.userInfo }

    /// The cause of an automatic event; `nil` if a caller has fired it.
    public var cause: Cause? { record.cause }

    /// The facts that the entered or updated state declares: see ``FactStating``.
    public var facts: UserInfo { record.facts }

    /// The occurrence with its objects; `nil` if it was decoded.
    public var outcome: Outcome? {
        if case .happened(let outcome, _, _) = content { outcome } else { nil }
    }

    /// The recorded parts.
    var record: Record {
        switch content {
        case .happened(let outcome, let definition, let path):
            Record(outcome, in: definition, path: path)
        case .recorded(let record): record
        }
    }

    /// The parts of an occurrence without its objects.
    struct Record: Sendable {
        var kind: Kind
        var workflow: String
        var version = 1
        var path: String?
        var event: String?
        var action: String?
        var announcement: String?
        var source: String
        var destination: String?
        var isUpdate = false
        var reason: String?

        /// The text; `nil` for a transition, whose text follows from its names.
        var text: String?
        var userInfo: UserInfo
        var cause: Cause?
        var facts: UserInfo = [:]
        var duration: Duration?

        var message: String { text ?? "\(event.map { "\($0): \(source) " } ?? "")→ \(destination ?? "")" }
    }
}

extension Occurrence: CustomStringConvertible {
    /// The occurrence in one line: line breaks in names and errors become spaces.
    public var description: String { message.inOneLine }
}

extension String {
    /// The text with a space for each sequence of line breaks.
    var inOneLine: String {
        contains(where: \.isNewline) ? split(whereSeparator: \.isNewline).joined(separator: " ") : self
    }
}

extension Occurrence.Record {
    fileprivate init(_ outcome: Occurrence.Outcome, in definition: Definition, path: String?) {
        self.init(outcome, workflow: definition.workflow)
        self.version = definition.version
        self.path = path
    }

    private init(_ outcome: Occurrence.Outcome, workflow: String) {
        switch outcome {
        case .transitioned(let transition):
            self.init(.transitioned, workflow, in: transition.sourceName ?? "", nil, transition.userInfo)
            event = transition.event
            destination = transition.destinationName
            isUpdate = transition.isUpdate
            cause = transition.fullUserInfo.cause.map(Occurrence.Cause.init)
            facts = transition.facts
        case .rejected(let error):
            self.init(.rejected, workflow, in: error.source, "\(error)", error.userInfo)
            event = error.event
            destination = error.destination
            reason = error.reason.rawValue
        case .ignored(let ignored):
            let state = CompiledState.name(of: ignored.state)
            self.init(.ignored, workflow, in: state, "\(ignored.name): ignored in \(state)", ignored.userInfo)
            event = ignored.name
        case .performed(let performed):
            let state = CompiledState.name(of: performed.state)
            self.init(
                .performed,
                workflow,
                in: state,
                "\"\(performed.name)\" performed in \(state)",
                performed.userInfo
            )
            action = performed.name
        case .refused(let error):
            self.init(.refused, workflow, in: error.state, "\(error)", error.userInfo)
            action = error.action
            reason = error.reason.rawValue
        case .announced(let announced):
            let state = CompiledState.name(of: announced.state)
            self.init(
                .announced,
                workflow,
                in: state,
                "\"\(announced.name)\" announced in \(state)",
                announced.userInfo
            )
            announcement = announced.name
        case .failed(let failed):
            let state = CompiledState.name(of: failed.state)
            let words = ownWords(of: failed.error)
            self.init(.failed, workflow, in: state, "the work of \(state) has failed: \(words)", [:])
        }
    }

    private init(
        _ kind: Occurrence.Kind,
        _ workflow: String,
        in source: String,
        _ text: String?,
        _ userInfo: UserInfo
    ) {
        self.init(kind: kind, workflow: workflow, source: source, text: text, userInfo: userInfo)
    }
}

// MARK: - What is no transition

/// An event that was fired in a state that ignores it: see `ignored(in:)`.
public struct IgnoredEvent: Sendable {
    /// The name of the event.
    public let name: String

    /// The state that ignores it.
    public let state: any WorkflowState

    /// The values that the caller passed.
    public let userInfo: UserInfo
}

/// An action of the definition or of the caller that was carried out.
public struct PerformedAction: Sendable {
    /// The name of the action.
    public let name: String

    /// The state in which it was carried out.
    public let state: any WorkflowState

    /// The values that the caller passed.
    public let userInfo: UserInfo
}

/// An announcement that was made with ``StateMachine/announce(_:userInfo:)``.
public struct Announcement: Sendable {
    /// The name of the announcement.
    public let name: String

    /// The state of the machine.
    public let state: any WorkflowState

    /// The values that the caller passed.
    public let userInfo: UserInfo
}

/// The failed work of a ``Working`` state, without a following event.
public struct FailedWork: Sendable {
    /// The state of the work with its latest data.
    ///
    /// If the machine has left the state, the data is that of the work's beginning.
    public let state: any WorkflowState

    /// The error that the work has thrown.
    public let error: any Error
}
