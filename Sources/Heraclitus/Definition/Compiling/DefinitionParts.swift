/// The parts of a definition, read from the properties of a type or from a table.
package struct DefinitionParts {
    let facts: WorkflowFacts
    let states: StateClasses

    /// The nearest outer state of each state.
    let superstates: [Int?]
    let groups: [CompiledGroup]
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
        let automatic = automaticEvents(events)
        let left = Set(events.lazy.flatMap { $0.reach.states(where: \.leaves) })
        return states.types.indices.map {
            CompiledState($0, of: self, automatic[$0] ?? [], isFinal: !left.contains($0))
        }
    }

    /// The automatic events in each state.
    private func automaticEvents(_ events: [CompiledEvent]) -> [Int: [AutomaticEvent]] {
        var automatic: [Int: [AutomaticEvent]] = [:]
        for event in events where !event.declaration.triggers.isEmpty {
            for state in event.reach.states(where: \.isAllowed) {
                for trigger in event.declaration.triggers where isCalled(trigger.sources, with: [state]) {
                    automatic[state, default: []].append(AutomaticEvent(event: event.index, trigger: trigger))
                }
            }
        }
        return automatic
    }

    /// The automatic events in a state, with their names.
    func automaticEvents(in state: Int) -> [(name: String, trigger: Trigger)] {
        events.indices.flatMap { event in
            events[event].declaration.triggers.filter { fires(event, in: state, $0) }
                .map { (name: events[event].name, trigger: $0) }
        }
    }

    /// Whether an event leads from a state among the sources of a trigger.
    func fires(_ event: Int, in state: Int, _ trigger: Trigger) -> Bool {
        !routes[event].declaredDestinations(from: state).isEmpty && isCalled(trigger.sources, with: [state])
    }

    /// Whether a closure with a parameter is called for each of some states; `nil` stands for all states.
    func isCalled(_ parameter: ClosureParameter, with numbers: [Int]?) -> Bool {
        switch parameter {
        case .any:
            return true
        case .type(let includes):
            return (numbers ?? Array(states.types.indices)).allSatisfy { includes(states.types[$0]) }
        case .group(let type):
            guard let group = groups.first(where: { $0.declaration.type == type }) else { return true }
            return Set(group.members).isSuperset(of: numbers ?? Array(states.types.indices))
        }
    }
}
