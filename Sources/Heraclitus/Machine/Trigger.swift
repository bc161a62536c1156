/// How the caller says which event is to fire.
enum Trigger {
    case event(Int)
    case named(String)

    /// An event value that belongs to no workflow: no stored property, or a modified copy of one.
    case unbound

    /// Whichever event leads to this class.
    case entering(any AnyObject.Type)

    init<W, S, D>(_ event: WorkflowEvent<W, S, D>) {
        self = event.slot.index.map(Trigger.event) ?? .unbound
    }
}

/// What a fire offers to whoever makes the state to enter.
struct Offer<W: Workflow> {
    let source: W.AnyState
    let index: Int
    let event: BoundEvent
    let definition: Definition

    /// The state that is left, as the type that the event says it is.
    func source<S>(as type: S.Type) -> S {
        guard let source = source as? S else {
            preconditionFailure("An event that leads from one class only was accepted in another.")
        }
        return source
    }

    /// The object of the only state that the event leads to, if that is an empty one.
    func onlyEmptyState() throws -> AnyObject {
        let destinations = definition.declaredDestinations(of: event, from: index)
        guard destinations.count == 1, let make = destinations[0].make else {
            throw DestinationNeeded(candidates: destinations.map(\.name))
        }
        return make()
    }
}

/// Thrown when the machine has to be told which state to enter.
struct DestinationNeeded: Error {
    let candidates: [String]
}
