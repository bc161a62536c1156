// Finds wrong states with machines.

/// The problems of states whose machines would be shared with copies, or that list them wrongly in `regions`.
enum RegionProblems {
    /// The problem of an object's machines, including properties that could hold a machine.
    ///
    /// Each object is checked, not each class: a property of type `Any` may hold a machine in one object and none in
    /// another.
    static func problem(of state: AnyObject) -> WorkflowProblem? {
        var search = ValueSearch { $0 is any TreeMachine.Type }
        guard let copying = state as? any Copying else {
            return search.matches(in: Mirror(reflecting: state), limit: 1).first.map {
                WorkflowProblem("uncopiableMachine", [fullName(of: type(of: state)), $0.path.joined(separator: ".")])
            }
        }
        guard let composite = copying as? any Composite else { return nil }
        let found = search.matches(in: Mirror(reflecting: state)).compactMap { path, machine in
            machine.map { (path: path, value: $0) }
        }
        guard !found.isEmpty else { return nil }
        let regions = Set(composite.regions.map { ObjectIdentifier($0) })
        return found.first { !regions.contains(ObjectIdentifier($0.value as AnyObject)) }.map {
            let property = $0.path.filter { $0 != "some" }.joined(separator: ".")
            // The program goes on, because a state may keep a machine for a later state.
            return .init("unlistedRegion", [fullName(of: type(of: state)), property], stopsTheProgram: false)
        }
    }

    /// The problem of the machines that a state lists, which stops the program when the object becomes the state.
    /// - Parameters:
    ///   - regions: The machines that the state has listed.
    ///   - state: The state, which is asked again.
    ///   - hooks: The hooks of its class.
    ///   - events: The automatic events in the state.
    ///   - workflow: The name of the workflow.
    /// - Returns: The problem.
    static func problem(
        ofRegions regions: [any TreeMachine],
        of state: AnyObject,
        _ hooks: StateHooks,
        awaitedBy events: some Collection<(name: String, trigger: Trigger)>,
        in workflow: String
    ) -> WorkflowProblem? {
        guard hooks.isComposite else { return nil }
        func problem(_ kind: String, _ text: String, _ names: String...) -> WorkflowProblem {
            let className = fullName(of: type(of: state))
            return .init(kind, [className] + names, "\(className) of \(workflow) \(text)")
        }
        let listed = hooks.regions(of: state)
        // Machines made at each call would be activated and then lost with their deadlines and work.
        if !listed.elementsEqual(regions, by: { $0 === $1 }) {
            if let stranger = listed.first(where: { !($0 is any TreeMachine) }) {
                let name = fullName(of: type(of: stranger))
                let text = "lists in `regions` a \(name), which is no StateMachine. List machines only."
                return problem("regionIsNoMachine", text, name)
            }
            let text =
                "lists other machines in `regions` each time it is asked. Keep them in constants of the state."
            return problem("changingRegions", text)
        }
        if events.isEmpty { return nil }
        let known = Set(regions.lazy.map { ObjectIdentifier($0) })
        for event in events {
            for case let awaited as any TreeMachine in event.trigger.regions(state)
            where !known.contains(ObjectIdentifier(awaited)) {
                let text =
                    "does not list in `regions` the machine of \(awaited.workflowName) for whose end the event "
                    + "\"\(event.name)\" waits. List it."
                return problem("unlistedCompletion", text, event.name)
            }
        }
        return nil
    }
}
