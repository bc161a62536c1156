public import HeraclitusEssentials

// A trigger and a builder in one, as `enters(_:)` behind it.
extension WorkflowEvent {
    /// Makes the event fire by itself at a date that follows from the state's data, into a state that is built.
    /// - Parameters:
    ///   - date: Gets the state, and returns when the event is due in it; `nil` for never.
    ///   - build: Builds the state to enter from the one that is left. What it throws declines the transition.
    /// - Returns: The event with this deadline.
    public func due(
        _ date: @escaping @Sendable (Source) -> Date?,
        enters build: @escaping @Sendable (Source) throws -> Destination
    ) -> Self {
        due(date).building(build)
    }

    /// Makes the event fire by itself at a date that follows from the state's data, into a state that needs the machine's context.
    /// - Parameters:
    ///   - date: Gets the state, and returns when the event is due in it; `nil` for never.
    ///   - build: Builds the state to enter from the one that is left and the context. What it throws declines the transition.
    /// - Returns: The event with this deadline.
    public func due(
        _ date: @escaping @Sendable (Source) -> Date?,
        enters build: @escaping @Sendable (Source, W.Context) throws -> Destination
    ) -> Self {
        due(date).building(build)
    }

    /// Makes the event fire by itself when the machine has been in the state for some time, into a state that is built.
    /// - Parameters:
    ///   - duration: For how long.
    ///   - build: Builds the state to enter from the one that is left. What it throws declines the transition.
    /// - Returns: The event with this deadline.
    public func due(
        after duration: Duration,
        enters build: @escaping @Sendable (Source) throws -> Destination
    ) -> Self {
        due(after: duration).building(build)
    }

    /// Makes the event fire by itself when the machine has been in the state for some time, into a state that needs the machine's context.
    /// - Parameters:
    ///   - duration: For how long.
    ///   - build: Builds the state to enter from the one that is left and the context. What it throws declines the transition.
    /// - Returns: The event with this deadline.
    public func due(
        after duration: Duration,
        enters build: @escaping @Sendable (Source, W.Context) throws -> Destination
    ) -> Self {
        due(after: duration).building(build)
    }

    /// Makes the event fire by itself when machines within the state are in a final state, into a state that is built.
    /// - Parameters:
    ///   - regions: The properties of the state, which is ``Composite``, that hold the machines.
    ///   - build: Builds the state to enter from the one that is left. What it throws declines the transition.
    /// - Returns: The event with this completion.
    public func whenFinal<each R: Region>(
        _ regions: repeat any KeyPath<Source, each R> & Sendable,
        enters build: @escaping @Sendable (Source) throws -> Destination
    ) -> Self {
        whenFinal(repeat each regions).building(build)
    }

    /// Makes the event fire by itself when machines within the state are in a final state, into a state that needs the machine's context.
    /// - Parameters:
    ///   - regions: The properties of the state, which is ``Composite``, that hold the machines.
    ///   - build: Builds the state to enter from the one that is left and the context. What it throws declines the transition.
    /// - Returns: The event with this completion.
    public func whenFinal<each R: Region>(
        _ regions: repeat any KeyPath<Source, each R> & Sendable,
        enters build: @escaping @Sendable (Source, W.Context) throws -> Destination
    ) -> Self {
        whenFinal(repeat each regions).building(build)
    }

    private func building(_ build: @escaping @Sendable (Source) throws -> Destination) -> Self {
        .init(declaration.adding(builder: Self.rule { source, _, _, _ in try build(source) }))
    }

    private func building(_ build: @escaping @Sendable (Source, W.Context) throws -> Destination) -> Self {
        .init(declaration.adding(builder: Self.rule { source, call in try build(source, call.context) }))
    }
}
