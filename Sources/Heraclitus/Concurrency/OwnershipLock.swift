// Which thread may change a machine now?

import Synchronization

/// Which thread owns a machine: one word that names the thread, with one bit beside it.
///
/// | the word | the owner |
/// | --- | --- |
/// | 0 | nobody |
/// | a thread | this thread |
/// | a thread and `contended` | this thread, and others wait |
/// | `contended` alone | the owner of the machine whose state holds this one |
///
/// It is no lock that readers could wait for: only a thread that changes the machine takes it, and keeps it while callbacks run.
/// Acquiring it synchronises with the release before it, so that the next owner sees everything that the last one wrote.
struct OwnershipLock: ~Copyable, Sendable {
    private let word: Atomic<UInt>

    private static var contended: UInt { 1 }

    /// A machine that was held once never stands alone again.
    private static var held: UInt { contended }

    /// - Parameter isHeld: Whether the machine belongs to another one from the beginning.
    init(isHeld: Bool = false) { word = Atomic(isHeld ? Self.held : 0) }

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

    /// Whether the machine belongs to another one, whose owner owns it.
    @inline(__always)
    var isHeld: Bool { word.load(ordering: .acquiring) == Self.held }

    /// Acquires it if nobody owns it.
    /// - Parameters:
    ///   - thread: The thread that calls.
    ///   - othersWait: Whether the release is to wake another thread.
    /// - Returns: Whether the thread owns it now.
    @inline(__always)
    func tryAcquire(by thread: ThreadID, othersWait: Bool = false) -> Bool {
        word.compareExchange(
            expected: 0,
            desired: othersWait ? thread.number | Self.contended : thread.number,
            successOrdering: .acquiring,
            failureOrdering: .relaxed
        ).exchanged
    }

    /// Notes that another thread waits.
    /// - Returns: Whether a thread owns it at all; if not, nothing was noted.
    func noteWaiting() -> Bool {
        var seen = word.load(ordering: .relaxed)
        while seen & ~Self.contended != 0 {
            let result = word.compareExchange(expected: seen, desired: seen | Self.contended, ordering: .relaxed)
            if result.exchanged { return true }
            seen = result.original
        }
        return false
    }

    /// Releases it.
    /// - Returns: Whether another thread waits for it and has to be woken.
    @inline(__always)
    func release() -> Bool { word.exchange(0, ordering: .releasing) & Self.contended != 0 }

    /// Gives it to the owner of the machine whose state holds this one; by its owner.
    /// - Returns: Whether other threads wait for it, which have to be woken.
    func hold() -> Bool { word.exchange(Self.held, ordering: .acquiringAndReleasing) & Self.contended != 0 }
}
