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
        [lentSource, lentDestination, lentMachine, lentUserInfo].lazy.compactMap { $0 }
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
    }

    @inline(__always)
    func lend(source: AnyObject) { lentSource = LentReference(source) }

    /// Keeps the objects alive for as long as there is this.
    func keep() {
        guard !isKept else { return }
        isKept = true
        for reference in lent { reference.retain() }
    }

    /// The same objects for somebody who reads later, and by then is not to have kept the machine alive.
    func forLater() -> LentObjects {
        let later = LentObjects(terms, weakMachine: machine)
        later.lentSource = lentSource
        later.lentDestination = lentDestination
        later.lentUserInfo = lentUserInfo
        later.keep()
        return later
    }

    var source: AnyObject? { lentSource?.object }

    var destination: AnyObject {
        guard let lentDestination else { preconditionFailure("Nothing was lent.") }
        return lentDestination.object
    }

    var machine: AnyObject? { lentMachine?.object ?? weakMachine }

    var userInfo: AnyObject? { lentUserInfo?.object }
}
