#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Something that happened to a machine, as those who observe it get it and as an audit log keeps it.
///
/// It says when it happened, to which workflow, in which state, at which revision, and why if it was refused. It is `Codable`:
///
/// ```swift
/// machine.observe { occurrence in
///     if let line = try? encoder.encode(occurrence) { log.append(line) }
/// }
/// ```
///
/// Who observes also gets the objects, in ``outcome``. One that was decoded has none.
public struct Occurrence: Sendable {
    /// What it is that happened.
    @nonexhaustive
    public enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        /// A transition was made.
        case transitioned

        /// A fire was refused, by the table or by a guard.
        case rejected

        /// An event was fired that the current state ignores; nothing changed.
        case ignored

        /// An action was carried out.
        case performed

        /// An action was refused, or failed.
        case refused

        /// The program has announced something of its own.
        case announced
    }

    /// What happened, with the objects that it happened to.
    @nonexhaustive
    public enum Outcome: Sendable {
        /// A transition was made.
        case transitioned(StateTransition)

        /// A fire was refused; its caller gets this error.
        case rejected(InvalidTransition)

        /// An event was fired that the current state ignores.
        case ignored(IgnoredEvent)

        /// An action was carried out in a state that allows it.
        case performed(PerformedAction)

        /// An action was not carried out, or failed; its caller gets this error, or the one that it failed with.
        case refused(InvalidAction)

        /// Something that the program says of itself through the machine.
        case announced(Announcement)
    }

    /// When it happened.
    public let date: Date

    /// The machine's revision then; for a transition the one that it led to.
    public let revision: Int

    private let content: Content

    // One word, however much there is to say: a turn makes room for what it may have to tell, also where nobody observes.
    private indirect enum Content {
        case happened(Outcome, in: Definition)
        case recorded(Record)
    }

    init(_ outcome: Outcome, at date: Date, revision: Int, in definition: Definition) {
        self.date = date
        self.revision = revision
        content = .happened(outcome, in: definition)
    }

    init(_ record: Record, at date: Date, revision: Int) {
        self.date = date
        self.revision = revision
        content = .recorded(record)
    }
}

// MARK: - What there is to say of it

extension Occurrence {
    /// What it is that happened.
    public var kind: Kind { record.kind }

    /// The name of the machine's workflow.
    public var workflow: String { record.workflow }

    /// The name of the event that was fired; `nil` for what is no fire, and where `enter` found no event or several.
    public var event: String? { record.event }

    /// The name of the action that was performed or refused; `nil` for a block that has none.
    public var action: String? { record.action }

    /// The name of the announcement.
    public var announcement: String? { record.announcement }

    /// The name of the state that was left, or that the machine was in.
    public var source: String { record.source }

    /// The name of the state that was entered; of a fire that was refused, the one that was to be entered, as far as it is known.
    public var destination: String? { record.destination }

    /// Whether it is a transition that only gave its state new data.
    public var isUpdate: Bool { record.isUpdate }

    /// Why a fire or an action was refused: the name of an ``InvalidTransition/Reason-swift.enum`` or an
    /// ``InvalidAction/Reason-swift.enum``.
    public var reason: String? { record.reason }

    /// What happened, in one line; of a refusal, everything that the error says.
    public var message: String { record.message }

    /// What the caller passed along.
    public var userInfo: UserInfo { record.userInfo }

    /// What happened, with its objects; `nil` for one that was decoded.
    public var outcome: Outcome? {
        if case .happened(let outcome, _) = content { outcome } else { nil }
    }

    /// What is written of it.
    var record: Record {
        switch content {
        case .happened(let outcome, let definition): Record(outcome, workflow: definition.workflow)
        case .recorded(let record): record
        }
    }

    /// What is known of an occurrence without its objects.
    struct Record: Sendable {
        var kind: Kind
        var workflow: String
        var event: String?
        var action: String?
        var announcement: String?
        var source: String
        var destination: String?
        var isUpdate = false
        var reason: String?
        var message: String
        var userInfo: UserInfo
    }
}

extension Occurrence: CustomStringConvertible {
    /// What happened, in one line.
    public var description: String { message }
}

extension Occurrence.Record {
    fileprivate init(_ outcome: Occurrence.Outcome, workflow: String) {
        switch outcome {
        case .transitioned(let transition):
            self.init(.transitioned, workflow, in: transition.sourceName ?? "", "\(transition)", transition.userInfo)
            event = transition.event
            destination = transition.destinationName
            isUpdate = transition.isUpdate
        case .rejected(let error):
            self.init(.rejected, workflow, in: error.source, "\(error)", error.userInfo)
            event = error.event
            destination = error.destination
            reason = error.reason.rawValue
        case .ignored(let ignored):
            let state = type(of: ignored.state).name
            self.init(.ignored, workflow, in: state, "\(ignored.name): ignored in \(state)", ignored.userInfo)
            event = ignored.name
        case .performed(let performed):
            let state = type(of: performed.state).name
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
            let state = type(of: announced.state).name
            self.init(
                .announced,
                workflow,
                in: state,
                "\"\(announced.name)\" announced in \(state)",
                announced.userInfo
            )
            announcement = announced.name
        }
    }

    private init(
        _ kind: Occurrence.Kind,
        _ workflow: String,
        in source: String,
        _ message: String,
        _ userInfo: UserInfo
    ) {
        self.init(kind: kind, workflow: workflow, source: source, message: message, userInfo: userInfo)
    }
}

// MARK: - What is no transition

/// An event that was fired in a state that ignores it; see ``WorkflowEvent/ignored(in:)``.
public struct IgnoredEvent: Sendable {
    /// The name of the event.
    public let name: String

    /// The state that ignores it.
    public let state: any WorkflowState

    /// What the caller passed along.
    public let userInfo: UserInfo
}

/// An action that was carried out with ``StateMachine/perform(action:in:userInfo:_:)``.
public struct PerformedAction: Sendable {
    /// The name of the action.
    public let name: String

    /// The state in which it was carried out.
    public let state: any WorkflowState

    /// What the caller passed along.
    public let userInfo: UserInfo
}

/// What was said with ``StateMachine/announce(_:userInfo:)``.
public struct Announcement: Sendable {
    /// Its name.
    public let name: String

    /// The state in which the machine was.
    public let state: any WorkflowState

    /// What the caller passed along.
    public let userInfo: UserInfo
}
