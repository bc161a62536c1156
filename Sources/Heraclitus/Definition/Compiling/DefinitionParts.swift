/// The parts of a definition, read from the properties of a type or from a table.
struct DefinitionParts {
    let workflow: String
    let formerWorkflow: String?
    let version: Int
    let migrations: [Migration]
    let states: StateClasses

    /// The nearest outer state of each state.
    let superstates: [Int?]
    let events: [Event]

    /// The routes of each event.
    let routes: [EventRoutes]
    let groups: [CompiledGroup]
    let actions: [CompiledAction]

    /// The number of the initial state; `nil` only in an invalid definition.
    let initial: Int?
    let listed: [Int]
    let declaredFinals: [String]
    let needsContext: Bool
    let regionContexts: [RegionContext]
    let journal: JournalLimit?
    let secretKeys: Set<String>
    let namedStates: NamedStates?
    let contextMaking: ContextMaking?

    struct Event {
        let name: String
        let declaration: EventDeclaration
        let valueType: any AnyWorkflowEvent.Type
    }

    /// Makes the immortal definition.
    /// - Parameters:
    ///   - eventValues: The workflow's own value.
    ///   - objectAccess: Finds the object of a value of the workflow's `AnyState`.
    ///   - findLayout: Finds the layout of an object.
    ///   - makeTable: Makes the workflow's table.
    ///   - isCalled: Whether a closure with a parameter is called for a state.
    /// - Returns: The definition.
    func definition(
        eventValues: ErasedImmortal,
        objectAccess: ObjectAccess,
        findLayout: @escaping @Sendable (AnyObject) -> ExistentialLayout?,
        makeTable: @escaping TableMaking,
        isCalled: (ClosureTypes.Parameter, Int) -> Bool
    ) -> Definition {
        let events = compiledEvents()
        let activities = activities(of: events, isCalled)
        let left = Set(events.lazy.flatMap { $0.reach.states(where: \.leaves) })
        return Definition(
            workflow: workflow,
            formerWorkflow: formerWorkflow,
            version: version,
            migrations: migrations,
            states: states.types.indices.map { state in
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
            },
            listed: listed,
            declaredFinals: declaredFinals,
            groups: groups,
            actions: actions,
            events: events,
            eventValues: eventValues,
            initial: initial.map(states.registered),
            objectAccess: objectAccess,
            findLayout: findLayout,
            makeTable: makeTable,
            namedStates: namedStates,
            contextMaking: contextMaking,
            needsContext: needsContext,
            regionContexts: regionContexts,
            journal: journal,
            secretKeys: secretKeys
        )
    }

    private func compiledEvents() -> [CompiledEvent] {
        let states = Immortal(states)
        return events.enumerated().map { index, event in
            CompiledEvent(
                index: index,
                name: event.name,
                declaration: event.declaration,
                valueType: event.valueType,
                routes: routes[index],
                reach: EventReach(routes[index], in: states)
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

    private func activities(
        of events: [CompiledEvent],
        _ isCalled: (ClosureTypes.Parameter, Int) -> Bool
    ) -> Activities {
        var activities = Activities()
        for event in events {
            let declaration = event.declaration
            let hasNeither = declaration.deadlines.isEmpty && declaration.failure == nil && declaration.done == nil
            if hasNeither && declaration.conditions.isEmpty { continue }
            for state in event.reach.states(where: \.isAllowed) {
                for rule in declaration.deadlines {
                    activities.deadlines[state, default: []].append(CompiledDeadline(event: event.index, rule: rule))
                }
                if let rule = declaration.failure, isCalled(rule.sources, state) {
                    activities.failures[state] = CompiledFailure(event: event.index, rule: rule)
                }
                if let sources = declaration.done, isCalled(sources, state) { activities.done[state] = event.index }
                for rule in declaration.conditions where isCalled(rule.sources, state) {
                    activities.conditions[state, default: []].append(CompiledCondition(event: event.index, rule: rule))
                }
            }
        }
        return activities
    }
}
