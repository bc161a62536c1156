// Where does a thread take what it lends to the callbacks of a transition, and give it back?

/// What is lent to the callbacks of a transition, and keeps its objects alive if somebody has kept it.
typealias LentTransition = LentObjects<StateTransition.Terms>

/// What is lent for one transition, or nothing if nobody is to be called.
typealias TransitionLoan = Loan<StateTransition.Terms>

/// Where a thread takes what it lends, and gives it back.
struct LendingDesk {
    private var spare: LentTransition?

    /// What was lent last and is not back yet; the loan keeps it.
    private var lent: LentReference?

    /// Gives something to lend objects with.
    @inline(__always)
    mutating func give(_ terms: StateTransition.Terms) -> TransitionLoan {
        let objects = spare.take() ?? LentObjects(terms)
        objects.lentBefore = lent
        lent = LentReference(objects)
        return Loan(objects)
    }

    /// Notes that something is back, unless it was never given by this desk.
    @inline(__always)
    private mutating func noteReturn(_ objects: LentTransition) {
        if lent?.id == ObjectIdentifier(objects) { lent = objects.lentBefore }
    }

    /// Takes something back whose objects are to be counted like anything else from now on.
    mutating func takeBackKept(_ loan: inout TransitionLoan) -> LentTransition? {
        guard let objects = loan.take() else { return nil }
        noteReturn(objects)
        objects.keep()
        return objects
    }

    /// Takes something back when all callbacks have returned and the objects are still alive.
    /// - Returns: What somebody has kept, which may be the last reference to it by now: it is to be released where a deinitializer
    ///   may run.
    @inline(__always)
    mutating func takeBack(_ loan: inout TransitionLoan) -> LentTransition? {
        if loan.isEmpty { return nil }
        if loan.isShared() || spare != nil { return takeBackKept(&loan) }
        guard let objects = loan.take() else { return nil }
        noteReturn(objects)
        spare = objects
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
