import Synchronization

// A machine keeps a state as a plain object and hands it out as its workflow's `AnyState`. A cast from the one to the other
// asks the runtime each time, so it is done once for a class and what it makes is kept.
//
// An existential that holds an object, be it one of classes only or one of anything, is the object followed by words that
// are the same for all objects of its class: witness tables, and the class. A class reference is the object and nothing
// else. That a workflow's `AnyState` is one of these is checked when the workflow is compiled.

/// The object that a state refers to, whether it is handed around as its class or as `any` protocol; not retained.
///
/// Only for what is known to hold an object.
@inlinable
func object<State>(of state: borrowing State) -> Unmanaged<AnyObject> {
    withUnsafePointer(to: state) { UnsafeRawPointer($0).load(as: Unmanaged<AnyObject>.self) }
}

/// The object that a state refers to, which is the caller's from now on.
@inlinable
func takenObject<State>(of state: __owned State) -> Unmanaged<AnyObject> {
    // Only an existential that may hold anything is as large as that, and so may hold a value: that is put into an object of
    // a class that no workflow knows, and so refused.
    if MemoryLayout<State>.size > 3 * MemoryLayout<UInt>.size, !(type(of: state as Any) is AnyClass) {
        return Unmanaged.passRetained(state as AnyObject)
    }
    return withUnsafeTemporaryAllocation(of: State.self, capacity: 1) { place in
        let address = place.baseAddress.unsafelyUnwrapped
        // And never deinitialized: the reference goes on.
        address.initialize(to: state)
        return UnsafeRawPointer(address).load(as: Unmanaged<AnyObject>.self)
    }
}

/// How a class of states is handed out.
@usableFromInline
struct StateTail: @unchecked Sendable {
    // Unchecked and never freed, as all of a compiled workflow. 0 as long as no object of the class was seen; else the
    // address of the words that follow the object.
    private let address: UnsafeMutablePointer<Atomic<UInt>>

    init() {
        address = .allocate(capacity: 1)
        address.initialize(to: Atomic(0))
    }

    /// The words that follow the object; there are none of a class that nobody has asked ``isKnown(for:by:)`` about.
    @usableFromInline var words: UnsafePointer<UInt>? {
        UnsafePointer(bitPattern: address.pointee.load(ordering: .acquiring))
    }

    /// Whether objects of a class can be handed out, for which `cast` makes the words out of one of them, once.
    func isKnown(for object: Unmanaged<AnyObject>, by cast: (AnyObject) -> [UInt]?) -> Bool {
        guard let words = cast(object.takeUnretainedValue()) else { return false }
        // One more than there are words, so that it is an address even if there are none. Of two threads that get here at
        // once the last one's is kept, and both are the same.
        address.pointee.store(UInt(bitPattern: (words + [0]).compiled()), ordering: .releasing)
        return true
    }
}

/// Makes what a state is handed out as, of an object that somebody keeps alive meanwhile and of what follows it.
@inlinable
func handedOut<State>(_ object: Unmanaged<AnyObject>, _ tail: UnsafePointer<UInt>, as type: State.Type) -> State {
    // A cast of bits counts the reference that it finds in them.
    switch MemoryLayout<State>.size {
    case MemoryLayout<UInt>.size:
        return unsafeBitCast(object.toOpaque(), to: State.self)
    case 2 * MemoryLayout<UInt>.size:
        return unsafeBitCast((object.toOpaque(), tail[0]), to: State.self)
    default:
        return withUnsafeTemporaryAllocation(of: State.self, capacity: 1) { place in
            let words = UnsafeMutableRawPointer(place.baseAddress.unsafelyUnwrapped).assumingMemoryBound(to: UInt.self)
            words.initialize(to: UInt(bitPattern: object.retain().toOpaque()))
            (words + 1).initialize(from: tail, count: MemoryLayout<State>.size / MemoryLayout<UInt>.size - 1)
            return place.moveElement(from: 0)
        }
    }
}

/// The words that follow the object in a state.
func tail<State>(of state: borrowing State) -> [UInt] {
    withUnsafePointer(to: state) { state in
        (1..<max(1, MemoryLayout<State>.size / MemoryLayout<UInt>.size)).map {
            UnsafeRawPointer(state).load(fromByteOffset: $0 * MemoryLayout<UInt>.stride, as: UInt.self)
        }
    }
}
