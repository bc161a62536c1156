import Synchronization

/// An event that the table lets leave the current state, in a turn that was taken for it: what it takes to make the state to
/// enter.
@usableFromInline
struct Offer {
    let event: UnsafePointer<BoundEvent>
    let run: UnsafeMutablePointer<Run>

    /// The number of the state that is left.
    let source: Int

    /// Whether a callback fires, so that it is carried out when everyone has been called.
    let isPutOff: Bool
}

extension MachineCore {
    /// The object that is left.
    @usableFromInline
    func source(of offer: Offer) -> Unmanaged<AnyObject> { expectedObject(in: offer.run) }

    /// The number of its class.
    @usableFromInline
    func sourceIndex(of offer: Offer) -> Int { offer.source }

    /// The object of the only state that the event leads to, if that is an empty one.
    @usableFromInline
    func onlyEmptyState(of offer: Offer) throws -> Unmanaged<AnyObject> {
        let destinations = definition.declaredDestinations(of: offer.event.pointee, from: offer.source)
        guard destinations.count == 1, let make = destinations[0].make else {
            throw DestinationNeeded(candidates: destinations.map(\.name))
        }
        return Unmanaged.passRetained(make())
    }

    /// An object of the state of a name, if that is an empty one.
    func emptyState(named name: String) throws -> Unmanaged<AnyObject> {
        guard let index = definition.stateIndex(named: name), let make = definition.state(index).pointee.make else {
            throw DestinationNeeded(candidates: [name])
        }
        return Unmanaged.passRetained(make())
    }

    /// The object in which everything accepted so far will leave the machine.
    @inline(__always)
    func expectedObject(in run: UnsafeMutablePointer<Run>) -> Unmanaged<AnyObject> {
        run.pointee.lastPutOff ?? state.load(ordering: .relaxed)
    }
}

/// Thrown when the machine has to be told which state to enter.
struct DestinationNeeded: Error {
    let candidates: [String]
}
