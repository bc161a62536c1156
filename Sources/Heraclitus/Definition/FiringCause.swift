import HeraclitusEssentials

/// The cause of an automatic event.
enum FiringCause: Sendable {
    /// The event is due at this date.
    case due(Date)

    /// The work of the state has thrown this error.
    case failure(any Error)

    /// The work of the state is done.
    case done

    /// The event's condition holds.
    case condition

    /// The machines of these properties have ended.
    case completion([String])
}
