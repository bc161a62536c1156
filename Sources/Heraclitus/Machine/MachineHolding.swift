/// A machine of whatever workflow.
private protocol AnyMachine {}

extension StateMachine: AnyMachine {}

/// Finds states that share a machine with their copies because nobody said how to copy them.
enum MachineHolding {
    /// Stops the program if an object holds a machine, or has a property for one that is empty now.
    ///
    /// It looks at each object anew: what one has no example of, the next of its class may hold.
    static func check(_ state: AnyObject) {
        let type: any AnyObject.Type = Swift.type(of: state)
        var search = ValueSearch { $0 is any AnyMachine.Type }
        guard let path = search.path(in: Mirror(reflecting: state)) else { return }
        fatalError(
            "\(fullName(of: type)) holds a state machine in `\(path.joined(separator: "."))` and is not Copying: "
                + "its copy would change with the original. Conform it to Copying."
        )
    }
}
