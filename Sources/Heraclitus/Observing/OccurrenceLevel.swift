extension Occurrence {
    /// The level of an occurrence in a log, under the names of swift-log.
    ///
    /// OSLog has the types `debug` and `info`. Its type for `notice` is `default`; `warning` and `error` share `error`.
    public enum Level: String, Hashable, Sendable {
        /// An update, or an ignored event.
        case debug

        /// A transition to another state, or a performed action.
        case info

        /// An announcement.
        case notice

        /// A rejected fire or action, or a failed action; the reason may lie outside the program.
        case warning

        /// Failed work of a state, or a mistake in the program.
        ///
        /// Such mistakes are an unregistered state, an endless chain, a deadlock or an unknown name.
        case error
    }

    /// The level of the occurrence in a log.
    public var level: Level {
        switch kind {
        case .transitioned: isUpdate ? .debug : .info
        // A journal of a later version may contain an unknown reason.
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
        // Waits are left out of journals.
        case .timedOut, .unreachable: false
        }
    }
}
