// Which thread is it?

import Synchronization

/// A thread, told apart from every other one that there was or will be in this process.
///
/// The system gives the address and the number of a thread that has ended to a later one; these numbers never come again.
@usableFromInline
struct ThreadID: Hashable, Sendable {
    /// A multiple of 4 and not 0: a word that names an owner has place for "nobody" and for two bits more.
    let number: UInt

    private static let last = Atomic<UInt>(0)

    /// A number for the thread that asks, which remembers it.
    static func new() -> ThreadID { ThreadID(number: last.add(4, ordering: .relaxed).newValue) }
}
