// Records the thread that may change a machine.

import Synchronization

/// The owner of a machine: one word that names a thread, with one bit beside it.
///
/// | the word | the owner |
/// | --- | --- |
/// | 0 | nobody |
/// | a thread | this thread |
/// | a thread and `contended` | this thread, and others wait |
/// | `contended` alone | the owner of the machine whose state holds this one |
///
/// Readers never wait for it. A thread takes it to change the machine, and keeps it while callbacks run. Acquiring it
/// synchronises with the previous release, so the new owner sees all writes of the previous one.
struct OwnershipLock: ~Copyable, Sendable {
    private let word: Atomic<UInt>

    private static var contended: UInt { 1 }

    /// The value of a machine in another machine's state.
    ///
    /// It is final: the machine never stands alone again.
    private static var ofHolder: UInt { contended }

    /// - Parameter belongsToHolder: Whether the machine has a holder from the beginning.
    init(belongsToHolder: Bool = false) { word = Atomic(belongsToHolder ? Self.ofHolder : 0) }

    /// Whether the machine is free.
    ///
    /// Another thread may acquire it at any time.
    @inline(__always)
    var isFree: Bool { word.load(ordering: .relaxed) == 0 }

    @inline(__always)
    func isOwned(by thread: ThreadID) -> Bool { word.load(ordering: .relaxed) & ~Self.contended == thread.number }

    /// The number of the owning thread; `nil` if there is none.
    var ownerNumber: UInt? {
        let owner = word.load(ordering: .acquiring) & ~Self.contended
        return owner == 0 ? nil : owner
    }

    /// Whether the machine has a holder, whose owner owns it.
    @inline(__always)
    var belongsToHolder: Bool { word.load(ordering: .acquiring) == Self.ofHolder }

    /// Acquires the machine if it is free.
    /// - Parameters:
    ///   - thread: The calling thread.
    ///   - othersWait: Whether the release has to wake another thread.
    /// - Returns: Whether the thread owns the machine.
    @inline(__always)
    func tryAcquire(by thread: ThreadID, othersWait: Bool = false) -> Bool {
        word.compareExchange(
            expected: 0,
            desired: othersWait ? thread.number | Self.contended : thread.number,
            successOrdering: .acquiring,
            failureOrdering: .relaxed
        ).exchanged
    }

    /// Records that another thread waits.
    /// - Returns: Whether the machine has an owner; otherwise the word is unchanged.
    func noteWaiting() -> Bool {
        var seen = word.load(ordering: .relaxed)
        while seen & ~Self.contended != 0 {
            let result = word.compareExchange(expected: seen, desired: seen | Self.contended, ordering: .relaxed)
            if result.exchanged { return true }
            seen = result.original
        }
        return false
    }

    /// Releases the machine.
    /// - Returns: Whether a waiting thread has to be woken.
    @inline(__always)
    func release() -> Bool { word.exchange(0, ordering: .releasing) & Self.contended != 0 }

    /// Gives the machine to the owner of its holder.
    ///
    /// The caller owns it.
    /// - Returns: Whether waiting threads have to be woken.
    func giveToHolder() -> Bool { word.exchange(Self.ofHolder, ordering: .acquiringAndReleasing) & Self.contended != 0 }
}
