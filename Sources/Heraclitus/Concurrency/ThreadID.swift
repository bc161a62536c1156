// Identifies threads.

import Synchronization

/// The identity of a thread, unique among all threads of the process, including ended ones.
///
/// The system reuses the addresses and numbers of ended threads; these numbers are never reused.
@usableFromInline
struct ThreadID: Hashable, Sendable {
    /// A multiple of 2 above 0, so that an owner's word has room for "nobody" and one bit.
    let number: UInt

    private static let last = Atomic<UInt>(0)

    /// A number for the calling thread, which keeps it.
    static func new() -> ThreadID { ThreadID(number: last.add(2, ordering: .relaxed).newValue) }
}
