// The problems that types and tables have in common, in the order of workflow, states, groups and events.

extension DefinitionParts {
    package var problems: [WorkflowProblem] {
        (facts.name.isBlank ? [.blankName(.workflow, at: nil)] : [])
            + (facts.version < 1 ? [.badVersion(facts.version)] : []) + migrationProblems
            + WorkflowProblem.ofNames(.state, states.types.indices, { states.names[$0] }, at: states.className)
            + groups.groups.filter(\.members.isEmpty).map { .empty(.group, $0.name) }
            + WorkflowProblem.ofNames(.group, groups.groups, \.name, at: { _ in nil })
            + WorkflowProblem.ofNames(.event, events, \.name, at: \.property)
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
        return missing.map { .missingMigration(version: $0) }
            + misplaced.map { .misplacedMigration($0.name, version: $0.version) }
            + WorkflowProblem.repeated(migrations) { "\($0.version) \($0.name)" }
            .map { .duplicateName(.migration(version: $1[0].version), $1[0].name, at: []) }
    }

    private func problems(ofEvent index: Int) -> [WorkflowProblem] {
        let name = events[index].name
        let routes = routes[index]
        guard !routes.rules.isEmpty else { return [.empty(.event, name)] }
        return routes.contradictoryIgnores.map { .contradictoryIgnore(event: name, state: states.names[$0]) }
            + routes.contradictoryUpdates(in: states).map { .contradictoryUpdate(event: name, state: states.names[$0]) }
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
                problems.append(
                    .migrationToUnknownState(new, version: migration.version, migration: migration.name)
                )
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
        .map { .endlessDeadline(event: events[$0].name) }
    }

    /// Whether there is a final state.
    var canEnd: Bool {
        states.types.indices.contains { state in
            routes.allSatisfy { routes in
                routes.ignoring.contains(state)
                    || routes.rules(in: state).allSatisfy { routes.rules[$0].destinations.isEmpty }
            }
        }
    }
}

extension WorkflowProblem {
    /// The problems of blank and repeated names.
    /// - Parameters:
    ///   - part: The kind of elements.
    ///   - elements: The elements with these names.
    ///   - name: The name of an element.
    ///   - place: The class or property of an element; `nil` in a table, and for a group.
    /// - Returns: The problems.
    static func ofNames<Element>(
        _ part: Part,
        _ elements: some Collection<Element>,
        _ name: (Element) -> String,
        at place: (Element) -> String?
    ) -> [WorkflowProblem] {
        elements.filter { name($0).isBlank }.map { .blankName(part, at: place($0)) }
            + repeated(Array(elements), by: name).map { name, elements in
                .duplicateName(part, name, at: elements.compactMap(place))
            }
    }

    /// The groups of elements that share a key, in the order of their first element.
    static func repeated<Element, Key: Hashable>(
        _ elements: [Element],
        by key: (Element) -> Key
    ) -> [(Key, [Element])] {
        let groups = Dictionary(grouping: elements, by: key).filter { $0.value.count > 1 }
        var seen: Set<Key> = []
        return elements.map(key).filter { groups[$0] != nil && seen.insert($0).inserted }.map { ($0, groups[$0] ?? []) }
    }
}

extension String {
    fileprivate var isBlank: Bool { allSatisfy(\.isWhitespace) }
}
