import HeraclitusEssentials

/// Why an event fires by itself.
enum FiringCause: Sendable {
    /// Its time has come, which was at this date.
    case due(Date)

    /// The work of the state has thrown this error.
    case failure(any Error)

    /// The work of the state is done.
    case done

    /// Its condition holds.
    case condition

    /// The machines of these properties have ended.
    case completion([String])
}
