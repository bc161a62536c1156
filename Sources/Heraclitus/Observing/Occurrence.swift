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
/// Observers also get the objects: ``transition``, ``error`` and ``state``. A decoded occurrence and one in a ``Journal`` have none.
///
/// A line for a log is its ``description``, at its ``level``:
///
/// ```swift
/// machine.observe { logger.log(level: .init(rawValue: $0.level.rawValue)!, "\($0)") }     // swift-log
/// ```
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

        /// An action was rejected, or failed.
        case refused

        /// The program has made an announcement.
        case announced

        /// The work of a state has failed, and no event has followed from that.
        case failed
    }

    /// When it happened.
    public let date: Date

    /// The machine's revision; for a transition the revision after it.
    public let revision: Int

    private let content: Content

    /// What happened, with its objects.
    enum Outcome: Sendable {
        case transitioned(StateTransition)
        case rejected(InvalidTransition)

        /// Something in a state that is named: an ignored event, a performed action, an announcement.
        case noted(Kind, String, any WorkflowState, UserInfo)

        /// The work of a state, which has its newest data, or that at the beginning of the work if the machine has left it.
        case failed(any WorkflowState, any Error)
    }

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
    /// See ``StateMachine/observe(regions:_:)``.
    public var path: String? { record.path }

    /// The name of the event; `nil` if it was not a fire, or if `enter` found no event or several.
    public var event: String? { record.event }

    /// The name of the action that was performed or rejected; `nil` for a block without a name.
    public var action: String? { record.action }

    /// The name of the announcement.
    public var announcement: String? { record.announcement }

    /// The name of the state that was left, or that the machine was in.
    public var source: String { record.source }

    /// The name of the state that was entered; for a rejected fire the state to enter, if it is known.
    public var destination: String? { record.destination }

    /// Whether it is an update: a transition that only gave the state new data.
    public var isUpdate: Bool { record.isUpdate }

    /// Why a fire or an action was rejected: the name of an ``InvalidTransition/Reason-swift.enum``.
    public var reason: String? { record.reason }

    /// What happened; for a rejection the whole text of the error.
    ///
    /// It has as many lines as the names and the error in it; ``description`` has one.
    public var message: String { record.message }

    /// The values that the caller passed.
    public var userInfo: UserInfo { record.userInfo }

    /// Why the event of a transition has fired by itself; `nil` if somebody has fired it.
    public var cause: Cause? { record.cause }

    /// What the state that a transition has entered or updated says of itself: ``FactStating``.
    public var facts: UserInfo { record.facts }

    /// The transition with its objects; `nil` for everything else, and for one that was decoded.
    public var transition: StateTransition? {
        if case .transitioned(let transition) = outcome { transition } else { nil }
    }

    /// The ``InvalidTransition`` of a rejection, or the error that the work of a state has thrown; `nil` for one that was decoded.
    public var error: (any Error)? {
        switch outcome {
        case .rejected(let error): error
        case .failed(_, let error): error
        case .transitioned, .noted, nil: nil
        }
    }

    /// The state object that was entered, or in which something was ignored, performed or announced, or whose work has failed.
    ///
    /// It is `nil` for a rejection, and for an occurrence that was decoded.
    public var state: (any WorkflowState)? {
        switch outcome {
        case .transitioned(let transition): transition.destination
        case .noted(_, _, let state, _), .failed(let state, _): state
        case .rejected, nil: nil
        }
    }

    private var outcome: Outcome? {
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
    /// What happened, in one line: `Download load: IdleState → LoadingState`.
    ///
    /// Line breaks in names and texts of errors are spaces, so that text from outside never looks like a line of its own.
    public var description: String {
        switch kind {
        // Errors name the workflow.
        case .rejected, .refused: message.inOneLine
        default: "\(workflow) \(message)".inOneLine
        }
    }
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
            self.init(error.isOfAction ? .refused : .rejected, workflow, in: error.source, "\(error)", error.userInfo)
            event = error.event
            action = error.action
            destination = error.destination
            reason = error.reason.rawValue
        case .noted(let kind, let name, let state, let userInfo):
            let state = CompiledState.name(of: state)
            let text = kind == .ignored ? "\(name): ignored in \(state)" : "\"\(name)\" \(kind.rawValue) in \(state)"
            self.init(kind, workflow, in: state, text, userInfo)
            switch kind {
            case .ignored: event = name
            case .performed: action = name
            default: announcement = name
            }
        case .failed(let state, let error):
            let state = CompiledState.name(of: state)
            self.init(.failed, workflow, in: state, "the work of \(state) has failed: \(ownWords(of: error))", [:])
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
