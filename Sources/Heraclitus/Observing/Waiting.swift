public import HeraclitusEssentials

extension StateMachine {
    /// Waits until the machine is in a state, or in a subclass of it.
    ///
    /// It returns at once if the machine is in that state now. A state that the machine enters and leaves again counts, too. The states of
    /// machines within its state do not: wait for those machines themselves.
    ///
    /// ```swift
    /// let active = try await machine.wait(for: ActiveState.self)
    /// ```
    /// - Parameter state: The state's class, or a protocol of states.
    /// - Returns: The state object.
    /// - Throws: ``StateUnreachable`` when no events lead there any more (for a protocol without a ``StateGroup`` of the workflow: in
    ///   a final state only), and at once for what is no state of the workflow;
    ///   `CancellationError` when the task is cancelled.
    public func wait<S: Sendable>(for state: S.Type) async throws -> S {
        let beginnings = definition.states(leadingTo: state)
        for await current in states {
            if let reached = current as? S { return reached }
            let index = definition.stateIndex(of: current as AnyObject)
            if let index, !beginnings.contains(index) {
                throw StateUnreachable(
                    workflow: definition.workflow,
                    expected: (S.self as? any WorkflowState.Type)?.name ?? String(describing: S.self),
                    state: definition.states[index].name
                )
            }
        }
        // The machine is alive as long as this runs: so the stream has ended because the task was cancelled.
        throw CancellationError()
    }
}

extension StateMachine {
    /// Waits until the machine is in a state, or in a subclass of it, but not longer than for some time.
    ///
    /// The time goes by the machine's scheduler, so that a test moves it on with a manual clock.
    /// - Parameters:
    ///   - state: The state's class, or a protocol of states.
    ///   - timeout: For how long.
    /// - Returns: The state object.
    /// - Throws: ``StateTimeout`` when the time is over; what ``wait(for:)`` throws.
    public func wait<S: Sendable>(for state: S.Type, timeout: Duration) async throws -> S {
        let scheduler = core.scheduler
        // From now on, and not from when a child task runs.
        let sleep = scheduler.sleeping(until: scheduler.date + timeout)
        return try await withThrowingTaskGroup(of: S.self) { group in
            group.addTask { try await self.wait(for: state) }
            group.addTask {
                try await sleep()
                throw StateTimeout(
                    workflow: self.definition.workflow,
                    expected: (S.self as? any WorkflowState.Type)?.name ?? String(describing: S.self),
                    state: self.stateName,
                    timeout: timeout
                )
            }
            defer { group.cancelAll() }
            guard let reached = try await group.next() else { throw CancellationError() }
            return reached
        }
    }
}

/// The error of waiting too long for a state.
public struct StateTimeout: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the workflow.
    public let workflow: String

    /// The name of the state that was waited for.
    public let expected: String

    /// The name of the state in which the machine was at the end.
    public let state: String

    /// For how long was waited.
    public let timeout: Duration

    /// A sentence with both states.
    public var description: String {
        "\(workflow) was in \(state) and not in \(expected) after \(timeout / .seconds(1)) seconds."
    }
}

extension StateTimeout: LocalizedError {
    /// A sentence with both states.
    public var errorDescription: String? { description }
}

/// The error of waiting for a state that the machine cannot enter any more, because no events lead there.
public struct StateUnreachable: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the workflow.
    public let workflow: String

    /// The name of the state that was waited for.
    public let expected: String

    /// The name of the state that the machine is in.
    public let state: String

    /// A sentence with both states.
    public var description: String { "\(workflow) cannot get to \(expected) from \(state): no events lead there." }
}

extension StateUnreachable: LocalizedError {
    /// A sentence with both states.
    public var errorDescription: String? { description }
}

extension Definition {
    /// The numbers of the states from which events lead, by any way, to a class.
    ///
    /// Whether a class conforms to a protocol of which there is no group is not known: then every state that is left leads there.
    fileprivate func states<S>(leadingTo state: S.Type) -> Set<Int> {
        guard let goals = states(of: state) else {
            return Set(states.filter { !$0.isFinal }.map(\.index))
        }
        var found = Set(goals)
        while true {
            let before = states.map(\.index).filter { index in
                !found.contains(index)
                    && events.contains { $0.reach.destinations(from: index).contains(where: found.contains) }
            }
            if before.isEmpty { return found }
            found.formUnion(before)
        }
    }
}
