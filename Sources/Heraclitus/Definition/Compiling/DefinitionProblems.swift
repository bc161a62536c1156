// The problems that types and tables have in common, in the order of workflow, states, groups and events.

extension DefinitionParts {
    package var problems: [WorkflowProblem] {
        var problems: [WorkflowProblem] = []
        if facts.name.isBlank {
            problems.append(.init("blankWorkflowName", []))
        }
        if facts.version < 1 {
            problems.append(.init("badVersion", ["\(facts.version)"]))
        }
        return problems + migrationProblems
            + WorkflowProblem.ofNames("state", states.types.indices, { states.names[$0] }, at: states.className)
            + groups.filter(\.members.isEmpty).map { WorkflowProblem("emptyGroup", [$0.name]) }
            + WorkflowProblem.ofNames("group", groups, \.name, at: { _ in nil })
            + WorkflowProblem.ofNames("event", events, \.name, at: \.property)
            + events.indices.flatMap(problems(ofEvent:))
    }

    /// The problems in spite of which machines work.
    package var minorProblems: [WorkflowProblem] { migrationsToUnknownStates + endlessDeadlines }

    private var migrationProblems: [WorkflowProblem] {
        let (version, migrations) = (facts.version, facts.migrations)
        let present = Set(migrations.map(\.version))
        // A table from outside may have any version.
        let last = min(version, migrations.count + 21)
        let missing = last < 2 ? [] : (2...last).filter { !present.contains($0) }.prefix(20)
        var latest = 2
        let misplaced = migrations.filter { migration in
            defer { latest = max(latest, migration.version) }
            return migration.version < latest || migration.version > version
        }
        let gaps = missing.map { WorkflowProblem("missingMigration", ["\($0)"]) }
        let strays = misplaced.map { WorkflowProblem("misplacedMigration", [$0.name, "\($0.version)"]) }
        return gaps + strays
            + WorkflowProblem.repeated(migrations) { "\($0.version) \($0.name)" }
            .map { WorkflowProblem("duplicateMigration", [$1[0].name, "\($1[0].version)"]) }
    }

    private func problems(ofEvent index: Int) -> [WorkflowProblem] {
        let name = events[index].name
        let routes = routes[index]
        guard !routes.rules.isEmpty else { return [.init("emptyEvent", [name])] }
        return routes.contradictoryIgnores.map { WorkflowProblem("contradictoryIgnore", [name, states.names[$0]]) }
            + routes.contradictoryUpdates(in: states)
            .map { WorkflowProblem("contradictoryUpdate", [name, states.names[$0]]) }
    }

    /// The sources in which an automatic event has neither a builder nor a single destination that makes itself.
    ///
    /// Time is linear in the pairs of the event.
    package func missingBuilders(ofEvent index: Int) -> [WorkflowProblem] {
        let event = events[index]
        let routes = routes[index]
        let triggers = event.declaration.triggers.filter { $0.builder == nil }
        if triggers.isEmpty { return [] }
        return routes.sources(in: states).filter { state in
            let destinations = routes.declaredDestinations(from: state)
            let isMade = destinations.count == 1 && states.kinds[destinations[0]].make != nil
            return !isMade && triggers.contains { fires(index, in: state, $0) }
                && !event.declaration.builders.contains { isCalled($0.sources, with: [state]) }
        }
        .map { WorkflowProblem("missingBuilder", [event.name, states.names[$0]]) }
    }

    /// The migrations to states that did not exist then.
    ///
    /// The search goes backwards through the steps, with the state names before each step.
    private var migrationsToUnknownStates: [WorkflowProblem] {
        var known = Set(states.names)
        known.formUnion(states.types.indices.compactMap { formerName(of: states.types[$0], named: states.names[$0]) })
        var problems: [WorkflowProblem] = []
        for migration in facts.migrations.reversed() {
            guard case .state(let old, let new, _) = migration.change else { continue }
            if !known.contains(new) {
                // A step with a closure may rename the state, so the program goes on.
                let names = [migration.name, new, "\(migration.version)"]
                problems.append(.init("migrationToUnknownState", names, stopsTheProgram: false))
            }
            known.insert(old)
        }
        return problems.reversed()
    }

    /// The automatic events that are due again at once: updates after a time since the entry, and repeated entries
    /// after no time.
    private var endlessDeadlines: [WorkflowProblem] {
        events.indices.filter { event in
            let declaration = events[event].declaration
            guard declaration.guards.isEmpty else { return false }
            let times = declaration.triggers.compactMap(\.after)
            return !times.isEmpty && routes[event].rules.contains(where: \.isUpdate)
                || times.contains { $0 <= .zero } && routes[event].alwaysStays
        }
        .map { WorkflowProblem("endlessDeadline", [events[$0].name], stopsTheProgram: false) }
    }
}
