public import HeraclitusEssentials

// The builders of the definition make the state to enter if the caller passes none, for callers' fires and automatic
// events alike.

/// Builds the destination from the state that a candidate leaves; `nil` for a source of another type.
@usableFromInline
typealias StateBuilder =
    @Sendable (
        borrowing MachineCore, CandidateTransition, _ userInfo: UserInfo, _ now: () -> Date
    ) throws -> AnyObject?

/// A builder of an event with its sources.
struct BuilderRule: Sendable {
    let sources: ClosureParameter
    let build: StateBuilder
}

/// Values for a builder of the definition, besides the state being left.
public struct EventCall<W: Workflow>: Sendable {
    /// The machine's context.
    public let context: W.Context

    /// The date by the machine's scheduler, the same for hooks and observers of the transition.
    public let now: Date

    let fullUserInfo: UserInfo

    /// The values of the caller of `fire`.
    public var userInfo: UserInfo { fullUserInfo.withoutCause }

    /// The due date, for an automatic event with a deadline.
    public var due: Date? { fullUserInfo.due }

    /// The error of failed work, for an automatic event after a failure.
    public var failure: (any Error)? { fullUserInfo.failure }
}

extension WorkflowEvent {
    /// Builds the state to enter, so that callers need not pass one.
    ///
    /// ```swift
    /// let grade = Event(from: ExamState.self, to: PassedState.self, FailedState.self)
    ///     .enters { exam in if exam.points < 50 { FailedState(exam) } else { PassedState(exam) } }
    ///
    /// try machine.fire.grade()
    /// ```
    ///
    /// The builder runs if the event is fired without a state: as a function, by name, from work, in a rehearsal, or
    /// automatically. It runs once, in the machine's turn, after the table has allowed the event. It must not fire the
    /// machine. A state object of the caller replaces the built one.
    ///
    /// With several destinations, write `if` or `switch`: both sides of a `?:` need one type.
    ///
    /// Add guards and hooks that need the destination's class before the builder. Closures after the builder get the
    /// workflow's ``Workflow/AnyState``.
    /// - Parameter build: Builds the destination from the state being left. Its error declines the transition.
    /// - Returns: The event with this builder.
    public func enters(
        _ build: @escaping @Sendable (Source) throws -> Destination
    ) -> WorkflowEvent<W, Source, W.AnyState> {
        changed { $0.builders.append(Self.rule { source, _, _, _ in try build(source) }) }
    }

    /// Builds the state to enter, using the machine's context, the date, the caller's user info, or the cause of an
    /// automatic event.
    ///
    /// ```swift
    /// let fail = Event(from: ConnectingState.self, to: BackingOffState.self).whenFailed()
    ///     .enters { connecting, call in BackingOffState(after: connecting, until: call.now + call.context.pause) }
    /// ```
    /// - Parameter build: Builds the destination from the state being left and the call. Its error declines the
    ///   transition.
    /// - Returns: The event with this builder.
    public func enters(
        _ build: @escaping @Sendable (Source, EventCall<W>) throws -> Destination
    ) -> WorkflowEvent<W, Source, W.AnyState> {
        changed { $0.builders.append(Self.rule(build)) }
    }

    static func rule(_ build: @escaping @Sendable (Source, EventCall<W>) throws -> Destination) -> BuilderRule {
        rule { source, given, userInfo, now in
            guard let context = GivenContext.value(of: given, as: W.Context.self) else {
                preconditionFailure("A machine without its context got a turn.")
            }
            return try build(source, EventCall(context: context, now: now(), fullUserInfo: userInfo))
        }
    }

    static func rule(
        _ build: @escaping @Sendable (Source, GivenContext?, UserInfo, () -> Date) throws -> Destination
    ) -> BuilderRule {
        let (sources, destinations) = (StateCast<Source>(in: W.self), StateCast<Destination>(in: W.self))
        return BuilderRule(sources: Self.sources) { core, candidate, userInfo, now in
            let (context, definition) = (core.context, core.definition)
            return try sources.with(core.source(of: candidate), core.sourceLayout(of: candidate)) { source in
                destinations.object(of: try build(source, context, userInfo, now), in: definition)
            }
        }
    }
}
