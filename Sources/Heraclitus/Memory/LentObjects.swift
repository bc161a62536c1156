// How do callbacks get a transition's objects without anybody counting references to them?

/// A reference that a caller lends to what it calls, and that nobody counts.
///
/// Measured: to count the machine costs 7 ns of a transition.
///
/// Invariant: whoever makes it keeps the object alive for as long as it is used.
@safe
struct LentReference {
    fileprivate let reference: Unmanaged<AnyObject>

    @inline(__always)
    init(_ object: AnyObject) { unsafe reference = .passUnretained(object) }

    @inline(__always)
    var id: ObjectIdentifier { unsafe reference._withUnsafeGuaranteedRef { ObjectIdentifier($0) } }

    /// The object, counted as any other reference.
    var object: AnyObject { unsafe reference.takeUnretainedValue() }
}

/// The objects of a transition, lent to its callbacks.
///
/// While a fire is under way its machine and its caller keep the objects alive. So this refers to them without counting: to count
/// references to four objects would cost more than the rest of a transition. If somebody has kept the transition when the
/// callbacks have returned, ``LendingDesk/takeBack(_:)`` counts them from then on. One that nobody has kept is used again.
///
/// Measured: 80 ns of a transition, which takes twice as long if each is allocated and counts its objects.
///
/// Invariants: the thread that has lent the objects alone writes, and only while nobody else has kept this. Whoever calls `lend`
/// keeps the objects alive until `takeBack` or `keep`.
@safe
final class LentObjects<Terms: Sendable>: @unchecked Sendable {
    // No access overlaps another: no method calls user code while it writes.
    @exclusivity(unchecked) private var lentTerms: Terms
    @exclusivity(unchecked) private var lentSource: Unmanaged<AnyObject>?
    @exclusivity(unchecked) private var lentDestination: Unmanaged<AnyObject>?
    @exclusivity(unchecked) private var lentMachine: Unmanaged<AnyObject>?
    @exclusivity(unchecked) private var lentUserInfo: Unmanaged<AnyObject>?
    @exclusivity(unchecked) private var isKeeping = false

    /// What the thread has lent before this and has not got back yet.
    @exclusivity(unchecked) fileprivate var lentBefore: Unmanaged<LentObjects>?

    /// The machine, for somebody who reads later and is not to keep it alive.
    private weak var weakMachine: AnyObject?

    /// What else somebody needs who reads later: what the machine was given for its states.
    private(set) var keptContext: AnyObject?

    fileprivate init(_ terms: Terms) {
        unsafe lentTerms = terms
        weakMachine = nil
        keptContext = nil
    }

    deinit {
        guard unsafe isKeeping else { return }
        unsafe lentSource?.release()
        unsafe lentDestination?.release()
        unsafe lentMachine?.release()
        unsafe lentUserInfo?.release()
    }

    /// Refers to objects that the caller keeps alive; without a source until one is lent, too.
    @inline(__always)
    func lend(_ terms: Terms, to destination: AnyObject, by machine: LentReference, _ userInfo: LentReference?) {
        precondition(unsafe !isKeeping, "Objects that somebody has kept are not lent again.")
        unsafe lentTerms = terms
        unsafe lentSource = nil
        unsafe lentDestination = unsafe .passUnretained(destination)
        unsafe lentMachine = machine.reference
        unsafe lentUserInfo = userInfo?.reference
    }

    @inline(__always)
    func lend(source: AnyObject) { unsafe lentSource = unsafe .passUnretained(source) }

    /// Keeps the objects alive for as long as there is this.
    func keep() {
        guard unsafe !isKeeping else { return }
        unsafe isKeeping = true
        _ = unsafe lentSource?.retain()
        _ = unsafe lentDestination?.retain()
        _ = unsafe lentMachine?.retain()
        _ = unsafe lentUserInfo?.retain()
    }

    /// Whether somebody has kept it.
    fileprivate var isKept: Bool { unsafe isKeeping }

    /// The same objects for somebody who reads later, and by then is not to have kept the machine alive.
    func forLater(keeping context: AnyObject?) -> LentObjects {
        let later = LentObjects(terms)
        unsafe later.lentSource = unsafe lentSource
        unsafe later.lentDestination = unsafe lentDestination
        unsafe later.lentUserInfo = unsafe lentUserInfo
        later.weakMachine = machine
        later.keptContext = context
        later.keep()
        return later
    }

    /// What else there is to say of the transition.
    var terms: Terms { unsafe lentTerms }

    var source: AnyObject? { unsafe lentSource?.takeUnretainedValue() }

    var destination: AnyObject {
        guard let destination = unsafe lentDestination else { preconditionFailure("Nothing was lent.") }
        return unsafe destination.takeUnretainedValue()
    }

    var machine: AnyObject? { unsafe lentMachine?.takeUnretainedValue() ?? weakMachine }

    var userInfo: AnyObject? { unsafe lentUserInfo?.takeUnretainedValue() }

    /// Calls a body with the source, which is of a class, without counting a reference to it.
    @inline(__always)
    func withSource<Object: AnyObject>(as type: Object.Type, _ body: (Object) throws -> Void) rethrows {
        guard let source = unsafe lentSource else { preconditionFailure("An activation leaves no state.") }
        try unsafe source.with(as: type, body)
    }

    /// Calls a body with the destination, which is of a class, without counting a reference to it.
    @inline(__always)
    func withDestination<Object: AnyObject>(as type: Object.Type, _ body: (Object) throws -> Void) rethrows {
        guard let destination = unsafe lentDestination else { preconditionFailure("Nothing was lent.") }
        try unsafe destination.with(as: type, body)
    }
}

/// What is lent for one transition, or nothing if nobody is to be called; it is given back when all callbacks have returned.
///
/// Invariant: the reference is counted once for this value, which cannot be copied. So if the object is referred to only once when it
/// is given back, nobody has kept it.
@safe
struct Loan<Terms: Sendable>: ~Copyable {
    fileprivate var reference: Unmanaged<LentObjects<Terms>>?

    /// Nothing.
    @inline(__always)
    init() { unsafe reference = nil }

    /// What somebody has kept, once more.
    @inline(__always)
    init(_ objects: __owned LentObjects<Terms>?) { unsafe reference = unsafe objects.map { unsafe .passRetained($0) } }

    deinit {
        guard let reference = unsafe reference else { return }
        unsafe reference._withUnsafeGuaranteedRef { $0.keep() }
        unsafe reference.release()
    }

    var isEmpty: Bool { unsafe reference == nil }

    /// Calls a body with what is lent, if anything is.
    @inline(__always)
    func withObjects(_ body: (LentObjects<Terms>) throws -> Void) rethrows {
        guard let reference = unsafe reference else { return }
        try unsafe reference._withUnsafeGuaranteedRef { try body($0) }
    }
}

/// Where a thread takes what it lends, and gives it back.
@safe
struct LendingDesk<Terms: Sendable> {
    // A retained reference, or nothing.
    private var spare: Unmanaged<LentObjects<Terms>>?

    /// What was lent last and is not back yet; the loan keeps it.
    private var lent: Unmanaged<LentObjects<Terms>>?

    init() {
        unsafe spare = nil
        unsafe lent = nil
    }

    /// Gives something to lend objects with.
    @inline(__always)
    mutating func give(to loan: inout Loan<Terms>, _ terms: Terms) {
        if unsafe spare == nil {
            loan = Loan(LentObjects(terms))
        } else {
            unsafe swap(&loan.reference, &spare)
        }
        guard let reference = unsafe loan.reference else { return }
        unsafe reference._withUnsafeGuaranteedRef { unsafe $0.lentBefore = unsafe lent }
        unsafe lent = unsafe reference
    }

    /// Notes that something is back, unless it was never given by this desk.
    @inline(__always)
    private mutating func noteReturn(_ reference: Unmanaged<LentObjects<Terms>>) {
        guard unsafe lent?.toOpaque() == reference.toOpaque() else { return }
        unsafe lent = unsafe reference._withUnsafeGuaranteedRef { unsafe $0.lentBefore }
    }

    /// Takes something back whose objects are to be counted like anything else from now on.
    mutating func takeBackKept(_ loan: inout Loan<Terms>) -> LentObjects<Terms>? {
        guard let reference = unsafe loan.reference else { return nil }
        unsafe noteReturn(reference)
        unsafe loan.reference = nil
        let objects = unsafe reference.takeRetainedValue()
        objects.keep()
        return objects
    }

    /// Takes something back when all callbacks have returned and the objects are still alive.
    /// - Returns: What somebody has kept, which may be the last reference to it by now: it is to be released where a deinitializer
    ///   may run.
    @inline(__always)
    mutating func takeBack(_ loan: inout Loan<Terms>) -> LentObjects<Terms>? {
        guard let reference = unsafe loan.reference else { return nil }
        unsafe noteReturn(reference)
        let isKnownToNobodyElse = unsafe withUnsafeMutableBytes(of: &loan.reference) {
            unsafe isKnownUniquelyReferenced(&$0.assumingMemoryBound(to: LentObjects<Terms>.self)[0])
        }
        if unsafe isKnownToNobodyElse && spare == nil && !reference._withUnsafeGuaranteedRef({ $0.isKept }) {
            unsafe swap(&loan.reference, &spare)
            return nil
        }
        return takeBackKept(&loan)
    }

    /// Lets go of everything when the thread ends.
    ///
    /// What it has lent and not got back, because a callback has ended the thread, keeps its objects from now on: somebody may have it.
    mutating func discard() {
        unsafe spare?.release()
        unsafe spare = nil
        while let reference = unsafe lent {
            let objects = unsafe reference.takeRetainedValue()
            unsafe lent = unsafe objects.lentBefore
            objects.keep()
        }
    }
}

extension Unmanaged<AnyObject> {
    /// Calls a body with an object of this very class; a cast would ask the runtime.
    ///
    /// Measured: 3 ns a hook.
    @inline(__always)
    fileprivate func with<Object: AnyObject>(as type: Object.Type, _ body: (Object) throws -> Void) rethrows {
        precondition(
            unsafe _withUnsafeGuaranteedRef { Swift.type(of: $0) == type },
            "A state is of the class that it was found to have."
        )
        try unsafe Unmanaged<Object>.fromOpaque(toOpaque())._withUnsafeGuaranteedRef { try body($0) }
    }
}
