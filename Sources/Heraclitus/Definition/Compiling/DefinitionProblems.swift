// The problems of a definition, in the order of workflow, states and events.

extension DefinitionCompiler {
    var problems: [WorkflowProblem] {
        workflowProblems + stateProblems + groupProblems + eventProblems + routes.indices.flatMap(problems)
            + actionProblems + workProblems + completionProblems + destinationProblems + effectProblems
    }

    private var effectProblems: [WorkflowProblem] {
        let blank = effects.filter { Self.isBlank($0.name) }.map {
            WorkflowProblem.blankEffectName(typeName: fullName(of: $0))
        }
        let duplicates = Self.groups(effects, by: { $0.name }).map {
            WorkflowProblem.duplicateEffectName($0, typeNames: $1.map { fullName(of: $0) })
        }
        return blank + duplicates
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

    private var workflowProblems: [WorkflowProblem] {
        var problems: [WorkflowProblem] = []
        if Self.isBlank(parts.facts.name) { problems.append(.blankWorkflowName) }
        let version = parts.facts.version
        if version < 1 { problems.append(.badVersion(version)) }
        if let valueName {
            problems.append(.initialStateIsNoClass(valueName))
        } else if parts.facts.initial == nil {
            problems.append(.unregisteredInitialState(initialName))
        }
        if let unsuitableType { problems.append(.unsuitableStateType(unsuitableType)) }
        problems += migrationProblems
        problems += properties.hiding.map { .hiddenEvent(property: $0) }
        return problems + properties.foreign.map { .foreignEvent(property: $0.property, workflow: $0.workflow) }
    }

    private var migrationProblems: [WorkflowProblem] {
        let (version, migrations) = (parts.facts.version, parts.facts.migrations)
        let versions = migrations.map(\.version)
        let present = Set(versions)
        let missing = version < 2 ? [] : (2...version).filter { !present.contains($0) }
        let misplaced = migrations.indices.filter { index in
            !(2...max(2, version)).contains(versions[index]) || version < 2
                || versions[..<index].contains { $0 > versions[index] }
        }
        let duplicates = Self.groups(migrations) { "\($0.version) \($0.name)" }
        return missing.map { .missingMigration(version: $0) }
            + misplaced.map { .misplacedMigration(migrations[$0].name, version: migrations[$0].version) }
            + duplicates.map { .duplicateMigration($1[0].name, version: $1[0].version) }
    }

    private var stateProblems: [WorkflowProblem] {
        let blank = states.types.indices.filter { Self.isBlank(states.names[$0]) }.map {
            WorkflowProblem.blankStateName(className: fullName(of: states.types[$0]))
        }
        let duplicates = Self.groups(Array(states.types.indices), by: { states.names[$0] }).map {
            WorkflowProblem.duplicateStateName($0, classNames: $1.map { fullName(of: states.types[$0]) })
        }
        let foreign = common.map { common in
            states.types.filter { !StateClasses.superclasses(of: $0).contains { $0 == common } }.map {
                WorkflowProblem.foreignState(className: fullName(of: $0), expected: String(describing: common))
            }
        }
        // A group of the protocol knows the conformance of every class.
        let strangers = groups.groups.first { $0.declaration.type == anyState.type }.map { group in
            states.types.indices.filter { !group.members.contains($0) }.map { foreignState($0) }
        }
        return blank + duplicates + (foreign ?? []) + (common == nil ? strangers ?? [] : [])
            + initialHolder.filter(\.stopsTheProgram)
    }

    private func foreignState(_ number: Int) -> WorkflowProblem {
        .foreignState(className: fullName(of: states.types[number]), expected: anyState.name)
    }

    private var groupProblems: [WorkflowProblem] {
        let empty = groups.groups.filter(\.members.isEmpty).map { WorkflowProblem.emptyGroup($0.name) }
        let ambiguous = groups.ambiguousNames.map { WorkflowProblem.duplicateGroupName($0) }
        guard let initialObject, let number = parts.facts.initial else {
            return empty + ambiguous
        }
        let mistaken = groups.groups.filter { $0.isMistaken(about: initialObject, in: number) }
        return empty + ambiguous + mistaken.map { $0.mistake(about: states.names[number]) }
    }

    private var eventProblems: [WorkflowProblem] {
        let events = properties.events
        let blank = events.filter { Self.isBlank($0.name) }.map {
            WorkflowProblem.blankEventName(property: $0.property)
        }
        let shared = Self.groups(events, by: { ObjectIdentifier($0.slot) }).map {
            WorkflowProblem.sharedEvent(properties: $1.map(\.property))
        }
        // The value was taken from another value of this workflow, in which it is another event.
        let taken = events.enumerated().compactMap { index, event -> WorkflowProblem? in
            guard let earlier = event.slot.index, earlier != index else { return nil }
            let properties = events.indices.contains(earlier) ? [events[earlier].property] : []
            return .sharedEvent(properties: properties + [event.property])
        }
        let duplicates = Self.groups(events, by: \.name).map {
            WorkflowProblem.duplicateEventName($0, properties: $1.map(\.property))
        }
        return blank + shared + taken + duplicates
    }

    private func problems(ofEvent index: Int) -> [WorkflowProblem] {
        let name = properties.events[index].name
        let routes = routes[index]
        guard !routes.rules.isEmpty else { return [.emptyEvent(name)] }
        return routes.contradictoryIgnores.map { .contradictoryIgnore(event: name, state: states.names[$0]) }
            + routes.contradictoryUpdates(in: states).map { .contradictoryUpdate(event: name, state: states.names[$0]) }
            + (hasUnaskedGuard(properties.events[index].declaration, routes) ? [.unaskedGuard(event: name)] : [])
    }

    private var actionProblems: [WorkflowProblem] {
        let declared = properties.actions
        let blank = declared.filter { Self.isBlank($0.name) }.map {
            WorkflowProblem.blankActionName(property: $0.property)
        }
        let shared = Self.groups(declared, by: { ObjectIdentifier($0.slot) }).map {
            WorkflowProblem.sharedEvent(properties: $1.map(\.property))
        }
        let duplicates = Self.groups(declared, by: \.name).map {
            WorkflowProblem.duplicateActionName($0, properties: $1.map(\.property))
        }
        return blank + shared + duplicates
            + parts.actions.filter(\.allowed.isEmpty).map { WorkflowProblem.emptyAction($0.name) }
    }

    /// The groups of elements that share a key, excluding blank keys, in the order of their first element.
    private static func groups<Element, Key: Hashable>(
        _ elements: [Element],
        by key: (Element) -> Key
    ) -> [(Key, [Element])] {
        let groups = Dictionary(grouping: elements, by: key)
        var seen: Set<Key> = []
        return elements.map(key).filter { seen.insert($0).inserted }.compactMap { key in
            guard let group = groups[key], group.count > 1 else { return nil }
            return (key, group)
        }
    }

    private static func isBlank(_ name: String) -> Bool { name.allSatisfy(\.isWhitespace) }
}
