extension Occurrence {
    /// The level of an occurrence in a log, under the names of swift-log.
    ///
    /// For OSLog: `debug` and `info` are types of the same names, `notice` is `default`, `warning` and `error` are `error`.
    public enum Level: String, Hashable, Sendable, CaseIterable, Comparable {
        /// A state has new data, or an event was ignored.
        case debug

        /// A transition was made, or an action performed.
        case info

        /// Something was announced.
        case notice

        /// A fire or an action was rejected, or an action failed, for a reason that may lie outside the program.
        case warning

        /// The work of a state has failed, or the program has a mistake: a state that is not registered, a chain without an end, a circle of
        /// waits, an unknown name.
        case error

        /// Whether a level is lower than another.
        /// - Parameters:
        ///   - left: A level.
        ///   - right: Another level.
        /// - Returns: `true` if the left level comes first in the list above.
        public static func < (left: Level, right: Level) -> Bool { left.rank < right.rank }

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// The level of the occurrence in a log.
    public var level: Level {
        switch kind {
        case .transitioned: isUpdate ? .debug : .info
        // A later version may have written a reason that this one does not know.
        case .rejected, .refused:
            reason.flatMap(InvalidTransition.Reason.init)?.isTheProgramsFault == true ? .error : .warning
        case .ignored: .debug
        case .performed: .info
        case .announced: .notice
        case .failed: .error
        }
    }
}

extension InvalidTransition.Reason {
    fileprivate var isTheProgramsFault: Bool {
        switch self {
        case .unknownEvent, .unknownAction, .unknownState, .unregisteredState, .unsuitableState, .destinationNeeded,
            .ambiguousEvent,
            .transitionInProgress, .endlessChain, .alreadyRunning, .missingContext, .deadlock, .regionInUse:
            true
        case .notAllowed, .notCurrent, .declined, .actionFailed, .noEvent: false
        }
    }
}
