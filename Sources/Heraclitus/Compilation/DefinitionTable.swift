extension Definition {
    /// Made anew for each reader: it is large, and most programs never ask.
    var table: TransitionTable {
        TransitionTable(
            workflow: workflow,
            version: version,
            states: states.map(\.name),
            superstates: Dictionary(
                uniqueKeysWithValues: states.compactMap { state in
                    state.lineage.dropFirst().first.map { (state.name, states[$0].name) }
                }
            ),
            groups: content.value.groups.map { group in
                TransitionTable.Group(name: group.name, states: group.members.map { states[$0].name })
            },
            initial: initial.map { states[$0].name } ?? "",
            listed: content.value.listed.map { states[$0].name },
            finals: finals.map(\.name),
            declaredFinals: content.value.declaredFinals,
            events: events.map(tableEvent),
            actions: actions.map { action in
                TransitionTable.Action(name: action.name, states: action.allowed.map { states[$0].name })
            }
        )
    }

    /// The states that nothing leaves.
    private var finals: [CompiledState] { states.filter(\.isFinal) }

    private func tableEvent(_ event: CompiledEvent) -> TransitionTable.Event {
        let leads = event.reach.leads
        return TransitionTable.Event(
            name: event.name,
            transitions: leads.states(where: \.isAllowed).flatMap { source in
                leads.columns(in: source).map { destination in
                    TransitionTable.Transition(
                        from: states[source].name,
                        to: states[destination].name,
                        isUpdate: event.reach.updates(source, to: destination)
                    )
                }
            },
            ignored: leads.states(where: \.isIgnored).map { states[$0].name },
            triggers: (event.declaration.deadlines.isEmpty ? [] : [.due])
                + (event.declaration.failure == nil ? [] : [.failure])
                + (event.declaration.completions.isEmpty ? [] : [.completion]),
            fromAnyState: destinationsFromAnyState(of: event),
            isGuarded: !event.declaration.guards.isEmpty,
            hasHooks: !event.declaration.willFire.isEmpty || !event.declaration.didFire.isEmpty
        )
    }

    private func destinationsFromAnyState(of event: CompiledEvent) -> [String] {
        let declared = Set(event.routes.rules.lazy.filter(\.sources.isAny).flatMap(\.destinations))
        guard !declared.isEmpty else { return [] }
        return states.filter { $0.lineage.contains(where: declared.contains) }.map(\.name)
    }
}
