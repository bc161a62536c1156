/// How the caller says which event is to fire.
@usableFromInline
enum Trigger {
    case event(Int)
    indirect case named(String)

    /// An event value that belongs to no workflow: no stored property, or a modified copy of one.
    case unbound

    /// Whichever event leads to this class.
    indirect case entering(any AnyObject.Type)

    @inlinable
    init(_ event: Int?) {
        self = event.map(Trigger.event) ?? .unbound
    }
}

/// What a fire offers to whoever makes the state to enter.
@usableFromInline
struct Offer<W: Workflow> {
    @usableFromInline let event: UnsafePointer<BoundEvent>
    @usableFromInline let run: UnsafeMutablePointer<StateMachine<W>.Run>

    @inlinable
    init(of event: UnsafePointer<BoundEvent>, in run: UnsafeMutablePointer<StateMachine<W>.Run>) {
        self.event = event
        self.run = run
    }
}

// These belong to the machine, which has the state: an offer that carried it would count a reference for the many who do
// not look at it.
extension StateMachine {
    /// The state that is left, as the type that the event says it is.
    @inlinable
    func source<S>(of offer: Offer<W>, as type: S.Type) -> S {
        guard let source = expectedState(in: offer.run) as? S else {
            preconditionFailure("An event that leads from one class only was accepted in another.")
        }
        return source
    }

    /// The object of the only state that the event leads to, if that is an empty one.
    @usableFromInline
    func onlyEmptyState(of offer: Offer<W>) throws -> W.AnyState {
        let destinations = core.definition.declaredDestinations(
            of: offer.event.pointee,
            from: offer.run.pointee.expected
        )
        guard destinations.count == 1, let make = destinations[0].make else {
            throw DestinationNeeded(candidates: destinations.map(\.name))
        }
        return try Self.suitable(make())
    }

    /// A state as what the machine hands it out as.
    // Inlined into the caller, who knows the type, so that the cast costs nothing.
    @inlinable
    static func suitable<D>(_ destination: D) throws -> W.AnyState {
        guard let state = destination as? W.AnyState else { throw UnsuitableState(object: destination as AnyObject) }
        return state
    }
}

/// Thrown when the machine has to be told which state to enter.
@usableFromInline
struct DestinationNeeded: Error {
    @usableFromInline let candidates: [String]
}

/// Thrown when a state is not of the type of the workflow's states.
@usableFromInline
struct UnsuitableState: Error {
    // Unsafe is only the compiler's view: a state object is Sendable.
    @usableFromInline nonisolated(unsafe) let object: AnyObject

    @usableFromInline
    init(object: AnyObject) { self.object = object }
}
