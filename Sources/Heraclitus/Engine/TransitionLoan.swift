// Who has the objects that are lent to the callbacks of a transition, and when are they given back?

typealias LentTransition = LentObjects<StateTransition.Terms>

/// What is lent for one transition, or nothing if nobody is to be called; it is given back when all callbacks have returned.
///
/// Invariant: it is the only reference to the objects when they are lent, and cannot be copied. So if it still is the only one when they
/// are given back, nobody has kept them.
struct TransitionLoan: ~Copyable {
    fileprivate var objects: LentTransition?

    /// What somebody has kept, once more; or nothing.
    @inline(__always)
    init(_ objects: __owned LentTransition? = nil) { self.objects = objects }

    deinit { objects?.keep() }

    var isEmpty: Bool { objects == nil }

    /// Calls a body with what is lent, if anything is.
    @inline(__always)
    func withObjects(_ body: (LentTransition) throws -> Void) rethrows {
        if let objects { try body(objects) }
    }
}

/// Where a thread takes what it lends, and gives it back.
struct LendingDesk {
    private var spare: LentTransition?

    /// What was lent last and is not back yet; the loan keeps it.
    private var lent: LentReference?

    /// Gives something to lend objects with.
    @inline(__always)
    mutating func give(to loan: inout TransitionLoan, _ terms: StateTransition.Terms) {
        swap(&loan.objects, &spare)
        if loan.objects == nil { loan = TransitionLoan(LentObjects(terms)) }
        loan.withObjects { objects in
            objects.lentBefore = lent
            lent = LentReference(objects)
        }
    }

    /// Notes that something is back, unless it was never given by this desk.
    @inline(__always)
    private mutating func noteReturn(_ objects: LentTransition) {
        if lent?.id == ObjectIdentifier(objects) { lent = objects.lentBefore }
    }

    /// Takes something back whose objects are to be counted like anything else from now on.
    mutating func takeBackKept(_ loan: inout TransitionLoan) -> LentTransition? {
        guard let objects = loan.objects else { return nil }
        noteReturn(objects)
        objects.keep()
        loan.objects = nil
        return objects
    }

    /// Takes something back when all callbacks have returned and the objects are still alive.
    /// - Returns: What somebody has kept, which may be the last reference to it by now: it is to be released where a deinitializer
    ///   may run.
    @inline(__always)
    mutating func takeBack(_ loan: inout TransitionLoan) -> LentTransition? {
        let isKnownToNobodyElse = isKnownUniquelyReferenced(&loan.objects)
        guard let objects = loan.objects else { return nil }
        guard isKnownToNobodyElse, spare == nil, !objects.isKept else { return takeBackKept(&loan) }
        noteReturn(objects)
        swap(&loan.objects, &spare)
        return nil
    }

    /// Lets go of everything when the thread ends.
    ///
    /// What it has lent and not got back, because a callback has ended the thread, keeps its objects from now on: somebody may have it.
    mutating func discard() {
        spare = nil
        while let reference = lent, let objects = reference.object as? LentTransition {
            lent = objects.lentBefore
            objects.keep()
            // The loan, which the thread has left behind, does not do it.
            reference.release()
        }
    }
}
