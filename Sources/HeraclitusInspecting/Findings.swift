public import Heraclitus

extension Workflow {
    /// Warnings about a valid workflow: unreachable states and events, states without a way to the end, events that do the same.
    ///
    /// They follow from the table alone, without guards, except two: the work of a state may throw, and no event with `whenFailed()` leads
    /// from the state; or it may return, and no other event does. `WorkflowProblem` shows how you leave out an intended finding.
    ///
    /// ```swift
    /// #expect(Download.findings.isEmpty)
    /// ```
    ///
    /// The first use of a workflow stops the program if its definition is invalid; `diagnostics` lists the mistakes.
    public static var findings: [WorkflowProblem] {
        table.findings
            + statesWithUnheardFailures.map {
                let text = "may fail, and no event follows from that. Add `.whenFailed()` to one."
                return .finding("unheardFailure", [$0], "The work of \($0.shortened) \(text)")
            }
            + statesWithUnheardEnds.map {
                let text = "may return, and no event leads on. Add one that the work fires, or that has `.whenDone()`."
                return .finding("unheardEnd", [$0], "The work of \($0.shortened) \(text)")
            }
    }
}

extension TransitionTable {
    /// Warnings about the workflow, also about that of a decoded table.
    ///
    /// First come findings about states and then those about events, each in the order of the definition. It takes time linear in the
    /// numbers of states and transitions, except that transitions of events without guards, hooks, deadlines and updates are sorted.
    public var findings: [WorkflowProblem] {
        let graph = TableGraph(self)
        let reached = graph.reached(from: graph.beginnings)
        return stateFindings(graph, reached) + eventFindings(graph, reached)
    }

    private func stateFindings(_ graph: TableGraph, _ reached: Set<Int>) -> [WorkflowProblem] {
        let entered = graph.withSuperstates(reached)
        let ends = (declaredFinals.isEmpty ? finals : declaredFinals).compactMap { graph.number(of: $0) }
        let ending = ends.isEmpty ? reached : graph.reaching(ends)
        let declared = Set(declaredFinals)
        let unleft = Set(finals)
        let leaving = graph.edges.filter { !$0.isUpdate && declared.contains(states[$0.from]) }
        let left = Dictionary(grouping: leaving, by: \.from).mapValues { $0.map(\.event).once }
        let found = states.enumerated().compactMap { number, state -> WorkflowProblem? in
            let name = state.shortened
            if let events = left[number]?.map({ self.events[$0].name }) {
                let text = "The state \(name) is listed as final, and is left by \(events.inText(quoted: true))."
                return .finding("leftFinal", [state] + events, text)
            }
            if !reached.contains(number) {
                // A superclass with a reachable subclass counts as reached.
                if entered.contains(number) { return nil }
                let text = "The state \(name) can never be entered: no events lead to it from where a machine begins."
                return .finding("unreachableState", [state], text)
            }
            if !declared.isEmpty, unleft.contains(state), !declared.contains(state) {
                let text = "No event leaves the state \(name), and the workflow does not list it as final."
                return .finding("deadEnd", [state], text)
            }
            if ending.contains(number) { return nil }
            return .finding("endlessState", [state], "A machine in \(name) can never come to a final state.")
        }
        return found
            + declaredFinals.filter { graph.number(of: $0) == nil }.map {
                let text = "is listed as final, and is not a state of the workflow."
                return .finding("unknownFinal", [$0], "The state \($0.shortened) \(text)")
            }
    }

    private func eventFindings(_ graph: TableGraph, _ reached: Set<Int>) -> [WorkflowProblem] {
        let edges = Dictionary(grouping: graph.edges, by: \.event)
        // Events that update a state differ: a table omits the data that they bring.
        let plain = events.indices.filter { number in
            let (event, own) = (events[number], edges[number] ?? [])
            if event.isGuarded || event.hasHooks || event.isAutomatic { return false }
            return !own.isEmpty && !own.contains(where: \.isUpdate)
        }
        // The search uses the transitions, and the states that ignore the event.
        let groups: [[[Int]]: [Int]] = Dictionary(grouping: plain) { number in
            let pairs = (edges[number] ?? []).map { $0.from * graph.count + $0.to }
            return [pairs.sorted(), events[number].ignored.compactMap { graph.number(of: $0) }.sorted()]
        }
        let same = groups.values.filter { $0.count > 1 }.sorted { $0[0] < $1[0] }
        let fired = Set(graph.edges.lazy.filter { reached.contains($0.from) }.map(\.event))
        let unfired = events.indices.filter { !fired.contains($0) }.map { events[$0].name }.map {
            let text = "The event \"\($0.shortened)\" can never be fired: no events lead to its sources."
            return WorkflowProblem.finding("unreachableEvent", [$0], text)
        }
        return unfired
            + same.map { $0.map { events[$0].name } }.map {
                let text =
                    "do the same: they lead from and to the same states, without guards, builders, hooks or deadlines."
                return .finding("sameEvents", $0, "The events \($0.inText(quoted: true)) \(text)")
            }
    }
}

extension WorkflowProblem {
    /// Names in the text are shortened, because a decoded table may have names of any length.
    fileprivate static func finding(_ kind: String, _ names: [String], _ text: String) -> WorkflowProblem {
        WorkflowProblem(kind, names, stopsTheProgram: false, text)
    }
}
