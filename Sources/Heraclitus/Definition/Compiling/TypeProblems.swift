// The problems of a definition of types, besides those that it has in common with a table.

extension DefinitionCompiler {
    var problems: [WorkflowProblem] {
        parts.problems + initialProblems + propertyProblems + stateProblems + groupProblems + guardProblems
            + actionProblems + workProblems + completionProblems + destinationProblems
            + WorkflowProblem.ofNames(.effect, effects, { $0.name }, at: { fullName(of: $0) })
    }

    private var initialProblems: [WorkflowProblem] {
        let unsuitable = unsuitableType.map { WorkflowProblem.unsuitableStateType($0) }
        if let valueName { return [.initialStateIsNoClass(valueName)] + [unsuitable].compactMap(\.self) }
        let unregistered = parts.facts.initial == nil ? WorkflowProblem.unregisteredInitialState(initialName) : nil
        return [unregistered, unsuitable].compactMap(\.self)
    }

    /// The problems of the properties with events and actions.
    private var propertyProblems: [WorkflowProblem] {
        let (events, actions) = (properties.events, properties.actions)
        // The value was taken from another value of this workflow, in which it is another event.
        let taken = events.enumerated().compactMap { index, event -> WorkflowProblem? in
            guard let earlier = event.slot.index, earlier != index else { return nil }
            let first = events.indices.contains(earlier) ? events[earlier].property : nil
            return .sharedEvent(properties: [first, event.property].compactMap(\.self))
        }
        let shared =
            WorkflowProblem.repeated(events, by: { ObjectIdentifier($0.slot) }).map { $1.compactMap(\.property) }
            + WorkflowProblem.repeated(actions, by: { ObjectIdentifier($0.slot) }).map { $1.map(\.property) }
        return properties.hiding.map { .hiddenEvent(property: $0) }
            + properties.foreign.map { .foreignEvent(property: $0.property, workflow: $0.workflow) }
            + shared.map { .sharedEvent(properties: $0) } + taken
    }

    private var actionProblems: [WorkflowProblem] {
        WorkflowProblem.ofNames(.action, properties.actions, { $0.name }, at: { $0.property })
            + parts.actions.filter(\.allowed.isEmpty).map { .empty(.action, $0.name) }
    }

    /// The events with a guard before an `or`, which skips the pairs of the `or`.
    private var guardProblems: [WorkflowProblem] {
        parts.events.indices.filter { hasUnaskedGuard(parts.events[$0].declaration, routes[$0]) }
            .map { .unaskedGuard(event: parts.events[$0].name) }
    }

    private var stateProblems: [WorkflowProblem] {
        let foreign = common.map { common in
            states.types.filter { !StateClasses.superclasses(of: $0).contains { $0 == common } }.map {
                WorkflowProblem.foreignState(className: fullName(of: $0), expected: String(describing: common))
            }
        }
        // A group of the protocol knows the conformance of every class.
        let strangers = groups.groups.first { $0.declaration.type == anyState.type }.map { group in
            states.types.indices.filter { !group.members.contains($0) }.map { foreignState($0) }
        }
        return (foreign ?? strangers ?? []) + initialHolder.filter(\.stopsTheProgram)
    }

    private func foreignState(_ number: Int) -> WorkflowProblem {
        .foreignState(className: fullName(of: states.types[number]), expected: anyState.name)
    }

    /// The groups whose closure contradicts the initial object.
    private var groupProblems: [WorkflowProblem] {
        guard let initialObject, let number = parts.facts.initial else { return [] }
        return groups.groups.filter { $0.isMistaken(about: initialObject, in: number) }
            .map { $0.mistake(about: states.names[number]) }
    }

    private var workProblems: [WorkflowProblem] {
        func life<State: Working>(of type: State.Type) -> any Workflow.Type { State.MachineWorkflow.self }
        // As for hooks, one check is enough for most classes.
        let types = states.types.map { ($0 as? any Capability.Type) as? any Working.Type }
        let working = types.indices.filter { types[$0] != nil }
        let foreign = types.compactMap { type -> WorkflowProblem? in
            guard let type else { return nil }
            let life = life(of: type)
            if ObjectIdentifier(life) == workflowType { return nil }
            return .foreignWork(className: fullName(of: type), workflow: life.name)
        }
        return foreign
            + problems(ofEventsAfterWork: .failure, in: working)
            + problems(ofEventsAfterWork: .done, in: working)
    }

    /// The problems of the events that fire after failed work, or after completed work.
    private func problems(
        ofEventsAfterWork name: TransitionTable.Trigger,
        in working: [Int]
    ) -> [WorkflowProblem] {
        func follows(_ event: Int, from state: Int) -> Bool {
            properties.events[event].declaration.triggers.contains { $0.name == name && fires(event, in: state, $0) }
        }
        let events = properties.events.indices.filter { event in
            properties.events[event].declaration.triggers.contains { $0.name == name }
        }
        let idle = events.filter { event in !working.contains { follows(event, from: $0) } }
        let ambiguous = working.compactMap { state -> WorkflowProblem? in
            let names = events.filter { follows($0, from: state) }.map { properties.events[$0].name }
            return names.count > 1 ? .ambiguousWork(state: states.names[state], events: names) : nil
        }
        return idle.map { .eventWithoutWork(event: properties.events[$0].name) } + ambiguous
    }

    /// Whether an event leads from a state among the sources of a trigger.
    private func fires(_ event: Int, in state: Int, _ trigger: Trigger) -> Bool {
        !routes[event].declaredDestinations(from: state).isEmpty && parts.isCalled(trigger.sources, with: [state])
    }

    /// Automatic events for which neither a builder nor an empty state makes the destination.
    private var destinationProblems: [WorkflowProblem] {
        properties.events.indices.flatMap { event -> [WorkflowProblem] in
            let declaration = properties.events[event].declaration
            let triggers = declaration.triggers.filter { !$0.hasBuilder }
            if triggers.isEmpty { return [] }
            return states.types.indices.filter { state in
                let destinations = routes[event].declaredDestinations(from: state)
                let isMade = destinations.count == 1 && states.types[destinations[0]] is any EmptyState.Type
                return !isMade && triggers.contains { fires(event, in: state, $0) }
                    && !declaration.builders.contains { parts.isCalled($0.sources, with: [state]) }
            }
            .map { .missingBuilder(event: properties.events[event].name, state: states.names[$0]) }
        }
    }

    private var completionProblems: [WorkflowProblem] {
        let waits = properties.events.map { event in event.declaration.triggers.filter { $0.name == .completion } }
        guard waits.contains(where: { !$0.isEmpty }) else { return [] }
        let plain = states.types.indices.filter { !((states.types[$0] as? any Capability.Type) is any Composite.Type) }
        return properties.events.indices.flatMap { event in
            plain.filter { state in
                !routes[event].rules(in: state).isEmpty
                    && waits[event].contains { parts.isCalled($0.sources, with: [state]) }
            }
            .map {
                WorkflowProblem.completionWithoutRegions(event: properties.events[event].name, state: states.names[$0])
            }
        }
    }
}
