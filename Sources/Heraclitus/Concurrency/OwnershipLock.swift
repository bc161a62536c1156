// Which thread may change a machine now?

import Synchronization

/// Which thread owns a machine: one word that names it, and a bit that says whether somebody waits.
///
/// It is no lock that readers could wait for: only whoever changes the machine takes it, and keeps it while callbacks run. To
/// acquire it synchronises with the release before it, so that the next owner sees what the last one wrote.
struct OwnershipLock: ~Copyable, Sendable {
    private let word = Atomic<UInt>(0)

    private static var contended: UInt { 1 }

    /// Contended without an owner: the machine belongs to another one, for good.
    ///
    /// In one that stands alone the value never occurs.
    private static var held: UInt { 1 }

    /// Whether nobody owns it, as far as a look from outside can tell.
    @inline(__always)
    var isFree: Bool { word.load(ordering: .relaxed) == 0 }

    @inline(__always)
    func isOwned(by thread: ThreadID) -> Bool { word.load(ordering: .relaxed) & ~Self.contended == thread.number }

    /// The number of the thread that owns it; `nil` for nobody.
    var ownerNumber: UInt? {
        let owner = word.load(ordering: .acquiring) & ~Self.contended
        return owner == 0 ? nil : owner
    }

    /// Whether the machine belongs to another one, whose owner is its owner.
    var isHeld: Bool { word.load(ordering: .acquiring) == Self.held }

    /// Hands it over, for good, to whoever owns another machine; by its owner.
    /// - Returns: Whether others wait for it, who have to be woken.
    func hold() -> Bool { word.exchange(Self.held, ordering: .acquiringAndReleasing) & Self.contended != 0 }

    /// Acquires it if nobody owns it.
    /// - Parameters:
    ///   - thread: The thread that calls.
    ///   - othersWait: Whether the release is to wake somebody.
    /// - Returns: Whether it is the thread's now.
    @inline(__always)
    func tryAcquire(by thread: ThreadID, othersWait: Bool = false) -> Bool {
        replaceOwner(0, by: thread, othersWait: othersWait)
    }

    /// Acquires and releases it at once, if nobody owns it.
    ///
    /// Who succeeds sees what the last owner wrote, and the next owner sees what they wrote before.
    @inline(__always)
    func passThrough() -> Bool {
        word.compareExchange(
            expected: 0,
            desired: 0,
            successOrdering: .acquiringAndReleasing,
            failureOrdering: .relaxed
        ).exchanged
    }

    /// Acquires it if it is owned by one thread, which has ended without releasing it.
    func tryTakeOver(from ended: UInt, by thread: ThreadID, othersWait: Bool) -> Bool {
        replaceOwner(ended, by: thread, othersWait: othersWait)
            || replaceOwner(ended | Self.contended, by: thread, othersWait: othersWait)
    }

    @inline(__always)
    private func replaceOwner(_ owner: UInt, by thread: ThreadID, othersWait: Bool) -> Bool {
        word.compareExchange(
            expected: owner,
            desired: thread.number | (othersWait ? Self.contended : 0),
            successOrdering: .acquiring,
            failureOrdering: .relaxed
        ).exchanged
    }

    /// Notes that somebody waits.
    /// - Returns: Whether anybody owns it at all; if not, nothing was noted.
    func noteWaiting() -> Bool {
        var seen = word.load(ordering: .relaxed)
        while seen != 0, seen != Self.held {
            let result = word.compareExchange(expected: seen, desired: seen | Self.contended, ordering: .relaxed)
            if result.exchanged { return true }
            seen = result.original
        }
        return false
    }

    /// Releases it.
    /// - Returns: Whether somebody waits for it and has to be woken.
    @inline(__always)
    func release() -> Bool { word.exchange(0, ordering: .releasing) & Self.contended != 0 }
}
