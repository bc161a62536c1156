// The problems of a table as a workflow, besides those that it has in common with types.

public import Heraclitus

extension TransitionTable {
    /// All problems of the table as the definition of a ``DataWorkflow``; those that stop the program prevent one.
    ///
    /// Time and memory are linear in the table. The first twenty missing versions are listed.
    /// `findings` lists warnings about a valid table.
    public var problems: [WorkflowProblem] { TableCompiler(self).problems }
}

extension DataWorkflow {
    /// The problems of the workflow, none of which stops the program.
    ///
    /// They are those of its ``table``, and events whose guards or hooks the table names and the workflow lacks. The
    /// table of a typed workflow or a file may name them, but only closures can carry them out.
    public var problems: [WorkflowProblem] { table.problems + missingClosures }
}

extension TransitionTable.Event {
    /// The problems of guards and hooks that only the table has.
    var closuresInTable: [WorkflowProblem] {
        func missing(_ kind: String, _ closures: String, _ method: String) -> WorkflowProblem {
            let text = "By the table, the event \"\(name.shortened)\" has \(closures), which only code can have. "
            return .init(kind, [name], stopsTheProgram: false, text + "Add a closure with `\(method)` to the workflow.")
        }
        return (isGuarded ? [missing("missingGuard", "guards", "guarded")] : [])
            + (hasHooks ? [missing("missingHook", "hooks or builders", "didFire")] : [])
    }
}

extension TableCompiler {
    /// All problems of the table, each once.
    var problems: [WorkflowProblem] {
        // An event or group that names only unknown states is not empty.
        let empty = Set(
            table.events.filter { $0.transitions.isEmpty && $0.fromAnyState.isEmpty }
                .map { WorkflowProblem("emptyEvent", [$0.name]) }
                + table.groups.filter(\.states.isEmpty).map { WorkflowProblem("emptyGroup", [$0.name]) }
        )
        let common = parts.problems.filter { !$0.kind.hasPrefix("empty") || empty.contains($0) }
        let regions = table.regions.map {
            unsupported([$0.state], "the state \"\($0.state.shortened)\" holds a machine")
        }
        let actions = table.actions.map {
            unsupported([$0.name], "the table has the action \"\($0.name.shortened)\"", stopsTheProgram: false)
        }
        // A guard may decline the event. A workflow that lacks the guards of its table has a problem of its own.
        let guarded = Set(table.events.lazy.filter(\.isGuarded).map(\.name))
        let minor = parts.minorProblems.filter { $0.kind != "endlessDeadline" || !guarded.contains($0.names[0]) }
        let problems =
            data.problems + common + unknownStates + circles + regions + actions
            + table.events.indices.flatMap(problems(ofEvent:)) + minor
        // Wrong steps may lead to the missing versions and states.
        return problems.filter { data.hasAllSteps || !Self.kindsOfSteps.contains($0.kind) }.once
    }

    private static let kindsOfSteps: Set = ["missingMigration", "misplacedMigration", "migrationToUnknownState"]

    private var unknownStates: [WorkflowProblem] {
        let superstates = table.superstates.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }
        return unknown([table.initial], in: "the initial state") + unknown(table.listed, in: "the listed states")
            + unknown(table.declaredFinals, in: "the declared final states")
            + unknown(superstates, in: "the superstates")
            + unknown(table.others["keys"]?.objectValue?.keys.sorted() ?? [], in: "the keys")
            + table.groups.flatMap { unknown($0.states, in: "the group \"\($0.name.shortened)\"") }
    }

    private func unknown(_ names: [String], in place: String) -> [WorkflowProblem] {
        names.filter { states.number(named: $0) == nil }.once.map {
            let text =
                "The table lists no state \"\($0.shortened)\", which is named in \(place). List it, or correct the name."
            return .init("unknownTableState", [$0], text)
        }
    }

    private func unsupported(_ names: [String], _ text: String, stopsTheProgram: Bool = true) -> WorkflowProblem {
        let text = "A workflow of data cannot do this: \(text). Change the table, or write a `Workflow`."
        return .init("unsupportedInTable", names, stopsTheProgram: stopsTheProgram, text)
    }

    /// The circles of nested states, each once.
    private var circles: [WorkflowProblem] {
        var visits: [String: Int] = [:]
        var problems: [WorkflowProblem] = []
        for (number, start) in table.superstates.keys.sorted().enumerated() {
            var state = start
            while visits[state] == nil, let next = table.superstates[state] {
                visits[state] = number
                state = next
            }
            // The walk has come back to a state of this same walk.
            guard visits[state] == number, table.superstates[state] != nil else { continue }
            var circle = [state]
            while let next = table.superstates[circle[circle.count - 1]], next != state, circle.count < 20 {
                circle.append(next)
            }
            let list = circle.map(\.shortened).joined(separator: ", ")
            let text = "The states \(list) contain one another in a circle. Remove one of their superstates."
            problems.append(.init("circularSuperstates", circle, text))
        }
        return problems
    }

    // MARK: Events

    private func problems(ofEvent index: Int) -> [WorkflowProblem] {
        let event = table.events[index]
        // Names may be long, and appear in many problems.
        let place = "the event \"\(event.name.shortened)\""
        let isListed = listsPairsFromAnyState(event)
        let states = event.transitions.flatMap { [$0.from, $0.to] } + event.fromAnyState + event.ignored
        return unknown(states, in: place)
            + event.transitions.filter { $0.isUpdate && $0.from != $0.to }.map {
                let text = "updates \"\($0.from.shortened)\" and leads to another state"
                return unsupported([event.name, $0.from], "\(place) \(text)")
            }
            + (isListed
                ? parts.missingBuilders(ofEvent: index)
                : [unsupported([event.name], "\(place) leads from any of too many states")])
            + event.triggers.once.compactMap { unsupported($0, of: event) }
            .map { unsupported([event.name], "\(place) \($0)") }
            + deadlineProblems(of: event)
    }

    private func deadlineProblems(of event: TransitionTable.Event) -> [WorkflowProblem] {
        if event.dueAfter == nil || event.hasValidDeadline { return [] }
        let text =
            "The delay of the event \"\(event.name.shortened)\" is not a number of seconds from 0 to 100 billion."
        return [.init("badDeadline", [event.name], text)]
    }

    /// Whether the pairs of an event from any state are listed; otherwise there are too many.
    private func listsPairsFromAnyState(_ event: TransitionTable.Event) -> Bool {
        guard !event.fromAnyState.isEmpty else { return true }
        var sources: [String: Set<String>] = [:]
        for pair in event.transitions where !pair.isUpdate { sources[pair.to, default: []].insert(pair.from) }
        let expected = states.count - Set(event.ignored.compactMap(states.number(named:))).count
        return event.fromAnyState.allSatisfy {
            states.number(named: $0) == nil || (sources[$0]?.count ?? 0) >= expected
        }
    }

    /// The trigger in words if a table cannot have it.
    private func unsupported(_ trigger: TransitionTable.Trigger, of event: TransitionTable.Event) -> String? {
        switch trigger {
        case .failure: "fires when work has failed"
        case .done: "fires when work is done"
        case .condition: "fires when a condition holds"
        case .completion: "fires when machines have ended"
        case .due: event.dueAfter == nil ? "is due at a date that follows from data" : nil
        }
    }
}
