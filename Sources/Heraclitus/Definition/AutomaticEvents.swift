public import HeraclitusEssentials

/// When an event fires by itself.
@usableFromInline
struct DeadlineRule: Sendable {
    /// When it is due in a state that was entered at a date; `nil` for never.
    let date: @Sendable (_ state: AnyObject, _ entered: Date) -> Date?

    /// Whether it matters when the state was entered, so that archives keep that.
    let isSinceEntry: Bool

    /// How long after the state was entered it is due, if that is the same for each state.
    let after: Duration?

    @usableFromInline
    init(
        date: @escaping @Sendable (_ state: AnyObject, _ entered: Date) -> Date?,
        isSinceEntry: Bool,
        after: Duration?
    ) {
        self.date = date
        self.isSinceEntry = isSinceEntry
        self.after = after
    }
}

// An event of the definition that fires by itself when its time has come. It belongs to the very object that is the state when it
// is armed: at enter, at restore, and after an update, which arms it anew for the new data. When that object is left, or the
// machine is gone, it is disarmed, and one that comes too late all the same is rejected as `.notCurrent`. Guards and hooks run as
// for every other fire, on the scheduler's thread.
//
// What was due while nobody ran fires at activation, in order of time. A time that has passed when its state is entered is due at
// once: in the same turn, when everyone has been called who hears of the entering. What a guard declines then does not come again;
// observers hear of the rejection.
//
// It enters what the event's builder makes, or else the only empty state that it leads to.
extension WorkflowEvent {
    /// Makes the event fire by itself at a date that follows from the state's data.
    ///
    /// ```swift
    /// let lapse = Event(from: UnpaidState.self, to: LapsedState.self).due(\.deadline).enters { LapsedState(order: $0.order) }
    /// ```
    ///
    /// An archive needs nothing else to go on: the date is asked for again when the machine is restored. The event can be fired as any
    /// other, too. ``StateTransition/due`` is the date at which it was due.
    /// - Parameter date: Gets the state, and returns when the event is due in it; `nil` for never.
    /// - Returns: The event with this deadline.
    @inlinable
    public func due(_ date: @escaping @Sendable (Source) -> Date?) -> Self {
        adding(
            DeadlineRule(
                date: { state, _ in Self.source(of: state).flatMap(date) },
                isSinceEntry: false,
                after: nil
            )
        )
    }

    /// Makes the event fire by itself when the machine has been in the state for some time.
    ///
    /// The archive keeps when the state was entered, so the time also counts while no program runs. An update does
    /// not restart it.
    /// - Parameter duration: For how long.
    /// - Returns: The event with this deadline.
    @inlinable
    public func due(after duration: Duration) -> Self {
        adding(
            DeadlineRule(
                date: { state, entered in Self.source(of: state).map { _ in entered + duration } },
                isSinceEntry: true,
                after: duration
            )
        )
    }

    /// Makes the event fire by itself when the machine has been in the state for a time that follows from the state's data.
    ///
    /// ```swift
    /// let retry = Event(from: BackingOffState.self, to: ConnectingState.self)
    ///     .due(after: { backingOff in .seconds(10 * backingOff.failures) })
    /// ```
    ///
    /// The time counts as that of `due(after:)` for a constant. It is asked for each time that the machine enters the state, updates it, is restored or
    /// archived.
    /// - Parameter duration: Gets the state, and returns for how long; the same for the same object; `nil` for ever.
    /// - Returns: The event with this deadline.
    @inlinable @_disfavoredOverload  // so that a trailing closure returns a date where both would do
    public func due(after duration: @escaping @Sendable (Source) -> Duration?) -> Self {
        adding(
            DeadlineRule(
                date: { state, entered in Self.source(of: state).flatMap(duration).map { entered + $0 } },
                isSinceEntry: true,
                after: nil
            )
        )
    }

    @usableFromInline
    func adding(_ rule: DeadlineRule) -> Self {
        .init(declaration.adding(deadline: rule, in: ClosureTypes.Parameter(Source.self, of: W.AnyState.self)))
    }

    // Compiled where the class is known, and so no question to the runtime each time that a deadline is armed.
    @inlinable
    static func source(of state: AnyObject) -> Source? { state as? Source }
}

extension StateTransition {
    /// The date at which the event was due, if it has fired by itself.
    public var due: Date? { fullUserInfo.due }
}

@usableFromInline
func + (date: Date, duration: Duration) -> Date { date.addingTimeInterval(duration / .seconds(1)) }
