import HeraclitusEssentials

extension StateMachine {
    /// Waits until the machine is in a state or a subclass of it.
    ///
    /// The call returns at once if the machine is in the state. A state that the machine enters and leaves again
    /// counts. Wait for inner machines themselves: the states of machines within the state are ignored.
    ///
    /// ```swift
    /// let active = try await machine.wait(for: ActiveState.self)
    /// ```
    ///
    /// The timeout uses the machine's scheduler, so a test can move it with a manual clock.
    /// - Parameters:
    ///   - state: The state's class, or a protocol of states.
    ///   - timeout: The maximum duration; `nil` for no limit.
    /// - Returns: The state object.
    /// - Throws: ``InvalidTransition``, whose destination is the expected state:
    ///   ``InvalidTransition/Reason-swift.enum/timedOut`` at the timeout, and
    ///   ``InvalidTransition/Reason-swift.enum/unreachable`` when no events lead to the state any more, or at once for
    ///   a state outside the workflow. For a protocol without a ``StateGroup``, only a final state is no way there.
    ///   `CancellationError` when the task is cancelled.
    @discardableResult
    public func wait<S: Sendable>(for state: S.Type, timeout: Duration? = nil) async throws -> S {
        guard let timeout else { return try await waitUntilUnreachable(state) }
        let scheduler = core.scheduler
        // The timeout begins now, before the child task runs.
        let sleep = scheduler.sleeping(until: scheduler.date + timeout)
        return try await withThrowingTaskGroup(of: S?.self) { group in
            group.addTask { try await self.waitUntilUnreachable(state) }
            group.addTask {
                try await sleep()
                return nil
            }
            defer { group.cancelAll() }
            if let reached = try await group.next() ?? nil { return reached }
            // Both tasks may have been late. A cancelled stream still has the states that were entered before.
            group.cancelAll()
            do {
                if let reached = try await group.next() ?? nil { return reached }
            } catch is CancellationError {}
            if let reached = self.state as? S { return reached }
            throw failure(ofWaitFor: state, in: core.now.index, after: timeout)
        }
    }

    private func waitUntilUnreachable<S: Sendable>(_ state: S.Type) async throws -> S {
        var beginnings: Set<Int>?
        for await current in states() {
            if let reached = current as? S { return reached }
            if beginnings == nil { beginnings = definition.states(leadingTo: state) }
            let index = definition.stateIndex(of: current as AnyObject)
            guard let index, beginnings?.contains(index) == false else { continue }
            throw failure(ofWaitFor: state, in: index)
        }
        // The machine is alive while this method runs, so the stream has ended by cancellation.
        throw CancellationError()
    }

    private func failure<S>(
        ofWaitFor expected: S.Type,
        in source: Int,
        after timeout: Duration? = nil
    ) -> InvalidTransition {
        let name = (S.self as? any WorkflowState.Type)?.name ?? String(describing: S.self)
        let limit = timeout.map { " longer than \($0 / .seconds(1)) seconds" } ?? ""
        let details = InvalidTransition.Details(
            destination: name,
            attempt: "wait\(limit) for \(name.shortened)",
            missedDeadline: timeout == nil ? nil : missedDeadline
        )
        let reason: InvalidTransition.Reason = timeout == nil ? .unreachable : .timedOut
        return core.completed(InvalidTransition(reason, in: definition, event: nil, from: source, details), Call(self))
    }
}

extension Definition {
    /// The numbers of the states from which events lead, directly or indirectly, to a class.
    ///
    /// For a protocol without a group, conformance is unknown: every state with outgoing events counts as leading
    /// there.
    fileprivate func states<S>(leadingTo state: S.Type) -> Set<Int> {
        guard let goals = states(of: state) else {
            return Set(states.filter { !$0.isFinal }.map(\.index))
        }
        // Each pair is looked at once: a definition may have thousands of states.
        var sources: [Int: [Int]] = [:]
        for event in events {
            for source in event.reach.states(where: \.isAllowed) {
                for destination in event.reach.destinations(from: source) {
                    sources[destination, default: []].append(source)
                }
            }
        }
        var (found, open) = (Set(goals), goals)
        while let next = open.popLast() {
            for source in sources[next] ?? [] where found.insert(source).inserted { open.append(source) }
        }
        return found
    }
}
