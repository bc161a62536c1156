// Problems for tests only: they are slow to find, or machines work in spite of them. `findings` has warnings from the
// table alone.

extension DefinitionCompiler {
    /// The empty states whose objects are not of the initial state's type.
    /// - Parameter isSuitable: Whether an object is of that type.
    /// - Returns: A problem for each state.
    func strangers(_ isSuitable: (AnyObject) -> Bool) -> [WorkflowProblem] {
        // In other cases the type is known without an object.
        let isKnown = common != nil || valueName != nil || unsuitableType != nil
        guard !isKnown, !groups.groups.contains(where: { $0.declaration.type == anyState.type }) else { return [] }
        return states.types.compactMap { type in
            guard let empty = type as? any EmptyState.Type, !isSuitable(empty.init()) else { return nil }
            return .foreignState(className: fullName(of: type), expected: anyState.name)
        }
    }

    /// Problems of machines in state objects that the first use of the workflow does not check.
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
            // Machines have their own problems.
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

    /// The problem of machines in the initial object.
    var initialHolder: [WorkflowProblem] {
        initialObject.flatMap { MachineHolding.problem(of: $0) }.map { [$0] } ?? []
    }

    /// The events that wait for machines of workflows without a final state.
    var completionsWithoutEnd: [WorkflowProblem] {
        properties.events.flatMap { event -> [WorkflowProblem] in
            let workflows = event.declaration.triggers.flatMap(\.properties).compactMap(\.workflow)
            var seen: Set<String> = []
            return workflows.filter { !$0.canEnd }.map { $0.name }.filter { seen.insert($0).inserted }
                .map { .completionWithoutEnd(event: event.name, workflow: $0) }
        }
    }

    /// The workflows of machines in states that get no context after a restoration.
    ///
    /// The check covers machines that an event waits for, and machines in objects of empty states and of the initial
    /// state.
    var regionsWithoutContext: [WorkflowProblem] {
        let awaited = properties.events.flatMap { $0.declaration.triggers.flatMap(\.properties).compactMap(\.workflow) }
        let objects =
            states.types.compactMap { ($0 as? any EmptyState.Type)?.init() } + [initialObject].compactMap(\.self)
        let held = objects.compactMap { $0 as? any Composite }.flatMap(\.regions)
            .compactMap { ($0 as? any TreeMachine).map { type(of: $0).workflowType } }
        var seen: Set<ObjectIdentifier> = []
        return (awaited + held).filter { workflow in
            let (id, context) = (ObjectIdentifier(workflow), parts.facts.context)
            let isGiven =
                [context, ObjectIdentifier(Void.self)].contains(workflow.contextType)
                || parts.facts.regionContexts.contains { $0.workflow == id && $0.holdersContext == context }
            return !isGiven && seen.insert(id).inserted
        }
        .map { .missingRegionContext(workflow: $0.name) }
    }
}

extension DefinitionCompiler {
    /// Whether an event has a pair that one of its guards skips, because the guard was added before an `or`.
    func hasUnaskedGuard(_ declaration: EventDeclaration, _ routes: EventRoutes) -> Bool {
        declaration.guardedTypes.contains { types in
            routes.rules.contains { rule in
                let sources = sources(of: rule)
                return !parts.isCalled(types.source, with: sources)
                    || !parts.isCalled(types.destination, with: rule.isUpdate ? sources : rule.destinations)
            }
        }
    }

    /// The sources of a rule; `nil` for any state.
    private func sources(of rule: NumberedRule) -> [Int]? {
        switch rule.sources {
        case .any: nil
        case .states(let states): states
        case .group(let group): groups.members(of: group)
        }
    }
}

extension Workflow {
    fileprivate static var contextType: ObjectIdentifier { ObjectIdentifier(Context.self) }

    /// Whether there is a final state; this never stops the program.
    fileprivate static var canEnd: Bool {
        DefinitionCompiler(Self.self, events: Self(), initial: initialObject).parts.canEnd
    }
}
