// To which machine does a machine belong, and which ones belong to it?

import Synchronization

/// The place of a machine in a tree of machines; one that holds no other and is held by none has none of this.
///
/// What it says changes only in a turn of the tree's root; who hears of it, and that a holder was made or is gone, at any time.
final class TreePlace: Sendable {
    private let contents = Lock(Contents())

    private struct Contents: Sendable {
        /// The machine whose state holds this one, or is about to.
        weak var holder: (any TreeMachine)?

        /// The same for comparing, which takes no reference.
        var holderID: ObjectIdentifier?

        /// The number of the closures that tell the machines above of what happens here if they want to hear of it.
        var hearing: Int?

        /// The machines that the current state holds.
        var regions: [any TreeMachine] = []

        /// The machine further in whose owner owns the tree, of which this machine is the root.
        ///
        /// The states of the tree hold it, too. Who changes them takes the tree back first.
        var deputy: (any TreeMachine)?

        /// The root, of its deputy.
        weak var root: (any TreeMachine)?
    }

    /// The machine whose current state holds this one, as a number for comparing; 0 if none does.
    ///
    /// It changes in the lock. Within a turn of the tree's root it stays as it is, and is read without the lock.
    private let currentHolder = Atomic<UInt>(0)

    /// Whether it ever belonged to a machine: most do not.
    private let hasBeenGiven = Atomic(false)

    /// Whether the machines in the state that was entered are being activated; what their ends lead to is asked after that.
    private let startingRegions = Atomic(false)

    var isStartingRegions: Bool { startingRegions.load(ordering: .relaxed) }

    /// Activates the machines in the state, in order.
    func startRegions() {
        startingRegions.store(true, ordering: .relaxed)
        defer { startingRegions.store(false, ordering: .relaxed) }
        for region in regions { region.activate(userInfo: [:]) }
    }

    /// The machine that it belongs to; `nil` if the state was left, or that machine is gone.
    var holder: (any TreeMachine)? { mayHaveHolder ? contents.withLock { $0.holder } : nil }

    /// Whether it is worth asking for the holder, which takes a lock.
    @inline(__always)
    var mayHaveHolder: Bool { hasBeenGiven.load(ordering: .relaxed) }

    /// The machines that belong to it, in the order in which they are activated.
    var regions: [any TreeMachine] { contents.withLock { $0.regions } }

    /// The machine whose owner owns the tree; of a root that has one.
    var deputy: (any TreeMachine)? { contents.withLock { $0.deputy } }

    /// Changes the deputy; by the owner of the root, who keeps the one before alive, so that nothing is released in the lock.
    func setDeputy(_ deputy: (any TreeMachine)?) { contents.withLock { $0.deputy = deputy } }

    /// Notes of which root it is the deputy; by the owner of both.
    func setRoot(_ root: (any TreeMachine)?) { contents.withLock { $0.root = root } }

    /// Calls a body unless it is the deputy of a root that is still there; in the lock in which it becomes one.
    func unlessItHasRoot<Result>(_ body: () -> Result) -> Result? {
        let (root, result) = contents.withLock { contents in
            let root = contents.root
            return (root, root == nil ? body() : nil)
        }
        // Released here: this may be the last reference to it.
        withExtendedLifetime(root) {}
        return result
    }

    /// Whether it is in the current state of a machine; in a turn of that one.
    func isCurrent(in machine: ObjectIdentifier) -> Bool {
        currentHolder.load(ordering: .relaxed) == UInt(bitPattern: machine)
    }

    /// Gives it to a machine, unless it belongs to another one.
    /// - Returns: The machine to which it belonged before.
    func give(to machine: any TreeMachine) -> (any TreeMachine)? {
        contents.withLock { contents in
            let holder = contents.holder
            if holder == nil {
                contents.holder = machine
                contents.holderID = ObjectIdentifier(machine)
                // It still was in that of one that is gone.
                currentHolder.store(0, ordering: .relaxed)
                hasBeenGiven.store(true, ordering: .relaxed)
            }
            return holder
        }
    }

    /// Lets it belong to none.
    func leaveHolder() {
        contents.withLock { contents in
            contents.holder = nil
            contents.holderID = nil
            currentHolder.store(0, ordering: .relaxed)
        }
    }

    /// Whether anybody above hears of what happens in this one now.
    var isHeardAbove: Bool { contents.withLock { $0.hearing != nil } && isListenedTo }

    /// Whether anybody above wants to hear of what happens in this one.
    var isListenedTo: Bool { holder?.withCore { $0.hearsRegions } == true }

    /// Whether closures are those that tell of what happens here.
    func isHeard(by number: Int) -> Bool { contents.withLock { $0.hearing == number } }

    /// Notes that closures are about to tell of what happens here.
    /// - Returns: Whether none did before.
    func beginToBeHeard(by number: Int) -> Bool {
        contents.withLock { contents in
            guard contents.hearing == nil else { return false }
            contents.hearing = number
            return true
        }
    }

    /// Notes that closures tell of nothing any more; others may.
    func endToBeHeard(by number: Int) {
        contents.withLock { if $0.hearing == number { $0.hearing = nil } }
    }

    /// Notes whether the state of the machine that it belongs to is the current one.
    func setCurrent(_ isCurrent: Bool) {
        contents.withLock { contents in
            let holder = isCurrent ? contents.holderID.map { UInt(bitPattern: $0) } : nil
            currentHolder.store(holder ?? 0, ordering: .relaxed)
        }
    }

    /// Notes which machines the current state holds.
    /// - Returns: Those that the state before held.
    func replaceRegions(by new: [any TreeMachine]) -> [any TreeMachine] {
        contents.withLock { contents in
            let old = contents.regions
            contents.regions = new
            return old
        }
    }

    /// Suspends its machine if that belongs to none any more: it begins again in one that is given it later.
    ///
    /// That is one decision, in the lock in which another machine is given it.
    func suspendIfOrphaned(_ core: borrowing MachineCore) -> [MachineEnvironment.TakenActivity] {
        let (holder, ended) = contents.withLock { contents in
            let holder = contents.holder
            // One that its own turn kept from being taken on never was in the state.
            let isOrphaned = holder == nil && currentHolder.load(ordering: .relaxed) != 0
            return (holder, isOrphaned ? core.suspendTree(contents.regions) : [])
        }
        // Released here: this may be the last reference to it.
        withExtendedLifetime(holder) {}
        return ended
    }

    /// Lets the deputy resign.
    /// - Returns: The machines in the state that can be suspended now. The one around a deputy that is busy is left out: the thread that owns
    ///   the deputy suspends it.
    private func resignDeputy() -> [any TreeMachine] {
        guard let deputy else { return regions }
        let isBusy = deputy.withCore { $0.resignWithoutRoot() } == .busy
        guard isBusy else { return regions }
        let busy = deputy.withCore { $0.root } ?? deputy
        return regions.filter { $0 !== busy }
    }

    // What goes on in the regions does not outlive their holder; one that another machine holds meanwhile is that one's.
    deinit {
        for region in resignDeputy() {
            for activity in region.withCore({ $0.place?.suspendIfOrphaned($0) ?? [] }) { activity.end() }
        }
    }
}
