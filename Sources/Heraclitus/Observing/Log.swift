/// A line for a log about something that happened to a machine.
///
/// ```swift
/// machine.log { print($0) }
/// machine.log { entry in logger.log(level: .init(rawValue: entry.level.rawValue)!, "\(entry.message)") }     // swift-log
/// ```
///
/// The names of the levels are those of swift-log; for OSLog see ``Level-swift.enum``.
public struct LogEntry: Sendable {
    /// The level of an entry.
    ///
    /// For OSLog: `debug` and `info` are types of the same names, `notice` is `default`, `warning` and `error` are `error`.
    ///
    /// There will be no others: these are all that occurrences need.
    public enum Level: String, Hashable, Sendable, CaseIterable, Comparable {
        /// A state has new data, or an event was ignored.
        case debug

        /// A transition was made, or an action performed.
        case info

        /// Something was announced.
        case notice

        /// A fire was rejected, or an action was refused or failed, and no mistake in the program need be the cause.
        case warning

        /// The work of a state has failed, or the program has a mistake: a state that is not registered, a chain without an end, a circle of
        /// waits, an unknown name.
        case error

        /// Whether a level is lower than another.
        /// - Parameters:
        ///   - left: A level.
        ///   - right: Another level.
        /// - Returns: `true` if the left level comes first in the list above.
        public static func < (left: Level, right: Level) -> Bool {
            left.rank < right.rank
        }

        private var rank: Int {
            switch self {
            case .debug: 0
            case .info: 1
            case .notice: 2
            case .warning: 3
            case .error: 4
            }
        }
    }

    /// What happened.
    public let occurrence: Occurrence

    /// Makes the line about something that happened, such as one that was read from an audit log.
    /// - Parameter occurrence: What happened.
    public init(_ occurrence: Occurrence) { self.occurrence = occurrence }

    /// The name of the machine's workflow.
    public var workflow: String { occurrence.workflow }

    /// The level.
    public var level: Level {
        switch occurrence.kind {
        case .transitioned: occurrence.isUpdate ? .debug : .info
        case .rejected, .refused: isTheProgramsFault ? .error : .warning
        case .ignored: .debug
        case .performed: .info
        case .announced: .notice
        case .failed: .error
        }
    }

    /// What happened, in one line: `Download load: IdleState → LoadingState`.
    ///
    /// Names and texts of errors may have line breaks, which are spaces here: nothing from outside looks like a line of its own.
    public var message: String {
        switch occurrence.kind {
        // Errors say whose they are.
        case .rejected, .refused: occurrence.message.inOneLine
        default: "\(workflow) \(occurrence.message)".inOneLine
        }
    }

    // What a later version has written may have a reason that this one does not know.
    private var isTheProgramsFault: Bool {
        guard let reason = occurrence.reason else { return false }
        return if occurrence.kind == .refused {
            InvalidAction.Reason(rawValue: reason)?.isTheProgramsFault ?? false
        } else {
            InvalidTransition.Reason(rawValue: reason)?.isTheProgramsFault ?? false
        }
    }
}

extension InvalidTransition.Reason {
    fileprivate var isTheProgramsFault: Bool {
        switch self {
        case .unknownEvent, .unknownState, .unregisteredState, .unsuitableState, .destinationNeeded, .ambiguousEvent,
            .transitionInProgress, .endlessChain, .alreadyRunning, .missingContext, .deadlock, .regionInUse:
            true
        case .notAllowed, .notCurrent, .declined, .noEvent: false
        }
    }
}

extension InvalidAction.Reason {
    fileprivate var isTheProgramsFault: Bool {
        switch self {
        case .unknownAction, .transitionInProgress, .missingContext, .deadlock, .regionInUse: true
        case .notInState, .notCurrent, .failed: false
        }
    }
}

extension LogEntry: CustomStringConvertible {
    /// The level and the message: `info: Download load: IdleState → LoadingState`.
    public var description: String { "\(level.rawValue): \(message)" }
}

extension StateMachine {
    /// Adds a closure that gets a line about everything that happens: transitions, rejected and ignored fires, actions, announcements,
    /// failed work.
    ///
    /// It is an observer, see ``observe(_:)``.
    /// - Parameter body: Gets the line.
    /// - Returns: A registration, with which the closure can be cancelled.
    @discardableResult
    public func log(_ body: @escaping @Sendable (LogEntry) -> Void) -> Registration {
        observe { body(LogEntry($0)) }
    }
}
