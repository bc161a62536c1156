// The builders of the definition make the state to enter if the caller passes none, for callers' fires and automatic
// events alike.

/// Builds the destination from the state that a candidate leaves; `nil` for a source of another type.
typealias StateBuilder = @Sendable (borrowing MachineCore, CandidateTransition, borrowing Call) throws -> AnyObject?

/// A builder of an event with its sources.
struct BuilderRule: Sendable {
    let sources: ClosureParameter
    let build: StateBuilder
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
        changed { $0.builders.append(Self.rule { source, _ in try build(source) }) }
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
        _ build: @escaping @Sendable (Source, MachineCall<W>) throws -> Destination
    ) -> WorkflowEvent<W, Source, W.AnyState> {
        changed { $0.builders.append(Self.rule { source, call in try build(source, MachineCall(call)) }) }
    }

    static func rule(
        _ build: @escaping @Sendable (Source, borrowing Call) throws -> Destination
    ) -> BuilderRule {
        let (sources, destinations) = (StateCast<Source>(in: W.self), StateCast<Destination>(in: W.self))
        return BuilderRule(sources: Self.sources) { core, candidate, call in
            let definition = core.definition
            return try sources.with(core.source(of: candidate), core.sourceLayout(of: candidate)) { source in
                destinations.object(of: try build(source, call), in: definition)
            }
        }
    }
}
