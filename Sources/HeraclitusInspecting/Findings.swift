public import Heraclitus

extension Workflow {
    /// Warnings about a valid workflow: unreachable states and events, states without a way to the end, events that do the same.
    ///
    /// ```swift
    /// #expect(Download.findings.isEmpty)
    /// ```
    ///
    /// The first use of a workflow stops the program if its definition is invalid; `diagnostics` lists the mistakes.
    public static var findings: [WorkflowFinding] {
        table.findings + statesWithUnheardFailures.map { .unheardFailure($0) }
    }
}

extension TransitionTable {
    /// Warnings about the workflow, also about that of a decoded table.
    ///
    /// First come findings about states and then those about events, each in the order of the definition. It takes time linear in the
    /// numbers of states and transitions, except that transitions of events without guards, hooks, deadlines and updates are sorted.
    public var findings: [WorkflowFinding] {
        let graph = TableGraph(self)
        let reached = graph.reached(from: graph.beginnings)
        return stateFindings(graph, reached) + eventFindings(graph, reached)
    }

    private func stateFindings(_ graph: TableGraph, _ reached: Set<Int>) -> [WorkflowFinding] {
        let entered = graph.withSuperstates(reached)
        let ends = (declaredFinals.isEmpty ? finals : declaredFinals).compactMap { graph.number(of: $0) }
        let ending = ends.isEmpty ? reached : graph.reaching(ends)
        let declared = Set(declaredFinals)
        let unleft = Set(finals)
        var left: [Int: [Int]] = [:]
        for edge in graph.edges where !edge.isUpdate && declared.contains(states[edge.from]) {
            if left[edge.from]?.last != edge.event { left[edge.from, default: []].append(edge.event) }
        }
        let found = states.enumerated().compactMap { number, state -> WorkflowFinding? in
            if let events = left[number] { return .leftFinal(state, events: events.map { self.events[$0].name }) }
            if !reached.contains(number) { return entered.contains(number) ? nil : .unreachableState(state) }
            if !declared.isEmpty, unleft.contains(state), !declared.contains(state) { return .deadEnd(state) }
            return ending.contains(number) ? nil : .endlessState(state)
        }
        return found + declaredFinals.filter { graph.number(of: $0) == nil }.map { .unknownFinal($0) }
    }

    private func eventFindings(_ graph: TableGraph, _ reached: Set<Int>) -> [WorkflowFinding] {
        var isFired = [Bool](repeating: false, count: events.count)
        var isPlain = events.map { !$0.isGuarded && !$0.hasHooks && !$0.isAutomatic }
        var reaches = [[Int]](repeating: [], count: events.count)
        // A table omits the data that an update brings.
        for edge in graph.edges where edge.isUpdate { isPlain[edge.event] = false }
        for edge in graph.edges {
            if reached.contains(edge.from) { isFired[edge.event] = true }
            if isPlain[edge.event] {
                reaches[edge.event].append(edge.from * graph.count + edge.to)
            }
        }
        var groups: [Reach: [Int]] = [:]
        for (number, event) in events.enumerated() where !reaches[number].isEmpty {
            let ignored = event.ignored.compactMap { graph.number(of: $0) }.sorted()
            groups[Reach(edges: reaches[number].sorted(), ignored: ignored), default: []].append(number)
        }
        let same = groups.values.filter { $0.count > 1 }.sorted { $0[0] < $1[0] }
        return events.indices.filter { !isFired[$0] }.map { .unreachableEvent(events[$0].name) }
            + same.map { .sameEvents($0.map { events[$0].name }) }
    }

    /// The transitions of an event and the states that ignore it, by number.
    private struct Reach: Hashable {
        let edges: [Int]
        let ignored: [Int]
    }
}
