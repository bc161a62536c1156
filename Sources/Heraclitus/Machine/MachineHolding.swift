/// A machine, or something that may hold one.
private protocol MachineHolder {
    static var holdsMachine: Bool { get }
}

extension StateMachine: MachineHolder {
    fileprivate static var holdsMachine: Bool { true }
}

extension Optional: MachineHolder {
    fileprivate static var holdsMachine: Bool { MachineHolding.holdsMachine(Wrapped.self) }
}

extension Array: MachineHolder {
    fileprivate static var holdsMachine: Bool { MachineHolding.holdsMachine(Element.self) }
}

extension Dictionary: MachineHolder {
    fileprivate static var holdsMachine: Bool { MachineHolding.holdsMachine(Value.self) }
}

/// Finds states that share a machine with their copies because nobody said how to copy them.
enum MachineHolding {
    /// Stops the program if an object holds a machine, or has a property for one that is empty now.
    ///
    /// It looks at each object anew: what one has no example of, the next of its class may hold.
    static func check(_ state: AnyObject) {
        let type: any AnyObject.Type = Swift.type(of: state)
        guard let property = propertyWithMachine(in: Mirror(reflecting: state), depth: 0) else { return }
        fatalError(
            "\(String(reflecting: type)) holds a state machine in `\(property)` and is not Copying: "
                + "its copy would change with the original. Conform it to Copying."
        )
    }

    fileprivate static func holdsMachine(_ type: Any.Type) -> Bool {
        (type as? any MachineHolder.Type)?.holdsMachine ?? false
    }

    private static func propertyWithMachine(in mirror: Mirror, depth: Int) -> String? {
        for child in mirror.children {
            let label = child.label ?? "[]"
            if holdsMachine(Swift.type(of: child.value)) { return label }
            let value = Mirror(reflecting: child.value)
            // Values only: what another object holds is that object's own affair.
            guard value.displayStyle != .class, depth < 8 else { continue }
            if let inner = propertyWithMachine(in: value, depth: depth + 1) { return "\(label).\(inner)" }
        }
        return mirror.superclassMirror.flatMap { propertyWithMachine(in: $0, depth: depth) }
    }
}
