// Problems for tests only: they are slow to find, or machines work in spite of them. `findings` has warnings from the
// table alone.

extension DefinitionCompiler {
    /// A problem for each empty state whose object is not of the initial state's type.
    var strangers: [WorkflowProblem] {
        // In other cases the type is known without an object.
        let isKnown = W.AnyState.self is AnyClass || valueName != nil || unsuitableType != nil
        guard !isKnown, groupOfAll == nil else { return [] }
        return emptyStates.filter { !($0 is W.AnyState) }.map {
            .foreignState(type(of: $0), expected: ownName(of: W.AnyState.self), stopsTheProgram: false)
        }
    }

    /// Problems of the objects of empty states: machines, or a property that archives keep and `init()` resets.
    var emptyStateProblems: [WorkflowProblem] {
        emptyStates.compactMap { object in
            if let problem = machineProblem(of: object) { return problem }
            var mirror = object is any Composite ? nil : Mirror(reflecting: object)
            while let properties = mirror {
                let data = properties.children.first { !($0.value is any Region) && !($0.value is any UnarchivedValue) }
                if let property = data?.label {
                    let names = [fullName(of: type(of: object)), property]
                    return .init("emptyStateWithData", names, stopsTheProgram: false)
                }
                mirror = properties.superclassMirror
            }
            return nil
        }
    }

    /// An object of each empty state.
    var emptyStates: [any WorkflowState] { states.kinds.compactMap { $0.make?({ nil }) } }

    /// The problem of machines in the initial object.
    var initialHolder: [WorkflowProblem] { initialObjects.compactMap { machineProblem(of: $0) } }

    /// The problem of machines in an object.
    private func machineProblem(of object: any WorkflowState) -> WorkflowProblem? {
        let hooks = StateHooks(of: type(of: object), hasAutomaticEvents: false)
        let problem = RegionProblems.problem(
            ofRegions: hooks.regions(of: object).compactMap { $0 as? any TreeMachine },
            of: object,
            hooks,
            awaitedBy: states.number(of: type(of: object)).map { parts.automaticEvents(in: $0) } ?? [],
            in: parts.facts.name
        )
        return problem ?? RegionProblems.problem(of: object)
    }

    /// The events that wait for machines of workflows without a final state.
    var completionsWithoutEnd: [WorkflowProblem] {
        properties.events.flatMap { event -> [WorkflowProblem] in
            event.declaration.triggers.flatMap(\.properties).compactMap(\.workflow).filter { !$0.canEnd }
                .map { WorkflowProblem("completionWithoutEnd", [event.name, $0.name], stopsTheProgram: false) }
        }
    }

    /// The workflows of machines in states that get no context after a restoration.
    ///
    /// The check covers machines that an event waits for, and machines in objects of empty states and of the initial
    /// state.
    var regionsWithoutContext: [WorkflowProblem] {
        let awaited = properties.events.flatMap { $0.declaration.triggers.flatMap(\.properties).compactMap(\.workflow) }
        let held = (emptyStates + initialObjects).compactMap { $0 as? any Composite }.flatMap(\.regions)
            .compactMap { ($0 as? any TreeMachine).map { type(of: $0).workflowType } }
        return (awaited + held).filter { workflow in
            let (id, context) = (ObjectIdentifier(workflow), parts.facts.context)
            return ![context, ObjectIdentifier(Void.self)].contains(workflow.contextType)
                && !parts.facts.regionContexts.contains { $0.workflow == id && $0.holdersContext == context }
        }
        .map { WorkflowProblem("missingRegionContext", [$0.name], stopsTheProgram: false) }
    }

    /// Whether an event has a pair that one of its guards skips, because the guard was added before an `or`.
    func hasUnaskedGuard(_ declaration: EventDeclaration, _ routes: EventRoutes) -> Bool {
        declaration.guards.contains { _, source, destination in
            routes.rules.contains { rule in
                let sources = rule.sources.states(ofGroup: { groups[$0].members })
                return !parts.isCalled(source, with: sources)
                    || !parts.isCalled(destination, with: rule.isUpdate ? sources : rule.destinations)
            }
        }
    }
}

extension Workflow {
    fileprivate static var contextType: ObjectIdentifier { ObjectIdentifier(Context.self) }

    /// Whether there is a final state; this never stops the program.
    fileprivate static var canEnd: Bool {
        let parts = DefinitionCompiler<Self>().parts
        return parts.compiledStates(parts.compiledEvents).contains(where: \.isFinal)
    }
}
