// How does an object become the workflow's `AnyState` without asking the runtime each time?
//
// A machine keeps its state as an object, so that its engine is compiled once for all workflows. A cast from the object to `any
// DownloadState` asks the runtime, which takes longer than all the rest of reading a state. But a value of `any DownloadState` is the
// object followed by words that are the same for all objects of its class: witness tables, and for some forms the class. A
// class reference is the object and nothing else. So the cast is made once a class, and what follows the object is kept.
//
// The language does not promise this layout. So it is compared, when the first object of a class is seen, with what a cast
// gives; if they differ, every reading of the state casts.

/// What follows an object of one class in the workflow's `AnyState`.
///
/// Measured: reading a state takes 30 ns with it and 122 ns with casts.
///
/// Invariant: `words` are immortal, and were taken from a value that the language's own cast has made of an object of the class.
@safe @usableFromInline
struct ExistentialLayout: @unchecked Sendable {
    /// `nil` where the layout is none that is known, and every reading casts.
    @usableFromInline let words: UnsafePointer<UInt>?

    var isKnown: Bool { unsafe words != nil }

    /// Casts every time.
    static var unknown: ExistentialLayout { unsafe ExistentialLayout(words: nil) }

    @usableFromInline
    init(words: UnsafePointer<UInt>?) { unsafe self.words = unsafe words }

    /// Finds the layout that a value has which was made of an object by a cast.
    init<State>(of state: State, madeOf object: AnyObject) {
        let size = MemoryLayout<State>.size
        let word = MemoryLayout<UInt>.size
        guard size % word == 0, size >= word, MemoryLayout<State>.alignment == word else {
            self = .unknown
            return
        }
        let all = unsafe withUnsafeBytes(of: state) { bytes in
            (0..<size / word).map { unsafe bytes.load(fromByteOffset: $0 * word, as: UInt.self) }
        }
        guard all[0] == UInt(bitPattern: ObjectIdentifier(object)) else {
            self = .unknown
            return
        }
        // One word more than there are, so that there is an address even if there are none.
        unsafe self.init(words: ImmortalArray(all.dropFirst() + [0]).start)
        let made = handedOut(object, as: State.self)
        if made as AnyObject !== object || type(of: made as Any) != type(of: state as Any) { self = .unknown }
    }

    /// Makes the workflow's `AnyState` of an object that has this layout.
    @inlinable @inline(__always)
    func handedOut<State>(_ object: AnyObject, as type: State.Type) -> State {
        unsafe handedOut(Unmanaged.passUnretained(object), as: State.self)
    }

    @inlinable @inline(__always)
    func handedOut<State>(_ object: Unmanaged<AnyObject>, as type: State.Type) -> State {
        guard let words = unsafe words else { return unsafe castOut(object, as: State.self) }
        return unsafe withUnsafeTemporaryAllocation(of: State.self, capacity: 1) { place in
            let start = unsafe UnsafeMutableRawPointer(place.baseAddress.unsafelyUnwrapped)
            let made = unsafe start.assumingMemoryBound(to: UInt.self)
            unsafe made.initialize(to: UInt(bitPattern: object.retain().toOpaque()))
            unsafe (made + 1).initialize(from: words, count: MemoryLayout<State>.size / MemoryLayout<UInt>.size - 1)
            return unsafe place.moveElement(from: 0)
        }
    }

    @usableFromInline
    func castOut<State>(_ object: Unmanaged<AnyObject>, as type: State.Type) -> State {
        guard let state = unsafe object.takeUnretainedValue() as? State else {
            preconditionFailure("A state was accepted that is not of the type of the workflow's states.")
        }
        return state
    }
}

/// How the object is found that a state is, whether it is handed around as its class or as `any` protocol.
///
/// Measured: creating a machine takes 77 ns with it and 124 ns with a cast, and so does each fire with an `any` protocol as argument.
///
/// Invariant: `isInPlace` only if a value of the workflow's `AnyState` was found to begin with its object. A cast to
/// `AnyObject` asks the runtime, which takes longer than the rest of a transition.
@safe @usableFromInline
struct ObjectAccess: Sendable {
    @usableFromInline let isInPlace: Bool

    /// Casts every time.
    static var byCast: ObjectAccess { ObjectAccess(isInPlace: false) }

    private init(isInPlace: Bool) { self.isInPlace = isInPlace }

    /// Compares a value of the workflow's `AnyState` with what a cast gives.
    init<State>(tryingWith state: State) {
        let object = state as AnyObject
        isInPlace =
            unsafe MemoryLayout<State>.size >= MemoryLayout<UInt>.size && type(of: state as Any) is AnyClass
            && withUnsafeBytes(of: state) { unsafe $0.load(as: UInt.self) }
                == UInt(bitPattern: ObjectIdentifier(object))
    }

    /// The object that a value is: of the workflow's `AnyState`, or of a class of its states.
    ///
    /// A value that is no object, which only an `AnyState` that may hold anything allows, comes as an object of a class that no
    /// workflow knows, and so is rejected.
    @inlinable @inline(__always)
    func object<State>(of state: consuming State) -> OwnedObject {
        guard isInPlace, Self.isObject(state) else { return OwnedObject(state as AnyObject) }
        // A closure can take it out of a variable; a parameter it would copy.
        var owned = Optional(consume state)
        return unsafe withUnsafeTemporaryAllocation(of: State.self, capacity: 1) { place in
            let address = unsafe place.baseAddress.unsafelyUnwrapped
            // And never deinitialized: the reference goes on.
            unsafe address.initialize(to: owned.take().unsafelyUnwrapped)
            return unsafe OwnedObject(retained: UnsafeRawPointer(address).load(as: Unmanaged<AnyObject>.self))
        }
    }

    /// Whether a value is an object, where others of its type were: only an existential that may hold anything has more than three words.
    @inlinable @inline(__always)
    static func isObject<State>(_ state: State) -> Bool {
        MemoryLayout<State>.size <= 3 * MemoryLayout<UInt>.size || type(of: state as Any) is AnyClass
    }
}
