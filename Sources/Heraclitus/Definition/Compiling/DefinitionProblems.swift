// The problems that types and tables have in common, in the order of workflow, states, groups and events.

extension DefinitionParts {
    package var problems: [WorkflowProblem] {
        var problems: [WorkflowProblem] = []
        if facts.name.isBlank {
            problems.append(.init("blankWorkflowName", [], "The workflow's name is blank. Give it a name."))
        }
        if facts.version < 1 {
            let version = "\(facts.version)"
            problems.append(
                .init("badVersion", [version], "The workflow's version is \(version); versions start at 1.")
            )
        }
        return problems + migrationProblems
            + WorkflowProblem.ofNames("state", states.types.indices, { states.names[$0] }, at: states.className)
            + groups.filter(\.members.isEmpty).map { .empty(group: $0.name) }
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
        let gaps = missing.map {
            let text =
                "No migration leads to version \($0). If nothing changed, or no store has older archives, list "
                + "`.unchanged(in: \($0))`."
            return WorkflowProblem("missingMigration", ["\($0)"], text)
        }
        let strays = misplaced.map {
            let text =
                "The migration \"\($0.name)\" leads to version \($0.version), which does not exist, or is listed after "
                + "a newer version. List migrations in ascending order, up to the workflow's version."
            return WorkflowProblem("misplacedMigration", [$0.name, "\($0.version)"], text)
        }
        return gaps + strays
            + WorkflowProblem.repeated(migrations) { "\($0.version) \($0.name)" }
            .map { _, migrations in
                let (name, version) = (migrations[0].name, "\(migrations[0].version)")
                let text = "Several migrations to version \(version) have the name \"\(name)\". Give each its own name."
                return WorkflowProblem("duplicateMigration", [name, version], text)
            }
    }

    private func problems(ofEvent index: Int) -> [WorkflowProblem] {
        let name = events[index].name
        // Names in a table may be long, and appear in many problems.
        let shortened = name.shortened
        let routes = routes[index]
        guard !routes.rules.isEmpty else { return [.empty(event: name)] }
        return routes.contradictoryIgnores.map { states.names[$0] }.map {
            let text =
                "The event \"\(shortened)\" is ignored in \($0.shortened), and also leads from it. Remove one of the two."
            return .init("contradictoryIgnore", [name, $0], text)
        }
            + routes.contradictoryUpdates(in: states).map { states.names[$0] }.map {
                let text =
                    "The event \"\(shortened)\" updates \($0.shortened), and also leads from it to itself. "
                    + "Remove one of the two."
                return .init("contradictoryUpdate", [name, $0], text)
            }
    }

    /// The sources in which an automatic event has neither a builder nor a single destination that makes itself.
    ///
    /// Time is linear in the pairs of the event.
    package func missingBuilders(ofEvent index: Int) -> [WorkflowProblem] {
        let event = events[index]
        let routes = routes[index]
        let triggers = event.declaration.triggers.filter { !$0.hasBuilder }
        if triggers.isEmpty { return [] }
        return routes.sources(in: states).filter { state in
            let destinations = routes.declaredDestinations(from: state)
            let isMade = destinations.count == 1 && states.kinds[destinations[0]].make != nil
            return !isMade && triggers.contains { fires(index, in: state, $0) }
                && !event.declaration.builders.contains { isCalled($0.sources, with: [state]) }
        }
        .map { states.names[$0] }.map {
            let text =
                "The automatic event \"\(event.name.shortened)\" in \($0.shortened) has no builder of its destination. "
                + "Let it lead to a single state that needs no data, or add `.enters { … }`."
            return .init("missingBuilder", [event.name, $0], text)
        }
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
                let text =
                    "The migration \"\(migration.name)\" leads to \"\(new)\", which is not a state of version "
                    + "\(migration.version). Correct the name, or rename that state in a later migration."
                let names = [migration.name, new, "\(migration.version)"]
                problems.append(.init("migrationToUnknownState", names, stopsTheProgram: false, text))
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
            let times = declaration.triggers.compactMap { $0.deadline?.after }
            return !times.isEmpty && routes[event].rules.contains(where: \.isUpdate)
                || times.contains { $0 <= .zero } && routes[event].alwaysStays
        }
        .map { events[$0].name }.map {
            let text =
                "The event \"\($0)\" is due again at once after each fire: an update keeps the date of entry, and a delay of "
                + "zero has always passed. Compute the date in `due` from the state's data, or guard the event."
            return .init("endlessDeadline", [$0], stopsTheProgram: false, text)
        }
    }
}
