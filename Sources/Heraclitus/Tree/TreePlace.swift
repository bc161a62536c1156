// Records the holder of a machine and the machines in its state.

import HeraclitusEssentials
import Synchronization

/// The place of a machine in a tree.
///
/// A machine without holder and regions has no place.
///
/// | the machine | `holder` | `currentHolder` |
/// | --- | --- | --- |
/// | stands alone, or was left for good | `nil` | 0 |
/// | belongs to a machine that is about to enter the holding state | the machine | 0 |
/// | is held by the current state of a machine | the machine | its number |
/// | has lost its holder, which was released | `nil` | its number |
///
/// A place changes only in a turn of the tree's root, with three exceptions: outer machines begin or stop observing, a
/// holder is made, and a holder is released.
final class TreePlace: Sendable {
    private let contents = Lock(Contents())

    private struct Contents: Sendable {
        /// The machine whose state holds this one, or is about to.
        weak var holder: (any TreeMachine)?

        /// The date when the machine was put aside, because the holding state was left.
        var putAside: Date?

        /// Whether the machine is a private copy for archiving.
        var isFrozen = false

        /// The number of the closures by which outer machines observe this one, if there are any.
        var outerObserver: Int?

        /// The machines that the current state holds.
        var regions: [any TreeMachine] = []

        /// The unread parts of the archive.
        var unread = UnreadParts()

        /// The first revision without them.
        var unreadEnd = Int.max
    }

    /// The machine whose current state holds this one, as a number; 0 if there is none.
    ///
    /// It changes under the lock. Within a turn of the tree's root it stays the same, so reading needs no lock.
    private let currentHolder = Atomic<UInt>(0)

    /// Whether the machine ever had a holder; most machines have none.
    private let hasBeenGiven = Atomic(false)

    /// Whether the machines in the entered state are being activated.
    ///
    /// Their ends are checked after all are active.
    private let startingRegions = Atomic(false)

    /// The collector of the tree's effects, and the first state whose effects were lost, if this machine is its root.
    let effectNote = Lock(EffectNote())

    // The regions of a released holder stop. A region that another machine holds goes on.
    deinit {
        for region in regions {
            for activity in region.withCore({ $0.place?.suspendIfOrphaned($0) ?? [] }) { activity.end() }
        }
    }
}

// MARK: - Unread data

extension TreePlace {
    /// The unread parts of the archive, which belong to the state of every revision before ``unreadEnd``.
    var unread: UnreadParts { contents.withLock { $0.unread } }

    var unreadEnd: Int { contents.withLock { $0.unreadEnd } }

    /// Ends the unread parts with the state, at the revision of the next state.
    func endUnread(at revision: Int) { contents.withLock { $0.unreadEnd = revision } }

    func note(unread: UnreadParts) {
        // The old members are released outside the lock.
        _ = contents.withLock { exchange(&$0.unread, with: unread) }
    }

    /// Moves the unread date of entry by the time for which the machine was put aside.
    func delayUnreadEntry(by pause: Double) { contents.withLock { $0.unread.entered?.addTimeInterval(pause) } }
}

// MARK: - Inner machines

extension TreePlace {
    /// The machines in the state, in the order of activation.
    var regions: [any TreeMachine] { contents.withLock { $0.regions } }

    var isStartingRegions: Bool { startingRegions.load(ordering: .relaxed) }

    /// Activates the machines in the state, in order.
    func startRegions() {
        startingRegions.store(true, ordering: .relaxed)
        defer { startingRegions.store(false, ordering: .relaxed) }
        for region in regions { region.start() }
    }

    /// Records the machines of the current state.
    /// - Returns: The machines of the previous state.
    func replaceRegions(by new: [any TreeMachine]) -> [any TreeMachine] {
        contents.withLock { exchange(&$0.regions, with: new) }
    }
}

// MARK: - Outer machine

extension TreePlace {
    /// The holder; `nil` after the holding state was left, or after the holder's release.
    var holder: (any TreeMachine)? {
        // The flag is checked first without the lock, because most machines never have a holder.
        hasBeenGiven.load(ordering: .relaxed) ? contents.withLock { $0.holder } : nil
    }

    /// Whether the current state of a machine holds this one.
    ///
    /// Call it in a turn of that machine.
    func isCurrent(in machine: ObjectIdentifier) -> Bool {
        currentHolder.load(ordering: .relaxed) == UInt(bitPattern: machine)
    }

    /// Assigns a holder, unless there is one.
    /// - Returns: The previous holder.
    func give(to machine: any TreeMachine) -> (any TreeMachine)? {
        contents.withLock { contents in
            let holder = contents.holder
            if holder == nil {
                contents.holder = machine
                // The number may be that of a released holder.
                currentHolder.store(0, ordering: .relaxed)
                hasBeenGiven.store(true, ordering: .relaxed)
            }
            return holder
        }
    }

    /// Removes the holder.
    func leaveHolder() {
        contents.withLock { contents in
            contents.holder = nil
            currentHolder.store(0, ordering: .relaxed)
        }
    }

    /// Records the machine whose current state holds this one; `nil` after that state was left.
    func setCurrentHolder(_ machine: (any TreeMachine)?) {
        let number = machine.map { UInt(bitPattern: ObjectIdentifier($0)) } ?? 0
        contents.withLock { _ in currentHolder.store(number, ordering: .relaxed) }
    }

    /// The date when the machine was put aside; `nil` if a current state holds it.
    var putAside: Date? { contents.withLock { $0.putAside } }

    /// Records the date when the machine is put aside; an earlier date stays until the machine is resumed.
    func notePutAside(since date: Date) { contents.withLock { $0.putAside = $0.putAside ?? date } }

    /// Records that the machine is resumed.
    /// - Returns: The date when it was put aside.
    func takePutAside() -> Date? { contents.withLock { $0.putAside.take() } }

    /// Whether the machine is a private copy for archiving.
    var isFrozen: Bool { contents.withLock { $0.isFrozen } }

    func noteFrozen() { contents.withLock { $0.isFrozen = true } }

    /// Suspends the machine if it has lost its holder.
    ///
    /// A later holder starts it again.
    ///
    /// The decision is made under the lock under which a holder is assigned.
    fileprivate func suspendIfOrphaned(_ core: borrowing MachineCore) -> [MachineActivity.Taken] {
        let (holder, ended) = contents.withLock { contents in
            let holder = contents.holder
            // The number is 0 also for a machine that was in a turn of its own when its holder was made: it was listed,
            // but never in the state.
            let isOrphaned = holder == nil && currentHolder.load(ordering: .relaxed) != 0
            return (holder, isOrphaned ? core.suspendTree(contents.regions) : [])
        }
        // This may be the last reference, so it is released outside the lock.
        withExtendedLifetime(holder) {}
        return ended
    }
}

// MARK: - Observers

extension TreePlace {
    /// Whether outer machines want to observe this one.
    var isObserved: Bool { holder?.withCore { $0.observesRegions } == true }

    /// Whether this machine has the closures by which outer machines observe it.
    var hasOuterObserver: Bool { contents.withLock { $0.outerObserver != nil } }

    /// Adds or removes the closures by which outer machines observe this one.
    ///
    /// Lock order: this lock first, then the lock of the machine's state.
    /// - Parameter change: Gets the number of the closures, and changes it.
    func changeOuterObserver(_ change: (inout Int?) -> Void) { contents.withLock { change(&$0.outerObserver) } }
}
