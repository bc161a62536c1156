public import Synchronization

/// Whose turn it is with a machine: one word that names the owner, and a bit that says whether somebody waits.
///
/// Not a lock that user code could block on by reading: only whoever wants to change the machine takes it. Taking it
/// acquires and passing it releases, so that what the owner wrote the next owner sees.
@usableFromInline
struct Turn: ~Copyable, Sendable {
    @usableFromInline let word = Atomic<UInt>(0)

    static var contended: UInt { 1 }

    init() {}

    var owner: FiringThread? { FiringThread(bits: word.load(ordering: .acquiring) & ~Self.contended) }

    /// Whether it is nobody's, as far as a look from outside can tell.
    var isFree: Bool { word.load(ordering: .relaxed) == 0 }

    /// Whether it is the calling thread's.
    @inlinable var isMine: Bool {
        // Mostly it is nobody's, and then who is calling need not be found out.
        word.load(ordering: .relaxed) != 0 && isOwned(by: .current)
    }

    @usableFromInline
    func isOwned(by thread: FiringThread) -> Bool { word.load(ordering: .relaxed) & ~Self.contended == thread.bits }

    /// Takes the turn if it is nobody's; passing it on wakes somebody if others wait.
    func tryTake(by thread: FiringThread, othersWait: Bool = false) -> Bool {
        word.compareExchange(
            expected: 0,
            desired: thread.bits | (othersWait ? Self.contended : 0),
            successOrdering: .acquiring,
            failureOrdering: .relaxed
        ).exchanged
    }

    /// Notes that somebody waits.
    /// - Returns: Whether it is somebody's turn at all; if not, nothing was noted.
    func noteWaiting() -> Bool {
        var seen = word.load(ordering: .relaxed)
        while seen != 0 {
            let result = word.compareExchange(
                expected: seen,
                desired: seen | Self.contended,
                ordering: .relaxed
            )
            if result.exchanged { return true }
            seen = result.original
        }
        return false
    }

    /// Gives the turn back.
    /// - Returns: Whether somebody waits for it and has to be woken.
    func pass() -> Bool {
        word.exchange(0, ordering: .releasing) & Self.contended != 0
    }
}
