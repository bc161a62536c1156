// How do callbacks get a transition's objects without anybody counting references to them?

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
final class LentObjects<Terms: Sendable>: @unchecked Sendable {
    // No access overlaps another: no method calls user code while it writes.
    @safe @exclusivity(unchecked) private(set) var terms: Terms
    @safe @exclusivity(unchecked) private(set) var lentSource: LentReference?
    @safe @exclusivity(unchecked) private(set) var lentDestination: LentReference?
    @safe @exclusivity(unchecked) private var lentMachine: LentReference?
    @safe @exclusivity(unchecked) private var lentUserInfo: LentReference?
    @safe @exclusivity(unchecked) private var lentContext: LentReference?
    @safe @exclusivity(unchecked) private(set) var isKept = false

    /// What the thread has lent before this and has not got back yet.
    @safe @exclusivity(unchecked) var lentBefore: LentReference?

    /// The machine, for somebody who reads later and is not to keep it alive.
    private weak let weakMachine: AnyObject?

    init(_ terms: Terms, weakMachine: AnyObject? = nil) {
        self.terms = terms
        self.weakMachine = weakMachine
    }

    deinit {
        guard isKept else { return }
        for reference in lent { reference.release() }
    }

    private var lent: some Sequence<LentReference> {
        [lentSource, lentDestination, lentMachine, lentUserInfo, lentContext].lazy.compactMap { $0 }
    }

    /// Refers to objects that the caller keeps alive; without a source until one is lent, too.
    @inline(__always)
    func lend(_ terms: Terms, to destination: AnyObject, by machine: LentReference, _ userInfo: LentReference?) {
        precondition(!isKept, "Objects that somebody has kept are not lent again.")
        self.terms = terms
        lentSource = nil
        lentDestination = LentReference(destination)
        lentMachine = machine
        lentUserInfo = userInfo
        lentContext = nil
    }

    @inline(__always)
    func lend(source: AnyObject) { lentSource = LentReference(source) }

    /// Refers to what else a callback needs that cannot ask the machine for it: what was given for its states.
    func lend(context: AnyObject?) { lentContext = context.map { LentReference($0) } }

    /// Keeps the objects alive for as long as there is this.
    func keep() {
        guard !isKept else { return }
        isKept = true
        for reference in lent { reference.retain() }
    }

    /// The same objects for somebody who reads later, and by then is not to have kept the machine alive.
    func forLater(keeping context: AnyObject?) -> LentObjects {
        let later = LentObjects(terms, weakMachine: machine)
        later.lentSource = lentSource
        later.lentDestination = lentDestination
        later.lentUserInfo = lentUserInfo
        later.lend(context: context)
        later.keep()
        return later
    }

    var source: AnyObject? { lentSource?.object }

    var destination: AnyObject {
        guard let lentDestination else { preconditionFailure("Nothing was lent.") }
        return lentDestination.object
    }

    var machine: AnyObject? { lentMachine?.object ?? weakMachine }

    /// Which machine it is, as long as that is lent; `nil` in what `forLater` has made.
    var machineID: ObjectIdentifier? { lentMachine?.id }

    var userInfo: AnyObject? { lentUserInfo?.object }

    var context: AnyObject? { lentContext?.object }
}

/// What is lent for one transition, or nothing if nobody is to be called; it is given back when all callbacks have returned.
///
/// Measured: an ordinary reference, which is counted for each use, costs 30 ns of a transition with hooks.
///
/// Invariant: the reference is counted once for this value, which cannot be copied. So if the objects are referred to only once when
/// they are given back, nobody has kept them.
@safe
struct Loan<Terms: Sendable>: ~Copyable {
    private var reference: Unmanaged<LentObjects<Terms>>?

    /// What somebody has kept, once more; or nothing.
    @inline(__always)
    init(_ objects: __owned LentObjects<Terms>? = nil) {
        unsafe reference = unsafe objects.map { unsafe .passRetained($0) }
    }

    deinit {
        guard let reference = unsafe reference else { return }
        unsafe reference._withUnsafeGuaranteedRef { $0.keep() }
        unsafe reference.release()
    }

    var isEmpty: Bool { unsafe reference == nil }

    /// Whether anybody else refers to what is lent, or has kept it.
    @inline(__always)
    mutating func isShared() -> Bool {
        guard let lent = unsafe reference else { return false }
        let isUnique = unsafe withUnsafeMutableBytes(of: &reference) {
            unsafe isKnownUniquelyReferenced(&$0.assumingMemoryBound(to: LentObjects<Terms>.self)[0])
        }
        return unsafe !isUnique || lent._withUnsafeGuaranteedRef { $0.isKept }
    }

    /// Calls a body with what is lent, if anything is.
    @inline(__always)
    func withObjects(_ body: (LentObjects<Terms>) throws -> Void) rethrows {
        guard let reference = unsafe reference else { return }
        try unsafe reference._withUnsafeGuaranteedRef { try body($0) }
    }

    /// Hands what is lent on as any other reference, and is empty.
    @inline(__always)
    mutating func take() -> LentObjects<Terms>? {
        let objects = unsafe reference?.takeRetainedValue()
        unsafe reference = nil
        return objects
    }
}
