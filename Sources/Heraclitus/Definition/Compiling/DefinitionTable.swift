extension Definition {
    /// Makes the table for each reader, because it is large and rarely used.
    /// - Parameters:
    ///   - objects: State objects, which show their machines.
    ///   - path: The workflows around this one, and itself; `nil` to leave out the machines in states.
    /// - Returns: The table.
    func table(knowing objects: [AnyObject], within path: [ObjectIdentifier]?) -> TransitionTable {
        var table = TransitionTable(
            workflow: workflow,
            version: version,
            states: states.map(\.name),
            superstates: Dictionary(
                uniqueKeysWithValues: states.compactMap { state in
                    state.superstate.map { (state.name, states[$0].name) }
                }
            ),
            groups: content.value.groups.map { group in
                TransitionTable.StateList(name: group.name, states: group.members.map { states[$0].name })
            },
            initial: initial.map { states[$0].name } ?? "",
            listed: content.value.facts.listed.map { states[$0].name },
            declaredFinals: content.value.facts.declaredFinals,
            events: events.map(tableEvent),
            actions: actions.map { action in
                TransitionTable.StateList(name: action.name, states: action.allowed.map { states[$0].name })
            },
            regions: path.map { regions(knowing: objects, within: $0) } ?? []
        )
        table.finals = table.unleftStates()
        return table
    }

    private func regions(knowing objects: [AnyObject], within path: [ObjectIdentifier]) -> [TransitionTable.Region] {
        guard hasComposites else { return [] }
        return states.filter(\.hooks.isComposite).flatMap { state in
            regions(of: state, knowing: objects, within: path).map { name, table in
                TransitionTable.Region(state: state.name, name: name ?? table.workflow, table: table)
            }
        }
    }

    /// The known machines of a state: those of an object, or else those of completions.
    private func regions(
        of state: CompiledState,
        knowing objects: [AnyObject],
        within path: [ObjectIdentifier]
    ) -> [(name: String?, table: TransitionTable)] {
        if let object = objects.first(where: { stateIndex(of: $0) == state.index }) ?? state.make() {
            return state.hooks.regions(of: object).map {
                (propertyName(of: $0, in: object), ($0 as? any TreeMachine)?.table(within: path) ?? .unknown)
            }
        }
        let properties = state.conditions.flatMap(\.trigger.properties)
            .reduce(into: [RegionProperty]()) { known, property in
                if !known.contains(where: property.isSame) { known.append(property) }
            }
        return properties.map { ($0.name, $0.workflow?.table(within: path) ?? .unknown) }
    }

    private func tableEvent(_ event: CompiledEvent) -> TransitionTable.Event {
        let reach = event.reach
        return TransitionTable.Event(
            name: event.name,
            transitions: reach.states(where: \.isAllowed).flatMap { source in
                reach.destinations(from: source).map { destination in
                    TransitionTable.Transition(
                        from: states[source].name,
                        to: states[destination].name,
                        isUpdate: reach.updates(source, to: destination)
                    )
                }
            },
            ignored: reach.states(where: \.isIgnored).map { states[$0].name },
            triggers: TransitionTable.Trigger.allCases.filter { name in
                event.declaration.triggers.contains { $0.name == name }
            },
            dueAfter: event.declaration.triggers.lazy.compactMap(\.after).min().map { $0 / .seconds(1) },
            fromAnyState: destinationsFromAnyState(of: event),
            isGuarded: !event.declaration.guards.isEmpty,
            // Builders may build different data, as hooks may do different things.
            hasHooks: !event.declaration.hooks.isEmpty || !event.declaration.builders.isEmpty
        )
    }

    private func destinationsFromAnyState(of event: CompiledEvent) -> [String] {
        let declared = Set(event.routes.rules.lazy.filter(\.sources.isAny).flatMap(\.destinations))
        guard !declared.isEmpty else { return [] }
        return states.filter { lineage(of: $0.index).contains(where: declared.contains) }.map(\.name)
    }
}

extension TransitionTable {
    /// The table of an unknown workflow.
    static var unknown: TransitionTable { TransitionTable(workflow: "", states: [], initial: "", events: []) }
}

extension MachineCore {
    /// The table of the machine within others, including the machines of an object.
    ///
    /// A context may have closures that the table shows and the definition lacks.
    func table(within path: [ObjectIdentifier] = [], knowing object: AnyObject?) -> TransitionTable {
        context?.makeTable?() ?? definition.content.value.objects.makeTable(path, object)
    }
}
