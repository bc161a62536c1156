// Which thread is it?

import Synchronization

/// A thread, told apart from every other thread of this process, also from those that have ended.
///
/// The system gives the address and the number of a thread that has ended to a later one; these numbers never come again.
@usableFromInline
struct ThreadID: Hashable, Sendable {
    /// A multiple of 2 and not 0: a word that names an owner has room for "nobody" and for one bit more.
    let number: UInt

    private static let last = Atomic<UInt>(0)

    /// A number for the thread that asks, which remembers it.
    static func new() -> ThreadID { ThreadID(number: last.add(2, ordering: .relaxed).newValue) }
}
