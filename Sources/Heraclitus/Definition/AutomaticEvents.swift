public import HeraclitusEssentials

// Automatic events with deadlines. A deadline belongs to one state object: it is armed at entry, at restoration, and
// after an update again for the new data. It is disarmed when the object is left or the machine is released; a late
// fire is rejected as `.notCurrent`. Guards and hooks run as for every other fire, on the scheduler's thread.
//
// Deadlines that passed while no process ran fire at activation, in order. A deadline that has passed when its state is
// entered fires in the same turn, after all callbacks of the entry. A declined deadline is not retried; observers are
// told of the rejection.
//
// The event enters the state of its builder, or the only empty state that it leads to.
extension WorkflowEvent {
    /// Makes the event automatic, at a date computed from the state's data.
    ///
    /// ```swift
    /// let lapse = Event(from: UnpaidState.self, to: LapsedState.self).due(\.deadline).enters { LapsedState(order: $0.order) }
    /// ```
    ///
    /// An archive needs no further data: the date is computed again when the machine is restored. Callers may fire the
    /// event, too. ``StateTransition/due`` is the due date.
    /// - Parameter date: Gets the state, and returns the due date; `nil` for never.
    /// - Returns: The event with this deadline.
    @inlinable
    public func due(_ date: @escaping @Sendable (Source) -> Date?) -> Self {
        adding(due: { state, _ in Self.source(of: state).flatMap(date) }, isSinceEntry: false)
    }

    /// Makes the event automatic, after a time in the state.
    ///
    /// The archive keeps the date of entry, so the time also counts while no program runs. An update keeps the
    /// beginning of the time.
    /// - Parameter duration: The time.
    /// - Returns: The event with this deadline.
    @inlinable
    public func due(after duration: Duration) -> Self {
        adding(due: { state, entered in Self.source(of: state).map { _ in entered + duration } }, after: duration)
    }

    /// Makes the event automatic, after a time in the state that is computed from the state's data.
    ///
    /// ```swift
    /// let retry = Event(from: BackingOffState.self, to: ConnectingState.self)
    ///     .due(after: { backingOff in .seconds(10 * backingOff.failures) })
    /// ```
    ///
    /// The time counts as in `due(after:)` for a constant. It is computed at each entry, update, restoration and
    /// archive, so a random time is wrong here: for a ``BackOff``, keep the date of ``BackOff/date(after:since:)`` in
    /// the state.
    /// - Parameter duration: Gets the state, and returns the time, which is constant for an object; `nil` for never.
    /// - Returns: The event with this deadline.
    @inlinable @_disfavoredOverload  // so that an ambiguous trailing closure returns a date
    public func due(after duration: @escaping @Sendable (Source) -> Duration?) -> Self {
        adding(due: { state, entered in Self.source(of: state).flatMap(duration).map { entered + $0 } })
    }

    @usableFromInline
    func adding(
        due date: @escaping @Sendable (_ state: AnyObject, _ entered: Date) -> Date?,
        isSinceEntry: Bool = true,
        after: Duration? = nil
    ) -> Self {
        adding(.due(date, isSinceEntry: isSinceEntry, after: after))
    }

    /// Adds a trigger in the event's sources.
    func adding(_ kind: Trigger.Kind) -> Self { changed { $0.add(Trigger(sources: Self.sources, kind: kind)) } }

    // Compiled where the class is known, so arming a deadline does not ask the runtime.
    @inlinable
    static func source(of state: AnyObject) -> Source? { state as? Source }
}

@usableFromInline
func + (date: Date, duration: Duration) -> Date { date.addingTimeInterval(duration / .seconds(1)) }
