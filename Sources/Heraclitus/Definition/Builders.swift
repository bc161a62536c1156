public import HeraclitusEssentials

// What an event enters when its caller names no state: the builders of the definition, for events that are fired and for those that
// fire by themselves alike.

/// Builds the state that an event enters from the one that is left; `nil` if that is not of the type that it takes.
@usableFromInline
typealias StateBuilder =
    @Sendable (
        _ source: AnyObject, _ context: GivenContext?, _ userInfo: UserInfo, _ now: () -> Date
    ) throws -> AnyObject?

/// A builder of an event, and the states for which it builds.
struct BuilderRule: Sendable {
    let sources: ClosureTypes.Parameter
    let build: StateBuilder
}

/// Values passed to a builder of the definition, besides the state that is left.
public struct EventCall<W: Workflow>: Sendable {
    /// What the machine was given for its states.
    public let context: W.Context

    /// The date by the machine's scheduler, which hooks and observers of the transition get, too.
    public let now: Date

    let fullUserInfo: UserInfo

    /// The values that the caller of `fire` passed.
    public var userInfo: UserInfo { fullUserInfo.withoutCause }

    /// The date at which the event was due, if it fires by itself for that.
    public var due: Date? { fullUserInfo.due }

    /// The error of the work that has failed, if the event fires by itself for that.
    public var failure: (any Error)? { fullUserInfo.failure }
}

extension WorkflowEvent {
    /// Says what the event enters, so that nobody who fires it has to.
    ///
    /// ```swift
    /// let grade = Event(from: ExamState.self, to: PassedState.self, FailedState.self)
    ///     .enters { exam in exam.points >= 50 ? PassedState(exam) : FailedState(exam) }
    ///
    /// try machine.fire.grade()
    /// ```
    ///
    /// The builder runs when the event is fired without a state: as a function, by name, from work, in a rehearsal, or by itself. It runs once, during
    /// the machine's turn, and only if the table allows the event. It must not fire the machine. Whoever fires the event with a state object enters
    /// that one.
    ///
    /// From now on closures get the destination as the workflow's ``Workflow/AnyState``: add guards and hooks that need its class before.
    /// - Parameter build: Builds the state to enter from the one that is left. What it throws declines the transition.
    /// - Returns: The event with this builder.
    public func enters(
        _ build: @escaping @Sendable (Source) throws -> Destination
    ) -> WorkflowEvent<W, Source, W.AnyState> {
        .init(declaration.adding(builder: Self.rule { source, _, _, _ in try build(source) }))
    }

    /// Says what the event enters, from what its call has: the machine's context, the date, the caller's user info, or why it fires by itself.
    ///
    /// ```swift
    /// let fail = Event(from: ConnectingState.self, to: BackingOffState.self).whenFailed()
    ///     .enters { connecting, call in BackingOffState(after: connecting, until: call.now + call.context.pause) }
    /// ```
    /// - Parameter build: Builds the state to enter from the one that is left and the call. What it throws declines the transition.
    /// - Returns: The event with this builder.
    public func enters(
        _ build: @escaping @Sendable (Source, EventCall<W>) throws -> Destination
    ) -> WorkflowEvent<W, Source, W.AnyState> {
        .init(declaration.adding(builder: Self.rule(build)))
    }

    static func rule(_ build: @escaping @Sendable (Source, EventCall<W>) throws -> Destination) -> BuilderRule {
        rule { source, given, userInfo, now in
            guard let context = GivenContext.value(of: given, as: W.Context.self) else {
                preconditionFailure("A machine without its context gets no turn.")
            }
            return try build(source, EventCall(context: context, now: now(), fullUserInfo: userInfo))
        }
    }

    static func rule(
        _ build: @escaping @Sendable (Source, GivenContext?, UserInfo, () -> Date) throws -> Destination
    ) -> BuilderRule {
        BuilderRule(sources: ClosureTypes.Parameter(Source.self, of: W.AnyState.self)) { source, given, userInfo, now in
            guard let source = source as? Source else { return nil }
            return try build(source, given, userInfo, now) as AnyObject
        }
    }
}
