// What only a test is to find: it takes time to look for, or machines work all the same. What the table alone shows is in `findings`.

extension DefinitionCompiler {
    /// The empty states whose objects are not what the initial state is declared as.
    /// - Parameter isSuitable: Whether an object is.
    /// - Returns: A problem for each.
    func strangers(_ isSuitable: (AnyObject) -> Bool) -> [WorkflowProblem] {
        // Elsewhere it is known without an object.
        let isKnown = common != nil || valueName != nil || unsuitableType != nil
        guard !isKnown, !groups.groups.contains(where: { $0.declaration.type == anyState.type }) else { return [] }
        return states.types.compactMap { type in
            guard let empty = type as? any EmptyState.Type, !isSuitable(empty.init()) else { return nil }
            return .foreignState(className: fullName(of: type), expected: anyState.name)
        }
    }

    /// What objects of states show of the machines that they hold, and the first use of the workflow does not look for.
    var wrongHolders: [WorkflowProblem] {
        let others = states.types.filter { type in
            initial.map { ObjectIdentifier($0) != ObjectIdentifier(type) } ?? true
        }
        return initialHolder.filter { !$0.stopsTheProgram }
            + others.compactMap { ($0 as? any EmptyState.Type).flatMap { MachineHolding.problem(of: $0.init()) } }
    }

    /// The empty states with a property that archives keep and `init()` resets.
    var emptyStatesWithData: [WorkflowProblem] {
        states.types.compactMap { type in
            guard let empty = type as? any EmptyState.Type, !(type is any Composite.Type) else { return nil }
            let object = empty.init()
            // Machines have problems of their own.
            guard MachineHolding.problem(of: object) == nil else { return nil }
            var mirror: Mirror? = Mirror(reflecting: object)
            while let properties = mirror {
                let data = properties.children.first { !($0.value is any Region) && !($0.value is any LiveValue) }
                if let name = data?.label { return .emptyStateWithData(className: fullName(of: type), property: name) }
                mirror = properties.superclassMirror
            }
            return nil
        }
    }

    /// What the initial object shows of the machines that it holds.
    var initialHolder: [WorkflowProblem] {
        initialObject.flatMap { MachineHolding.problem(of: $0) }.map { [$0] } ?? []
    }

    /// The migrations that lead to states which there are not then: it goes back through the steps with the names of the states that there were before each.
    var migrationsToUnknownStates: [WorkflowProblem] {
        var known = Set(states.names)
        known.formUnion(states.types.indices.compactMap { formerName(of: states.types[$0], named: states.names[$0]) })
        var problems: [WorkflowProblem] = []
        for migration in migrations.reversed() {
            guard case .state(let old, let new) = migration.renaming else { continue }
            if !known.contains(new) {
                problems.append(
                    .migrationToUnknownState(new, version: migration.version, migration: migration.name)
                )
            }
            known.insert(old)
        }
        return problems.reversed()
    }

    /// The events that are due again at once when they have fired: those that update a state when it was entered some time ago, which stays
    /// so, and those that enter a state again when no time has passed.
    var endlessDeadlines: [WorkflowProblem] {
        properties.events.indices.filter { event in
            let declaration = properties.events[event].declaration
            guard declaration.guards.isEmpty else { return false }
            let times = declaration.deadlines.compactMap(\.after)
            return !times.isEmpty && routes[event].rules.contains(where: \.isUpdate)
                || times.contains { $0 <= .zero } && routes[event].alwaysStays
        }
        .map { .endlessDeadline(event: properties.events[$0].name) }
    }

    /// The events that wait for the end of machines of workflows that have no final state.
    var completionsWithoutEnd: [WorkflowProblem] {
        properties.events.flatMap { event -> [WorkflowProblem] in
            let regions = event.declaration.conditions.flatMap(\.properties).compactMap(\.type).filter { !$0.canEnd }
            var seen: Set<String> = []
            return regions.map { $0.workflowName }.filter { seen.insert($0).inserted }
                .map { .completionWithoutEnd(event: event.name, workflow: $0) }
        }
    }

    /// The workflows of machines in states that get no context when they are restored.
    ///
    /// It knows the machines for which an event waits, and those in objects of empty states and in the initial one.
    var regionsWithoutContext: [WorkflowProblem] {
        let awaited = properties.events.flatMap { $0.declaration.conditions.flatMap(\.properties).compactMap(\.type) }
        let objects =
            states.types.compactMap { ($0 as? any EmptyState.Type)?.init() } + [initialObject].compactMap(\.self)
        let held = objects.compactMap { $0 as? any Composite }.flatMap(\.regions)
            .compactMap { type(of: $0) as? any DescribedRegion.Type }
        var seen: Set<ObjectIdentifier> = []
        return (awaited + held).filter { region in
            let isGiven =
                [context, ObjectIdentifier(Void.self)].contains(region.context)
                || regionContexts.contains { $0.workflow == region.workflow && $0.holdersContext == context }
            return !isGiven && seen.insert(region.workflow).inserted
        }
        .map { .missingRegionContext(workflow: $0.workflowName) }
    }

    /// Whether there is a state that nothing leaves.
    var canEnd: Bool {
        states.types.indices.contains { state in
            routes.allSatisfy { routes in
                routes.ignoring.contains(state)
                    || routes.rules(in: state).allSatisfy { routes.rules[$0].destinations.isEmpty }
            }
        }
    }
}

extension DefinitionCompiler {
    /// Whether an event leads from or to a state of which one of its guards is not asked, because it was added before an `or`.
    func hasUnaskedGuard(_ declaration: EventDeclaration, _ routes: EventRoutes) -> Bool {
        declaration.guardedTypes.contains { types in
            routes.rules.contains { rule in
                let sources = sources(of: rule)
                return !isCalled(types.source, with: sources)
                    || !isCalled(types.destination, with: rule.isUpdate ? sources : rule.destinations)
            }
        }
    }

    /// The states that a rule leads from; `nil` for any.
    private func sources(of rule: NumberedRule) -> [Int]? {
        switch rule.sources {
        case .any: nil
        case .states(let states): states
        case .group(let group): groups.members(of: group)
        }
    }

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
