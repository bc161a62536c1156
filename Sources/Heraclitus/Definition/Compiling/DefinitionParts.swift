/// The parts of a definition, read from the properties of a type or from a table.
struct DefinitionParts {
    let facts: WorkflowFacts
    let states: StateClasses

    /// The nearest outer state of each state.
    let superstates: [Int?]
    let groups: StateGroups
    let events: [DeclaredEvent]

    /// The routes of each event.
    let routes: [EventRoutes]
    let actions: [CompiledAction]

    var compiledEvents: [CompiledEvent] {
        let states = Immortal(states)
        return events.indices.map { index in
            CompiledEvent(events[index], index: index, routes[index], EventReach(routes[index], in: states))
        }
    }

    func compiledStates(_ events: [CompiledEvent]) -> [CompiledState] {
        let activities = activities(of: events)
        let left = Set(events.lazy.flatMap { $0.reach.states(where: \.leaves) })
        return states.types.indices.map { state in
            CompiledState(
                index: state,
                kind: states.kinds[state],
                name: states.names[state],
                superstate: superstates[state],
                deadlines: activities.deadlines[state] ?? [],
                failure: activities.failures[state],
                done: activities.done[state],
                conditions: activities.conditions[state] ?? [],
                isFinal: !left.contains(state)
            )
        }
    }

    /// The deadlines, failures, completions and conditions of each state.
    private struct Activities {
        var deadlines: [Int: [CompiledDeadline]] = [:]
        var failures: [Int: CompiledFailure] = [:]
        var done: [Int: Int] = [:]
        var conditions: [Int: [CompiledCondition]] = [:]
    }

    private func activities(of events: [CompiledEvent]) -> Activities {
        var activities = Activities()
        for event in events {
            let declaration = event.declaration
            let hasNeither = declaration.deadlines.isEmpty && declaration.failure == nil && declaration.done == nil
            if hasNeither && declaration.conditions.isEmpty { continue }
            for state in event.reach.states(where: \.isAllowed) {
                for rule in declaration.deadlines {
                    activities.deadlines[state, default: []].append(CompiledDeadline(event: event.index, rule: rule))
                }
                if let rule = declaration.failure, isCalled(rule.sources, with: [state]) {
                    activities.failures[state] = CompiledFailure(event: event.index, rule: rule)
                }
                if let sources = declaration.done, isCalled(sources, with: [state]) {
                    activities.done[state] = event.index
                }
                for rule in declaration.conditions where isCalled(rule.sources, with: [state]) {
                    activities.conditions[state, default: []].append(CompiledCondition(event: event.index, rule: rule))
                }
            }
        }
        return activities
    }

    /// Whether a closure with a parameter is called for each of some states; `nil` stands for all states.
    func isCalled(_ parameter: ClosureTypes.Parameter, with numbers: [Int]?) -> Bool {
        switch parameter {
        case .any:
            return true
        case .type(let includes):
            return (numbers ?? Array(states.types.indices)).allSatisfy { includes(states.types[$0]) }
        case .group(let type):
            guard let group = groups.groups.first(where: { $0.declaration.type == type }) else { return true }
            return Set(group.members).isSuperset(of: numbers ?? Array(states.types.indices))
        }
    }
}
