// The problems of a definition of types, besides those that it has in common with a table.

extension DefinitionCompiler {
    var problems: [WorkflowProblem] {
        parts.problems + initialProblems + propertyProblems + stateProblems
            + groupProblems(of: initialObjects) + guardProblems + actionProblems + workProblems + completionProblems
            + destinationProblems
            + WorkflowProblem.ofNames("effect", W.effects, { $0.name }, at: { fullName(of: $0) })
    }

    private var initialProblems: [WorkflowProblem] {
        var problems: [WorkflowProblem] = []
        if let valueName {
            problems.append(.init("initialStateIsNoClass", [valueName]))
        } else if parts.facts.initial == nil {
            problems.append(.init("unregisteredInitialState", [initialName]))
        }
        if let unsuitableType { problems.append(.init("unsuitableStateType", [unsuitableType])) }
        return problems
    }

    /// The problems of the properties with events and actions.
    private var propertyProblems: [WorkflowProblem] {
        let (events, actions) = (properties.events, properties.actions)
        // The value was taken from another value of this workflow, in which it is another event.
        let taken = events.enumerated().compactMap { index, event -> [String]? in
            guard let earlier = event.slot.index, earlier != index else { return nil }
            let first = events.indices.contains(earlier) ? events[earlier].property : nil
            return [first, event.property].compactMap(\.self)
        }
        let shared =
            WorkflowProblem.repeated(events, by: { ObjectIdentifier($0.slot) }).map { $1.compactMap(\.property) }
            + WorkflowProblem.repeated(actions, by: { ObjectIdentifier($0.declaration) }).map { $1.map(\.property) }
        let hidden = properties.hiding.map { WorkflowProblem("hiddenEvent", [$0]) }
        let foreign = properties.foreign.map { WorkflowProblem("foreignEvent", [$0.property, $0.workflow]) }
        return hidden + foreign
            + (shared + taken).map {
                let list = $0.joined(separator: ", ")
                let text = "Several properties have the same event or action value: \(list). Make one for each."
                return WorkflowProblem("sharedEvent", $0, text)
            }
    }

    private var actionProblems: [WorkflowProblem] {
        WorkflowProblem.ofNames("action", properties.actions, { $0.name }, at: { $0.property })
            + parts.actions.filter(\.allowed.isEmpty).map { WorkflowProblem("emptyAction", [$0.name]) }
    }

    /// The events with a guard before an `or`, which skips the pairs of the `or`.
    private var guardProblems: [WorkflowProblem] {
        parts.events.indices.filter { hasUnaskedGuard(parts.events[$0].declaration, routes[$0]) }
            .map { WorkflowProblem("unaskedGuard", [parts.events[$0].name]) }
    }

    private var stateProblems: [WorkflowProblem] {
        let foreign = (W.AnyState.self as? AnyClass).map { common in
            states.types.filter { !superclasses(of: $0).contains { $0 == common } }
                .map { WorkflowProblem.foreignState($0, expected: String(describing: common)) }
        }
        // A group of the protocol knows the conformance of every class.
        let strangers = groupOfAll.map { group in
            states.types.indices.filter { !group.members.contains($0) }
                .map { WorkflowProblem.foreignState(states.types[$0], expected: ownName(of: W.AnyState.self)) }
        }
        return (foreign ?? strangers ?? []) + initialHolder.filter(\.stopsTheProgram)
    }

    /// The groups whose closure contradicts one of some objects.
    func groupProblems(of objects: [any WorkflowState]) -> [WorkflowProblem] {
        objects.flatMap { object -> [WorkflowProblem] in
            guard let number = states.number(of: type(of: object)) else { return [] }
            return groups.compactMap { $0.mistake(about: object, in: number, named: states.names[number]) }
        }
    }

    private var workProblems: [WorkflowProblem] {
        func life<State: Working>(of type: State.Type) -> any Workflow.Type { State.MachineWorkflow.self }
        let types = states.types.map { $0 as? any Working.Type }
        let working = types.indices.filter { types[$0] != nil }
        let foreign = types.compactMap { type -> WorkflowProblem? in
            guard let type else { return nil }
            let life = life(of: type)
            if life == W.self { return nil }
            return .init("foreignWork", [fullName(of: type), life.name])
        }
        return foreign
            + problems(ofEventsAfterWork: .failure, in: working)
            + problems(ofEventsAfterWork: .done, in: working)
    }

    /// The problems of the events that fire after failed work, or after completed work.
    private func problems(
        ofEventsAfterWork name: TransitionTable.Trigger,
        in working: [Int]
    ) -> [WorkflowProblem] {
        func follows(_ event: Int, from state: Int) -> Bool {
            properties.events[event].declaration.triggers.contains {
                $0.name == name && parts.fires(event, in: state, $0)
            }
        }
        let events = properties.events.indices.filter { event in
            properties.events[event].declaration.triggers.contains { $0.name == name }
        }
        let idle = events.filter { event in !working.contains { follows(event, from: $0) } }
        let ambiguous = working.compactMap { state -> WorkflowProblem? in
            let names = events.filter { follows($0, from: state) }.map { properties.events[$0].name }
            guard names.count > 1 else { return nil }
            let text =
                "Several events fire at the same outcome of the work of \(states.names[state]): "
                + "\(names.joined(separator: ", ")). Keep one, and let its builder choose the destination."
            return .init("ambiguousWork", [states.names[state]] + names, text)
        }
        return idle.map { WorkflowProblem("eventWithoutWork", [properties.events[$0].name]) } + ambiguous
    }

    private var destinationProblems: [WorkflowProblem] {
        parts.events.indices.flatMap { parts.missingBuilders(ofEvent: $0) }
    }

    private var completionProblems: [WorkflowProblem] {
        let waits = properties.events.map { event in event.declaration.triggers.filter { $0.name == .completion } }
        guard waits.contains(where: { !$0.isEmpty }) else { return [] }
        let plain = states.types.indices.filter { !(states.types[$0] is any Composite.Type) }
        return properties.events.indices.flatMap { event in
            plain.filter { state in
                !routes[event].rules(in: state).isEmpty
                    && waits[event].contains { parts.isCalled($0.sources, with: [state]) }
            }
            .map { WorkflowProblem("completionWithoutRegions", [properties.events[event].name, states.names[$0]]) }
        }
    }
}
