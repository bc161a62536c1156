/// A log entry for an occurrence of a machine.
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
    /// For OSLog: `debug` and `info` are types of the same names, `notice` is `default`, `warning` and `error` are
    /// `error`. The list of levels is complete.
    public enum Level: String, Hashable, Sendable, CaseIterable, Comparable {
        /// A state has new data, or an event was ignored.
        case debug

        /// A transition was made, or an action performed.
        case info

        /// An announcement was made.
        case notice

        /// A fire was rejected, an action was refused, or an action failed, possibly without a mistake in the program.
        case warning

        /// The work of a state has failed, or the program has a mistake.
        ///
        /// Mistakes are unregistered states, endless chains, circles of waits and unknown names.
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

    /// The occurrence.
    public let occurrence: Occurrence

    /// Makes an entry for an occurrence, for example from an audit log.
    /// - Parameter occurrence: The occurrence.
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

    /// The occurrence in one line: `Download load: IdleState → LoadingState`.
    ///
    /// Line breaks in names and errors become spaces, so text from outside cannot forge further log lines.
    public var message: String {
        switch occurrence.kind {
        // Errors already contain the workflow's name.
        case .rejected, .refused: occurrence.message.inOneLine
        default: "\(workflow) \(occurrence.message)".inOneLine
        }
    }

    // Occurrences of later versions may have an unknown reason.
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
    /// Adds a closure that gets an entry for each occurrence: transitions, rejected and ignored fires, actions,
    /// announcements, failed work.
    ///
    /// The closure is an observer, see ``observe(_:)``.
    /// - Parameter body: Gets the entry.
    /// - Returns: A registration for removing the closure.
    @discardableResult
    public func log(_ body: @escaping @Sendable (LogEntry) -> Void) -> Registration {
        observe { body(LogEntry($0)) }
    }
}
