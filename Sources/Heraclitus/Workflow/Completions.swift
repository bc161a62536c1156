// An event of the definition that fires by itself when machines within the state have ended.

/// Which machines have to have ended for an event to fire, and what it enters then.
struct CompletionRule: Sendable {
    /// The machines in a state.
    let regions: @Sendable (AnyObject) -> [any Region]

    /// Builds the state to enter from the one that is left; `nil` for the only empty state that the event leads to.
    let build: AutomaticBuilder?
}

extension WorkflowEvent {
    /// Makes the event fire by itself when machines within the state are in a final state: one that nothing leaves.
    ///
    /// ```swift
    /// let deliver = Event(from: PlacedState.self, to: DeliveredState.self)
    ///     .whenFinal(\.payment, \.parcel) { placed in DeliveredState(address: placed.address) }
    /// ```
    ///
    /// It fires when the last of them has ended, in the same turn, and also when they have ended already as their state is entered,
    /// restored or updated. What a guard declines then comes again after the next transition of one of them into a final state, or the
    /// next update; observers hear of the rejection. The event can be fired as any other, too.
    /// - Parameters:
    ///   - regions: The properties of the state, which is ``Composite``, that hold the machines.
    ///   - build: Builds the state to enter from the one that is left. What it throws declines the transition.
    /// - Returns: The event with this completion.
    public func whenFinal<each R: Region>(
        _ regions: repeat any KeyPath<Source, each R> & Sendable,
        enters build: @escaping @Sendable (Source) throws -> Destination
    ) -> Self {
        var all: [RegionAccess] = []
        repeat all.append(Self.access(each regions))
        return adding(all, Self.erased(build))
    }

    /// Makes the event fire by itself, into an empty state, when machines within the state are in a final state.
    /// - Parameter regions: The properties of the state, which is ``Composite``, that hold the machines.
    /// - Returns: The event with this completion.
    public func whenFinal<each R: Region>(_ regions: repeat any KeyPath<Source, each R> & Sendable) -> Self
    where Destination: EmptyState {
        var all: [RegionAccess] = []
        repeat all.append(Self.access(each regions))
        return adding(all, nil)
    }

    private typealias RegionAccess = @Sendable (AnyObject) -> (any Region)?

    private static func access<R: Region>(_ path: any KeyPath<Source, R> & Sendable) -> RegionAccess {
        { state in (state as? Source)?[keyPath: path] }
    }

    private func adding(_ regions: [RegionAccess], _ build: AutomaticBuilder?) -> Self {
        .init(
            declaration.adding(
                completion: CompletionRule(regions: { state in regions.compactMap { $0(state) } }, build: build)
            )
        )
    }
}
