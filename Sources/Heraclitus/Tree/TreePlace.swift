// To which machine does a machine belong, and which ones belong to it?

import HeraclitusEssentials
import Synchronization

/// The place of a machine in a tree of machines; one that holds no other and is held by none has none of this.
///
/// It changes only in a turn of the tree's root. Three things may happen at any time: a machine above begins or ends to listen, a holder is
/// made, and a holder is released.
final class TreePlace: Sendable {
    private let contents = Lock(Contents())

    private struct Contents: Sendable {
        /// The machine whose state holds this one, or is about to.
        weak var holder: (any TreeMachine)?

        /// The same for comparing, which takes no reference.
        var holderID: ObjectIdentifier?

        /// When the machine was put aside: since then no state has held it.
        var putAside: Date?

        /// Whether the machine is a copy that was made to be archived, and that nobody else has.
        var isFrozen = false

        /// The closures that tell the machines above of what happens here if they want to hear of it.
        var hearing: TreeHearing?

        /// The machines that the current state holds.
        var regions: [any TreeMachine] = []

        /// The members of the state's data that its class did not read.
        var unread: [String: JSONValue] = [:]
    }

    /// The machine whose current state holds this one, as a number for comparing; 0 if none does.
    ///
    /// It changes in the lock. Within a turn of the tree's root it stays as it is, and is read without the lock.
    private let currentHolder = Atomic<UInt>(0)

    /// Whether it ever belonged to a machine: most do not.
    private let hasBeenGiven = Atomic(false)

    /// Whether the machines in the state that was entered are being activated; until all are, nobody asks whether they have ended.
    private let startingRegions = Atomic(false)

    /// What is known of the effects of the tree, of which its machine is the root.
    let effectNote = Lock(EffectNote())

    // The regions of a released holder stop; one that another machine holds meanwhile goes on.
    deinit {
        for region in regions {
            for activity in region.withCore({ $0.place?.suspendIfOrphaned($0) ?? [] }) { activity.end() }
        }
    }
}

// MARK: - The data that its state did not read

extension TreePlace {
    var unread: [String: JSONValue] { contents.withLock { $0.unread } }

    func note(unread: [String: JSONValue]) {
        let old = contents.withLock { contents in
            defer { contents.unread = unread }
            return contents.unread
        }
        // Released when the lock is free.
        withExtendedLifetime(old) {}
    }
}

// MARK: - The machines that it holds

extension TreePlace {
    /// The machines that belong to it, in the order in which they are activated.
    var regions: [any TreeMachine] { contents.withLock { $0.regions } }

    var isStartingRegions: Bool { startingRegions.load(ordering: .relaxed) }

    /// Activates the machines in the state, in order.
    func startRegions() {
        startingRegions.store(true, ordering: .relaxed)
        defer { startingRegions.store(false, ordering: .relaxed) }
        for region in regions { region.start() }
    }

    /// Notes which machines the current state holds.
    /// - Returns: The machines that the state before held.
    func replaceRegions(by new: [any TreeMachine]) -> [any TreeMachine] {
        contents.withLock { contents in
            let old = contents.regions
            contents.regions = new
            return old
        }
    }
}

// MARK: - The machine that holds it

extension TreePlace {
    /// The machine that it belongs to; `nil` if the state was left, or that machine is gone.
    var holder: (any TreeMachine)? {
        // Asked first without the lock, because most machines never have a holder.
        hasBeenGiven.load(ordering: .relaxed) ? contents.withLock { $0.holder } : nil
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
                // It still was in the state of a machine that is gone.
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

    /// Notes whether the state of the machine that it belongs to is the current one.
    func setCurrent(_ isCurrent: Bool) {
        contents.withLock { contents in
            let holder = isCurrent ? contents.holderID.map { UInt(bitPattern: $0) } : nil
            currentHolder.store(holder ?? 0, ordering: .relaxed)
        }
    }

    /// When the machine was put aside: a holder has left the state that held it, and none has entered one since.
    var putAside: Date? { contents.withLock { $0.putAside } }

    /// Notes that the machine is put aside from a date on.
    func notePutAside(since date: Date) { contents.withLock { $0.putAside = date } }

    /// Notes that the machine is not put aside any more.
    /// - Returns: Since when it was.
    func takePutAside() -> Date? { contents.withLock { $0.putAside.take() } }

    /// Whether the machine is a copy that was made to be archived, and that nobody else has.
    var isFrozen: Bool { contents.withLock { $0.isFrozen } }

    func noteFrozen() { contents.withLock { $0.isFrozen = true } }

    /// Suspends its machine if that belongs to none any more: it begins again in a holder that gets it later.
    ///
    /// That is one decision, in the lock in which a holder gets it.
    fileprivate func suspendIfOrphaned(_ core: borrowing MachineCore) -> [MachineActivity.Taken] {
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
}

// MARK: - Who hears of it

extension TreePlace {
    /// Whether anybody above hears of what happens in this one now.
    var isHeardAbove: Bool { contents.withLock { $0.hearing != nil } && isListenedTo }

    /// Whether anybody above wants to hear of what happens in this one.
    var isListenedTo: Bool { holder?.withCore { $0.hearsRegions } == true }

    /// Whether some closures are those that tell of what happens here.
    func isHeard(by hearing: TreeHearing) -> Bool { contents.withLock { $0.hearing === hearing } }

    /// Notes that closures are about to tell of what happens here.
    /// - Returns: The closures; `nil` if there are some already.
    func beginToBeHeard() -> TreeHearing? {
        contents.withLock { contents in
            guard contents.hearing == nil else { return nil }
            let hearing = TreeHearing()
            contents.hearing = hearing
            return hearing
        }
    }

    /// Notes that closures tell of nothing any more; others may.
    func endToBeHeard(by hearing: TreeHearing) {
        contents.withLock { if $0.hearing === hearing { $0.hearing = nil } }
    }
}
