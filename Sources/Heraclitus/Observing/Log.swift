/// A line about something that happened to a machine, for any log.
///
/// ```swift
/// machine.log { print($0) }
/// machine.log { entry in logger.log(level: .init(rawValue: entry.level.rawValue)!, "\(entry.message)") }     // swift-log
/// ```
///
/// The names of the levels are those of swift-log; for OSLog see ``Level-swift.enum``.
public struct LogEntry: Sendable {
    /// How much it matters.
    ///
    /// For OSLog: `debug` and `info` are types of the same names, `notice` is `default`, `warning` and `error` are `error`.
    public enum Level: String, Hashable, Sendable, CaseIterable, Comparable {
        /// A state has new data.
        case debug

        /// A transition was made, or an action performed.
        case info

        /// Something was announced.
        case notice

        /// Something was refused by the table or a guard, or an action failed.
        case warning

        /// Something was refused because the program is wrong: a state that is not registered, a chain without an end, a
        /// circle of waits, a name that there is not.
        case error

        /// Whether one matters less than another.
        /// - Parameters:
        ///   - left: The one.
        ///   - right: The other.
        /// - Returns: `true` if the left one comes first in the list above.
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

    /// The name of the machine's workflow.
    public let workflow: String

    /// What happened.
    public let occurrence: Occurrence

    /// How much it matters.
    public var level: Level {
        switch occurrence {
        case .transitioned(let transition): transition.isUpdate ? .debug : .info
        case .rejected(let error): error.isTheProgramsFault ? .error : .warning
        case .performed: .info
        case .refused(let error): error.reason == .deadlock ? .error : .warning
        case .announced: .notice
        }
    }

    /// What happened, in one line: `Download load: IdleState → LoadingState`.
    public var message: String {
        switch occurrence {
        // Errors say whose they are.
        case .rejected, .refused: "\(occurrence)"
        default: "\(workflow) \(occurrence)"
        }
    }
}

extension LogEntry: CustomStringConvertible {
    /// The level and the message: `info: Download load: IdleState → LoadingState`.
    public var description: String { "\(level.rawValue): \(message)" }
}

extension StateMachine {
    /// Adds a closure that gets a line about everything that happens: transitions, refusals, actions, announcements.
    ///
    /// It is an observer, see ``observe(_:)``.
    /// - Parameter body: Gets the line.
    /// - Returns: A registration, with which the closure can be cancelled.
    @discardableResult
    public func log(_ body: @escaping @Sendable (LogEntry) -> Void) -> Registration {
        let workflow = definition.workflow
        return observe { body(LogEntry(workflow: workflow, occurrence: $0)) }
    }
}

extension InvalidTransition {
    fileprivate var isTheProgramsFault: Bool {
        switch reason {
        case .notAllowed, .declined, .noEvent, .notCurrent: false
        case .unknownEvent, .unregisteredState, .unsuitableState, .destinationNeeded, .ambiguousEvent,
            .transitionInProgress,
            .endlessChain, .deadlock:
            true
        }
    }
}
