public import HeraclitusEssentials

/// An occurrence of a machine, for observers and audit logs.
///
/// It has the date, the workflow, the state, the revision, and the reason of a rejection. It is `Codable`:
///
/// ```swift
/// machine.observe { occurrence in
///     if let line = try? encoder.encode(occurrence) { log.append(line) }
/// }
/// ```
///
/// Observers also get the objects: ``transition`` and ``error``. They are `nil` for a decoded occurrence
/// and in a journal: see ``StateMachine/journal``.
///
/// A line for a log is the ``description``, with the ``level``:
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

        /// A fire was rejected.
        case rejected

        /// A fire was ignored in the current state, without a change.
        case ignored

        /// An action was carried out.
        case performed

        /// An action was rejected, or failed.
        case refused

        /// The program has made an announcement.
        case announced

        /// The work of a state has failed without a following event.
        case failed
    }

    /// The date of the occurrence.
    public let date: Date

    /// The machine's revision; for a transition, the revision after it.
    public let revision: Int

    /// The number of the line in its machine's journal, from 1; 0 for any other occurrence.
    package internal(set) var line = 0

    private let content: Content

    /// The kind of an occurrence with its objects.
    enum Outcome: Sendable {
        /// A transition, with the facts of its destination at its time.
        case transitioned(StateTransition, facts: UserInfo)
        case rejected(InvalidTransition)

        /// An ignored event, a performed action or an announcement, with its name and its state.
        case noted(Kind, String, any WorkflowState, UserInfo)

        /// The failed work of a state.
        ///
        /// The state has its latest data. If the machine has left it, the data is that of the work's beginning.
        case failed(any WorkflowState, any Error)
    }

    // The enumeration takes one word, because each turn reserves room for it, even without observers.
    private indirect enum Content {
        case happened(Outcome, in: Definition, path: String?)
        case recorded(Record)
    }
}

extension Occurrence {
    init(_ outcome: Outcome, at date: Date, revision: Int, in definition: Definition) {
        self.init(date: date, revision: revision, content: .happened(outcome, in: definition, path: nil))
    }

    /// The occurrence as told to observers of the outer machine.
    func at(_ path: String) -> Occurrence {
        guard case .happened(let outcome, let definition, _) = content else { return self }
        return Occurrence(date: date, revision: revision, content: .happened(outcome, in: definition, path: path))
    }

    init(_ record: Record, at date: Date, revision: Int) {
        self.init(date: date, revision: revision, content: .recorded(record))
    }

    /// The occurrence without its objects, for keeping it.
    ///
    /// Values of the user info with secret keys are left out.
    func recorded(without secretKeys: Set<String> = []) -> Occurrence {
        recorded {
            $0.userInfo = $0.userInfo.recorded(without: secretKeys)
            $0.facts = $0.facts.recorded()
        }
    }

    /// The occurrence without its objects, and with other parts.
    func recorded(_ change: (inout Record) -> Void) -> Occurrence {
        var record = record
        change(&record)
        return Occurrence(record, at: date, revision: revision)
    }
}

// MARK: - Its parts

extension Occurrence {
    /// The kind of an occurrence.
    public var kind: Kind {
        switch content {
        case .happened(let outcome, _, _): outcome.kind
        case .recorded(let record): record.kind
        }
    }

    /// The name of the machine's workflow.
    public var workflow: String { record.workflow }

    /// The version of the workflow, whose names the occurrence has; 1 if it was written without a version.
    package var version: Int { record.version }

    /// The duration of the hooks and observers of a transition in a journal; `nil` elsewhere, and while callbacks run.
    ///
    /// Guards and the closure that builds the state are excluded.
    public var duration: Duration? { record.duration }

    /// The property names on the path from the observed machine to a machine in its state, such as `payment.card` or
    /// `cars[1].door`; `nil` for the observed machine itself.
    ///
    /// See ``StateMachine/observe(regions:_:)``.
    public var path: String? { record.path }

    /// The name of the event; `nil` without a fire, or if `enter` found none or several.
    public var event: String? { record.event }

    /// The name of the action that was performed or rejected; `nil` for a block without a name.
    public var action: String? { record.action }

    /// The name of the announcement.
    public var announcement: String? { record.announcement }

    /// The name of the state that was left, or of the current state.
    public var source: String { record.source }

    /// The name of the state that was entered; for a rejected fire, the state to enter if it is known.
    public var destination: String? { record.destination }

    /// Whether the transition is an update, which only gives the state new data.
    public var isUpdate: Bool { record.isUpdate }

    /// The reason of a rejection: the name of an ``InvalidTransition/Reason-swift.enum``.
    public var reason: String? { record.reason }

    /// The text of the occurrence; for a rejection, the complete text of the error.
    ///
    /// It may have several lines, like the names and errors in it; ``description`` has one line.
    package var message: String { record.message }

    /// The values that the caller passed.
    public var userInfo: UserInfo { record.userInfo }

    /// The cause of an automatic event; `nil` if a caller has fired it.
    public var cause: Cause? { record.cause }

    /// The facts that the entered or updated state declares: see ``FactStating``.
    public var facts: UserInfo { record.facts }

    /// The transition with its objects; `nil` for other occurrences and for a decoded one.
    public var transition: StateTransition? {
        if case .transitioned(let transition, _) = outcome { transition } else { nil }
    }

    /// The ``InvalidTransition`` of a rejection, or the error of a state's work; `nil` for a decoded occurrence.
    public var error: (any Error)? {
        switch outcome {
        case .rejected(let error): error
        case .failed(_, let error): error
        case .transitioned, .noted, nil: nil
        }
    }

    /// The entered state object, or the state of the ignored event, action, announcement or failed work.
    ///
    /// It is `nil` for a rejection and for a decoded occurrence.
    package var state: (any WorkflowState)? {
        switch outcome {
        case .transitioned(let transition, _): transition.destination
        case .noted(_, _, let state, _), .failed(let state, _): state
        case .rejected, nil: nil
        }
    }

    private var outcome: Outcome? {
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
    /// The occurrence in one line: `Download load: IdleState → LoadingState`.
    ///
    /// A transition by an automatic event has its cause: `Download fail: LoadingState → IdleState (work failed: timed out)`.
    ///
    /// Line breaks in names and errors become spaces. Text from outside therefore stays within its line.
    public var description: String {
        let record = record
        return switch record.kind {
        // Errors name the workflow.
        case .rejected, .refused: record.message.inOneLine
        default: "\(record.workflow) \(record.message)\(record.cause.map { " (\($0.text))" } ?? "")".inOneLine
        }
    }
}

extension String {
    /// The text with a space for each sequence of line breaks.
    package var inOneLine: String {
        contains(where: \.isNewline) ? split(whereSeparator: \.isNewline).joined(separator: " ") : self
    }
}

extension Occurrence.Outcome {
    fileprivate var kind: Occurrence.Kind {
        switch self {
        case .transitioned: .transitioned
        case .rejected(let error): error.isOfAction ? .refused : .rejected
        case .noted(let kind, _, _, _): kind
        case .failed: .failed
        }
    }
}

extension Occurrence.Record {
    fileprivate init(_ outcome: Occurrence.Outcome, in definition: Definition, path: String?) {
        let (kind, workflow) = (outcome.kind, definition.workflow)
        switch outcome {
        case .transitioned(let transition, let facts):
            let source = transition.sourceName ?? ""
            self.init(kind: kind, workflow: workflow, source: source, userInfo: transition.userInfo)
            event = transition.event
            destination = transition.destinationName
            isUpdate = transition.isUpdate
            cause = transition.fullUserInfo.cause
            self.facts = facts
        case .rejected(let error):
            self.init(kind: kind, workflow: workflow, source: error.source, text: "\(error)", userInfo: error.userInfo)
            event = error.event
            action = error.action
            destination = error.destination
            reason = error.reason.rawValue
            cause = error.details?.userInfo.cause
        case .noted(_, let name, let state, let userInfo):
            let state = definition.name(of: state)
            let text = kind == .ignored ? "\(name): ignored in \(state)" : "\"\(name)\" \(kind.rawValue) in \(state)"
            self.init(kind: kind, workflow: workflow, source: state, text: text, userInfo: userInfo)
            switch kind {
            case .ignored: event = name
            case .performed: action = name
            default: announcement = name
            }
        case .failed(let state, let error):
            let state = definition.name(of: state)
            let text = "the work of \(state) has failed: \(ownWords(of: error))"
            self.init(kind: kind, workflow: workflow, source: state, text: text, userInfo: [:])
        }
        version = definition.version
        self.path = path
    }
}
