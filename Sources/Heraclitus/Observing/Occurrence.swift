public import HeraclitusEssentials

/// Something that happened to a machine, for observers and audit logs.
///
/// It has the date, the workflow, the state, the revision, and the reason of a rejection or refusal. It is `Codable`:
///
/// ```swift
/// machine.observe { occurrence in
///     if let line = try? encoder.encode(occurrence) { log.append(line) }
/// }
/// ```
///
/// Observers also get the objects, in ``outcome``, which is `nil` for a decoded occurrence and for one in a ``Journal``.
public struct Occurrence: Sendable {
    /// The kind of an occurrence.
    @nonexhaustive
    public enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        /// A transition was made.
        case transitioned

        /// A fire was rejected, for whatever reason.
        case rejected

        /// A fire was ignored in the current state; nothing has changed.
        case ignored

        /// An action was carried out.
        case performed

        /// An action was refused, or failed.
        case refused

        /// The program has made an announcement.
        case announced

        /// The work of a state has failed, and no event has followed from that.
        case failed
    }

    /// What happened, with its objects.
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

        /// The work of a state has failed, and no event has followed from that.
        case failed(FailedWork)
    }

    /// When it happened.
    public let date: Date

    /// The machine's revision; for a transition the revision after it.
    public let revision: Int

    private let content: Content

    // One word, however much there is to say: a turn makes room for what it may have to tell, also where nobody observes.
    private indirect enum Content {
        case happened(Outcome, in: Definition, path: String?)
        case recorded(Record)
    }

    init(_ outcome: Outcome, at date: Date, revision: Int, in definition: Definition) {
        self.date = date
        self.revision = revision
        content = .happened(outcome, in: definition, path: nil)
    }

    /// The same as it is told to observers of the machine whose state holds the one that it happened to.
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

    /// The same without its objects, for somebody who keeps it.
    ///
    /// Values of the user info with secret keys are not kept.
    func recorded(without secretKeys: Set<String> = []) -> Occurrence {
        var record = record
        record.userInfo = record.userInfo.recorded(without: secretKeys)
        record.facts = record.facts.recorded()
        return Occurrence(record, at: date, revision: revision)
    }

    /// The same of a workflow.
    func happened(in workflow: String) -> Occurrence {
        var record = record
        record.workflow = workflow
        return Occurrence(record, at: date, revision: revision)
    }

    /// The same with how long callbacks took.
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

    /// The version of the workflow in which it happened, and whose names it has; 1 for one that was written without it.
    public var version: Int { record.version }

    /// How long the hooks and observers of a transition took, in a ``Journal``; `nil` elsewhere, and while they are still called.
    ///
    /// Guards, and the closure that builds the state, are not counted.
    public var duration: Duration? { record.duration }

    /// To which machine in the observed one's state it happened: the names of the properties on the way there, such as `payment.card`;
    /// `nil` for the observed machine itself.
    ///
    /// See ``StateMachine/observeTree(_:)``.
    public var path: String? { record.path }

    /// The name of the event; `nil` if it was not a fire, or if `enter` found no event or several.
    public var event: String? { record.event }

    /// The name of the action that was performed or refused; `nil` for a block without a name.
    public var action: String? { record.action }

    /// The name of the announcement.
    public var announcement: String? { record.announcement }

    /// The name of the state that was left, or that the machine was in.
    public var source: String { record.source }

    /// The name of the state that was entered; for a rejected fire the state to enter, if it is known.
    public var destination: String? { record.destination }

    /// Whether it is an update: a transition that only gave the state new data.
    public var isUpdate: Bool { record.isUpdate }

    /// Why a fire was rejected or an action refused: the name of an ``InvalidTransition/Reason-swift.enum`` or an
    /// ``InvalidAction/Reason-swift.enum``.
    public var reason: String? { record.reason }

    /// What happened; for a rejection or refusal the whole text of the error.
    ///
    /// It has as many lines as the names and the error in it; ``description`` has one.
    public var message: String { record.message }

    /// The values that the caller passed.
    public var userInfo: UserInfo { record.userInfo }

    /// Why the event of a transition has fired by itself; `nil` if somebody has fired it.
    public var cause: Cause? { record.cause }

    /// What the state that a transition has entered or updated says of itself: ``FactStating``.
    public var facts: UserInfo { record.facts }

    /// What happened, with its objects; `nil` for one that was decoded.
    public var outcome: Outcome? {
        if case .happened(let outcome, _, _) = content { outcome } else { nil }
    }

    /// What is written of it.
    var record: Record {
        switch content {
        case .happened(let outcome, let definition, let path):
            Record(outcome, in: definition, path: path)
        case .recorded(let record): record
        }
    }

    /// What is known of an occurrence without its objects.
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

        /// `nil` for a transition, whose names say it all.
        var text: String?
        var userInfo: UserInfo
        var cause: Cause?
        var facts: UserInfo = [:]
        var duration: Duration?

        var message: String { text ?? "\(event.map { "\($0): \(source) " } ?? "")→ \(destination ?? "")" }
    }
}

extension Occurrence: CustomStringConvertible {
    /// What happened, in one line: line breaks in names and errors are spaces.
    public var description: String { message.inOneLine }
}

extension String {
    /// The same with a space for each line break, or several of them.
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

/// An event that was fired in a state that ignores it: a state that the event lists in `ignored(in:)`.
public struct IgnoredEvent: Sendable {
    /// The name of the event.
    public let name: String

    /// The state that ignores it.
    public let state: any WorkflowState

    /// The values that the caller passed.
    public let userInfo: UserInfo
}

/// An action that was carried out: one of the definition, or one of the caller's own.
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

    /// The state in which the machine was.
    public let state: any WorkflowState

    /// The values that the caller passed.
    public let userInfo: UserInfo
}

/// The work of a ``Working`` state that has thrown an error from which no event has followed.
public struct FailedWork: Sendable {
    /// The state whose work it was, with its newest data; with that at the beginning of the work if the machine has left it.
    public let state: any WorkflowState

    /// The error that the work has thrown.
    public let error: any Error
}
