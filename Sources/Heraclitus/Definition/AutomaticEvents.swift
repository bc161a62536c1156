public import HeraclitusEssentials

/// Builds the state that an event enters which fires by itself, from the one that is left and the machine's context.
@usableFromInline
typealias AutomaticBuilder = @Sendable (AnyObject, GivenContext?) throws -> AnyObject

/// When an event fires by itself, and what it enters then.
@usableFromInline
struct DeadlineRule: Sendable {
    /// When it is due in a state that was entered at a date; `nil` for never.
    let date: @Sendable (_ state: AnyObject, _ entered: Date) -> Date?

    /// Builds the state to enter from the one that is left; `nil` for the only empty state that the event leads to.
    let build: AutomaticBuilder?

    /// How long after the state was entered it is due; `nil` if that does not matter.
    let after: Duration?

    /// Whether it matters when the state was entered, so that archives keep that.
    var isSinceEntry: Bool { after != nil }

    @usableFromInline
    init(
        date: @escaping @Sendable (_ state: AnyObject, _ entered: Date) -> Date?,
        build: AutomaticBuilder?,
        after: Duration?
    ) {
        self.date = date
        self.build = build
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
extension WorkflowEvent {
    /// Makes the event fire by itself at a date that follows from the state's data.
    ///
    /// ```swift
    /// let lapse = Event(from: UnpaidState.self, to: LapsedState.self).due(\.deadline) { LapsedState(order: $0.order) }
    /// ```
    ///
    /// An archive needs nothing else to go on: the date is asked for again when the machine is restored. The event can be fired as any
    /// other, too. ``StateTransition/due`` is the date at which it was due.
    /// - Parameters:
    ///   - date: Gets the state, and returns when the event is due in it; `nil` for never.
    ///   - build: Builds the state to enter from the one that is left. What it throws declines the transition.
    /// - Returns: The event with this deadline.
    @inlinable
    public func due(
        _ date: @escaping @Sendable (Source) -> Date?,
        enters build: @escaping @Sendable (Source) throws -> Destination
    ) -> Self {
        due(date, building: Self.erased(build))
    }

    /// Makes the event fire by itself at a date that follows from the state's data, into a state that needs the machine's context.
    /// - Parameters:
    ///   - date: Gets the state, and returns when the event is due in it; `nil` for never.
    ///   - build: Builds the state to enter from the one that is left and the context. What it throws declines the transition.
    /// - Returns: The event with this deadline.
    @inlinable
    public func due(
        _ date: @escaping @Sendable (Source) -> Date?,
        enters build: @escaping @Sendable (Source, W.Context) throws -> Destination
    ) -> Self {
        due(date, building: Self.erased(build))
    }

    /// Makes the event fire by itself, into an empty state, at a date that follows from the state's data.
    /// - Parameter date: Gets the state, and returns when the event is due in it; `nil` for never.
    /// - Returns: The event with this deadline.
    @inlinable
    public func due(_ date: @escaping @Sendable (Source) -> Date?) -> Self where Destination: EmptyState {
        due(date, building: nil)
    }

    /// Makes the event fire by itself when the machine has been in the state for some time.
    ///
    /// The archive keeps when the state was entered, so the time also counts while no program runs. An update does
    /// not restart it.
    /// - Parameters:
    ///   - duration: For how long.
    ///   - build: Builds the state to enter from the one that is left. What it throws declines the transition.
    /// - Returns: The event with this deadline.
    @inlinable
    public func due(
        after duration: Duration,
        enters build: @escaping @Sendable (Source) throws -> Destination
    ) -> Self {
        due(after: duration, building: Self.erased(build))
    }

    /// Makes the event fire by itself when the machine has been in the state for some time, into a state that needs the machine's context.
    /// - Parameters:
    ///   - duration: For how long.
    ///   - build: Builds the state to enter from the one that is left and the context. What it throws declines the transition.
    /// - Returns: The event with this deadline.
    @inlinable
    public func due(
        after duration: Duration,
        enters build: @escaping @Sendable (Source, W.Context) throws -> Destination
    ) -> Self {
        due(after: duration, building: Self.erased(build))
    }

    /// Makes the event fire by itself, into an empty state, when the machine has been in the state for some time.
    ///
    /// The archive keeps when the state was entered, so the time also counts while no program runs. An update does
    /// not restart it.
    /// - Parameter duration: For how long.
    /// - Returns: The event with this deadline.
    @inlinable
    public func due(after duration: Duration) -> Self where Destination: EmptyState {
        due(after: duration, building: nil)
    }

    // MARK: -

    @inlinable
    func due(_ date: @escaping @Sendable (Source) -> Date?, building build: AutomaticBuilder?) -> Self {
        adding(DeadlineRule(date: { state, _ in Self.source(of: state).flatMap(date) }, build: build, after: nil))
    }

    @inlinable
    func due(after duration: Duration, building build: AutomaticBuilder?) -> Self {
        adding(
            DeadlineRule(
                date: { state, entered in Self.source(of: state).map { _ in entered + duration } },
                build: build,
                after: duration
            )
        )
    }

    @usableFromInline
    func adding(_ rule: DeadlineRule) -> Self { .init(declaration.adding(deadline: rule)) }

    // Compiled where the class is known, and so no question to the runtime each time that a deadline is armed.
    @inlinable
    static func source(of state: AnyObject) -> Source? { state as? Source }

    @usableFromInline
    static func erased(_ build: @escaping @Sendable (Source) throws -> Destination) -> AutomaticBuilder {
        erased { source, _ in try build(source) }
    }

    @usableFromInline
    static func erased(
        _ build: @escaping @Sendable (Source, W.Context) throws -> Destination
    ) -> AutomaticBuilder {
        { state, given in
            guard let source = source(of: state), let context = GivenContext.value(of: given, as: W.Context.self) else {
                preconditionFailure("An event was armed for a state that it does not lead from, or without a context.")
            }
            return try build(source, context) as AnyObject
        }
    }
}

extension StateTransition {
    /// The date at which the event was due, if it has fired by itself.
    public var due: Date? { fullUserInfo.due }
}

@usableFromInline
func + (date: Date, duration: Duration) -> Date { date.addingTimeInterval(duration / .seconds(1)) }
