/// How the caller says which event is to fire.
@usableFromInline
enum Trigger {
    case event(Int)
    case named(String)

    /// An event value that belongs to no workflow: no stored property, or a modified copy of one.
    case unbound

    /// Whichever event leads to this class.
    case entering(any AnyObject.Type)

    @inlinable
    init<W, S, D>(_ event: WorkflowEvent<W, S, D>) {
        self = event.slot.index.map(Trigger.event) ?? .unbound
    }
}

/// What a fire offers to whoever makes the state to enter.
@usableFromInline
struct Offer<W: Workflow> {
    @usableFromInline let source: W.AnyState
    @usableFromInline let index: Int
    @usableFromInline let event: BoundEvent
    @usableFromInline let definition: Definition

    @inlinable
    init(source: W.AnyState, index: Int, event: BoundEvent, definition: Definition) {
        self.source = source
        self.index = index
        self.event = event
        self.definition = definition
    }

    /// The state that is left, as the type that the event says it is.
    @inlinable
    func source<S>(as type: S.Type) -> S {
        guard let source = source as? S else {
            preconditionFailure("An event that leads from one class only was accepted in another.")
        }
        return source
    }

    /// The object of the only state that the event leads to, if that is an empty one.
    @usableFromInline
    func onlyEmptyState() throws -> Made<W> {
        let destinations = definition.declaredDestinations(of: event, from: index)
        guard destinations.count == 1, let make = destinations[0].make else {
            throw DestinationNeeded(candidates: destinations.map(\.name))
        }
        return Made(make())
    }
}

/// A state to enter: the object, and what the machine hands it out as, if it can be that.
@usableFromInline
struct Made<W: Workflow> {
    @usableFromInline let object: AnyObject
    @usableFromInline let state: W.AnyState?

    // Inlined into the caller, who knows the type, so that the cast costs nothing.
    @inlinable
    init<D>(_ destination: D) {
        object = Heraclitus.object(of: destination)
        state = destination as? W.AnyState
    }
}

/// Thrown when the machine has to be told which state to enter.
@usableFromInline
struct DestinationNeeded: Error {
    @usableFromInline let candidates: [String]
}
