// Which thread may change a machine now?

import Synchronization

/// Which thread owns a machine: one word that names it, with two bits beside it.
///
/// | the word | who owns the machine |
/// | --- | --- |
/// | nothing | nobody |
/// | a thread | that thread |
/// | `held` | who owns the root of its tree |
/// | `deputised` | it is the root of a tree: who owns its deputy |
/// | `deputy` | nobody; it is the deputy of a tree |
/// | a thread and `deputy` | that thread, with the whole tree |
///
/// Beside a thread, `contended` says that somebody waits. What a deputy is for is told in `Engine/TreeDeputy.swift`.
///
/// It is no lock that readers could wait for: only whoever changes the machine takes it, and keeps it while callbacks run. To
/// acquire it synchronises with the release before it, so that the next owner sees what the last one wrote.
struct OwnershipLock: ~Copyable, Sendable {
    private let word = Atomic<UInt>(0)

    private static var contended: UInt { 1 }
    private static var deputy: UInt { 2 }
    private static var bits: UInt { contended | deputy }

    /// Contended without an owner: the machine belongs to another one, and is no deputy.
    ///
    /// In one that stands alone the value never occurs, and one that was held never stands alone again.
    private static var held: UInt { contended }

    /// The same beside the bit of a deputy: the root of a tree that has a deputy.
    private static var deputised: UInt { contended | deputy }

    /// Whether nobody owns it, as far as a look from outside can tell.
    @inline(__always)
    var isFree: Bool { word.load(ordering: .relaxed) == 0 }

    @inline(__always)
    func isOwned(by thread: ThreadID) -> Bool { word.load(ordering: .relaxed) & ~Self.bits == thread.number }

    /// The number of the thread that owns it; `nil` for nobody.
    var ownerNumber: UInt? {
        let owner = word.load(ordering: .acquiring) & ~Self.bits
        return owner == 0 ? nil : owner
    }

    /// Acquires it if nobody owns it, and it is no deputy.
    /// - Returns: Whether it is the thread's now.
    @inline(__always)
    func tryAcquire(by thread: ThreadID) -> Bool { replace(0, by: thread.number) }

    /// Acquires it if nobody owns it, whether it is a deputy or not.
    /// - Parameters:
    ///   - thread: The thread that calls.
    ///   - othersWait: Whether the release is to wake somebody.
    /// - Returns: Whether it is the thread's now.
    func tryAcquireEvenAsDeputy(by thread: ThreadID, othersWait: Bool) -> Bool {
        let owned = thread.number | (othersWait ? Self.contended : 0)
        return replace(0, by: owned) || replace(Self.deputy, by: owned | Self.deputy)
    }

    /// Acquires and releases it at once, if nobody owns it, and it is no deputy.
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
        let owned = thread.number | (othersWait ? Self.contended : 0)
        return [0, Self.deputy].contains { deputy in
            replace(ended | deputy, by: owned | deputy)
                || replace(ended | deputy | Self.contended, by: owned | deputy | Self.contended)
        }
    }

    /// Notes that somebody waits.
    /// - Returns: Whether a thread owns it at all; if not, nothing was noted.
    func noteWaiting() -> Bool {
        var seen = word.load(ordering: .relaxed)
        while seen & ~Self.bits != 0 {
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

    @inline(__always)
    private func replace(_ old: UInt, by new: UInt) -> Bool {
        word.compareExchange(expected: old, desired: new, successOrdering: .acquiring, failureOrdering: .relaxed)
            .exchanged
    }
}

// MARK: - Trees

extension OwnershipLock {
    /// Whether the machine belongs to another one.
    @inline(__always)
    var belongsToAnother: Bool {
        let word = word.load(ordering: .acquiring)
        return word == Self.held || Self.isDeputy(word)
    }

    @inline(__always)
    private static func isDeputy(_ word: UInt) -> Bool { word & deputy != 0 && word != deputised }

    /// Whether the machine belongs to another one, and is no deputy: whoever owns the root owns it.
    var isHeld: Bool { word.load(ordering: .acquiring) == Self.held }

    /// Whether it is the root of a tree that has a deputy: whoever owns that owns it.
    var isDeputised: Bool { word.load(ordering: .acquiring) == Self.deputised }

    /// Whether it is the deputy of a tree.
    var isDeputy: Bool { Self.isDeputy(word.load(ordering: .acquiring)) }

    /// Whether the owner of another machine is its owner.
    var isOwnedThroughOther: Bool {
        let word = word.load(ordering: .acquiring)
        return word == Self.held || word == Self.deputised
    }

    /// Lets whoever owns the root own it, too; by its owner.
    /// - Returns: Whether others wait for it, who have to be woken.
    func hold() -> Bool { word.exchange(Self.held, ordering: .acquiringAndReleasing) & Self.contended != 0 }

    /// Acquires it if it is a deputy that nobody owns.
    @inline(__always)
    func tryAcquireAsDeputy(by thread: ThreadID) -> Bool {
        replace(Self.deputy, by: thread.number | Self.deputy)
    }

    /// Releases a deputy.
    /// - Returns: Whether somebody waits for it and has to be woken.
    @inline(__always)
    func releaseAsDeputy() -> Bool {
        word.exchange(Self.deputy, ordering: .releasing) & Self.contended != 0
    }

    /// Makes a machine that is held a deputy; by the owner of the root, who owns it, too.
    func becomeDeputy(ownedBy thread: ThreadID) { word.store(thread.number | Self.deputy, ordering: .releasing) }

    /// Releases the root of a tree by handing it over to whoever owns its deputy; by its owner.
    /// - Returns: Whether others wait for it, who have to be woken.
    func deputise() -> Bool { word.exchange(Self.deputised, ordering: .releasing) & Self.contended != 0 }

    /// Takes a tree back from its deputy; by the owner of that, for whom acquiring it has ordered the memory.
    func takeBack(by thread: ThreadID) { word.store(thread.number, ordering: .relaxed) }

    /// Lets a deputy that nobody owns be one no longer.
    /// - Returns: Whether it was such a deputy, and is held now.
    func resign() -> Bool {
        word.compareExchange(expected: Self.deputy, desired: Self.held, ordering: .acquiringAndReleasing).exchanged
    }
}
