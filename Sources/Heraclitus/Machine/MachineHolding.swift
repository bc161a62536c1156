/// A machine of whatever workflow.
private protocol AnyMachine {}

extension StateMachine: AnyMachine {}

/// Finds states with machines that would be shared with copies, or would be left out of what their holder does.
enum MachineHolding {
    /// What is wrong with the machines that an object holds, or could hold in a property that is empty now.
    ///
    /// Properties in a value of any type show it only while a machine is there: then another object of the class may hold one.
    static func problem(of state: AnyObject) -> WorkflowProblem? {
        var search = ValueSearch { $0 is any AnyMachine.Type }
        let className = fullName(of: type(of: state))
        guard let copying = (state as? any Capability) as? any Copying else {
            return search.path(in: Mirror(reflecting: state)).map {
                .uncopiableMachine(className: className, property: property($0))
            }
        }
        guard let composite = copying as? any Composite else { return nil }
        let found = search.all(in: Mirror(reflecting: state))
        guard !found.isEmpty else { return nil }
        let regions = Set(composite.regions.map { ObjectIdentifier($0) })
        return found.first { !regions.contains(ObjectIdentifier($0.value as AnyObject)) }.map {
            .unlistedRegion(className: className, property: property($0.path.filter { $0 != "some" }))
        }
    }

    /// Stops the program if an object cannot be copied because of a machine that it holds.
    ///
    /// It looks at each object anew: what one has no example of, the next of its class may hold.
    static func check(_ state: AnyObject) {
        if !isCopyable(state), let problem = problem(of: state) { fatalError("\(problem)") }
    }

    /// Whether a copy can have an object: one that copies itself, or that holds no machine and can be shared.
    static func isCopyable(_ state: AnyObject) -> Bool {
        if state is any Copying { return true }
        var search = ValueSearch { $0 is any AnyMachine.Type }
        return search.path(in: Mirror(reflecting: state)) == nil
    }

    private static func property(_ path: [String]) -> String { path.joined(separator: ".") }
}

extension Definition {
    /// Stops the program if the first object of a class shows that its copies would share a machine.
    func checkMachines(of object: AnyObject) {
        guard let problem = MachineHolding.problem(of: object), problem.stopsTheProgram else { return }
        fatalError("The definition of the workflow \(workflow) is wrong: \(problem)")
    }
}
