// The problems of a table as a workflow, in the order of table, states and events.

extension TransitionTable {
    /// All problems of the table as the definition of a ``DataWorkflow``; empty for a valid one.
    ///
    /// Time and memory are linear in the table. The first twenty missing versions are listed.
    /// ``WorkflowProblem/stopsTheProgram`` is `true` for problems that prevent a workflow. `findings` lists warnings
    /// about a valid table.
    public var problems: [WorkflowProblem] {
        let names = Set(states)
        return workflowProblems(names) + stateProblems(names) + groupProblems(names) + eventProblems(names)
            + migrationsToUnknownStates(names)
    }

    private func workflowProblems(_ names: Set<String>) -> [WorkflowProblem] {
        var problems: [WorkflowProblem] = []
        if workflow.isBlank { problems.append(.blankWorkflowName) }
        if version < 1 { problems.append(.badVersion(version)) }
        if !names.contains(initial) { problems.append(.unknownTableState(initial, place: "the initial state")) }
        problems += listed.unknown(to: names, in: "the listed states")
        problems += declaredFinals.unknown(to: names, in: "the declared final states")
        problems += regions.map { .unsupportedInTable("the state \"\($0.state)\" holds a machine") }
        return problems + migrationProblems
    }

    private var migrationProblems: [WorkflowProblem] {
        var problems: [WorkflowProblem] = []
        let present = Set(migrations.map(\.version))
        // A foreign table may have any version.
        let last = Swift.min(version, migrations.count + 21)
        if last >= 2 {
            problems += (2...last).filter { !present.contains($0) }.prefix(20).map { .missingMigration(version: $0) }
        }
        var latest = 2
        var seen: [Int: Set<String>] = [:]
        for step in migrations {
            let migration = step.migration
            if step.version < latest || step.version > version {
                problems.append(.misplacedMigration(migration.name, version: step.version))
            }
            latest = Swift.max(latest, step.version)
            if !seen[step.version, default: []].insert(migration.name).inserted {
                problems.append(.duplicateMigration(migration.name, version: step.version))
            }
        }
        return problems
    }

    private func migrationsToUnknownStates(_ names: Set<String>) -> [WorkflowProblem] {
        var known = names
        var problems: [WorkflowProblem] = []
        for step in migrations.reversed() {
            guard case .state(let old, let new) = step.migration.renaming else { continue }
            if !known.contains(new) {
                problems.append(.migrationToUnknownState(new, version: step.version, migration: step.migration.name))
            }
            known.insert(old)
        }
        return problems.reversed()
    }

    // MARK: States

    private func stateProblems(_ names: Set<String>) -> [WorkflowProblem] {
        let blank = states.filter(\.isBlank).map { WorkflowProblem.blankStateName(className: "\"\($0)\"") }
        let duplicates = states.duplicates.map { WorkflowProblem.duplicateStateName($0, classNames: []) }
        let superstates = superstates.sorted { $0.key < $1.key }
        let unknown = superstates.flatMap { [$0.key, $0.value].unknown(to: names, in: "the superstates") }
        let keyed = keys.keys.sorted().unknown(to: names, in: "the keys")
        return blank + duplicates + unknown + circles + keyed
    }

    /// The circles of nested states, each once.
    private var circles: [WorkflowProblem] {
        var visits: [String: Int] = [:]
        var problems: [WorkflowProblem] = []
        for (number, start) in superstates.keys.sorted().enumerated() {
            var state = start
            while visits[state] == nil, let next = superstates[state] {
                visits[state] = number
                state = next
            }
            // The walk has come back to a state of this same walk.
            guard visits[state] == number, superstates[state] != nil else { continue }
            var circle = [state]
            while let next = superstates[circle[circle.count - 1]], next != state, circle.count < 20 {
                circle.append(next)
            }
            problems.append(.circularSuperstates(circle))
        }
        return problems
    }

    private func groupProblems(_ names: Set<String>) -> [WorkflowProblem] {
        groups.flatMap { group -> [WorkflowProblem] in
            (group.states.isEmpty ? [.emptyGroup(group.name)] : [])
                + group.states.unknown(to: names, in: "the group \"\(group.name)\"")
        } + groups.map(\.name).duplicates.map { .duplicateGroupName($0) }
    }

    // MARK: Events

    private func eventProblems(_ names: Set<String>) -> [WorkflowProblem] {
        let blank = events.filter(\.name.isBlank).map { WorkflowProblem.blankEventName(property: "\"\($0.name)\"") }
        let duplicates = events.map(\.name).duplicates.map { WorkflowProblem.duplicateEventName($0, properties: []) }
        return blank + duplicates + events.flatMap { $0.problems(names) + $0.problemsOfAnyState(names) }
    }
}

extension TransitionTable.Event {
    fileprivate func problems(_ names: Set<String>) -> [WorkflowProblem] {
        let place = "the event \"\(name)\""
        var problems: [WorkflowProblem] = []
        if transitions.isEmpty, fromAnyState.isEmpty { problems.append(.emptyEvent(name)) }
        problems += transitions.flatMap { [$0.from, $0.to] }.unknown(to: names, in: place)
        problems += (fromAnyState + ignored).unknown(to: names, in: place)
        let ignored = Set(ignored)
        var said: Set<String> = []
        var updated: Set<String> = []
        for pair in transitions {
            if ignored.contains(pair.from), said.insert(pair.from).inserted {
                problems.append(.contradictoryIgnore(event: name, state: pair.from))
            }
            guard pair.isUpdate else { continue }
            if pair.from != pair.to {
                problems.append(.unsupportedInTable("\(place) updates \"\(pair.from)\" and leads to another state"))
            }
            updated.insert(pair.from)
        }
        let entered = transitions.lazy.filter { !$0.isUpdate && $0.from == $0.to }.map(\.from)
        problems += Set(entered).union(fromAnyState).intersection(updated).sorted()
            .map { .contradictoryUpdate(event: name, state: $0) }
        return problems + triggerProblems(place, isUpdate: !updated.isEmpty)
    }

    /// An event from any state whose pairs are unlisted, because there are too many.
    fileprivate func problemsOfAnyState(_ names: Set<String>) -> [WorkflowProblem] {
        guard !fromAnyState.isEmpty else { return [] }
        var sources: [String: Set<String>] = [:]
        for pair in transitions where !pair.isUpdate { sources[pair.to, default: []].insert(pair.from) }
        let expected = names.subtracting(ignored).count
        let isListed = fromAnyState.allSatisfy { !names.contains($0) || (sources[$0]?.count ?? 0) >= expected }
        return isListed ? [] : [.unsupportedInTable("the event \"\(name)\" leads from any of too many states")]
    }

    private func triggerProblems(_ place: String, isUpdate: Bool) -> [WorkflowProblem] {
        var problems: [WorkflowProblem] = triggers.compactMap { trigger in
            switch trigger {
            case .failure: .unsupportedInTable("\(place) fires when work has failed")
            case .done: .unsupportedInTable("\(place) fires when work is done")
            case .condition: .unsupportedInTable("\(place) fires when a condition holds")
            case .completion: .unsupportedInTable("\(place) fires when machines have ended")
            case .due: dueAfter == nil ? .unsupportedInTable("\(place) is due at a date that follows from data") : nil
            }
        }
        guard let dueAfter else { return problems }
        if !(0...100_000_000_000).contains(dueAfter) { problems.append(.badDeadline(event: name)) }
        let stays = transitions.allSatisfy { $0.from == $0.to } && fromAnyState.isEmpty
        if isUpdate || dueAfter == 0 && stays { problems.append(.endlessDeadline(event: name)) }
        return problems
    }
}

extension [String] {
    /// The repeated elements, each once.
    fileprivate var duplicates: [String] {
        var counts: [String: Int] = [:]
        for name in self { counts[name, default: 0] += 1 }
        guard counts.count < count else { return [] }
        return filter {
            guard let count = counts[$0], count > 1 else { return false }
            counts[$0] = nil
            return true
        }
    }

    /// The names of unknown states, each once.
    fileprivate func unknown(to names: Set<String>, in place: String) -> [WorkflowProblem] {
        var seen: Set<String> = []
        return filter { !names.contains($0) && seen.insert($0).inserted }.map { .unknownTableState($0, place: place) }
    }
}

extension String {
    fileprivate var isBlank: Bool { allSatisfy(\.isWhitespace) }
}
