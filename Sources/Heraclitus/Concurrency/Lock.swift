// How do short critical sections exclude one another, so that the thread sanitizer understands it, too?

public import Synchronization

/// A value that one thread at a time uses, for a few instructions.
///
/// It is a `Mutex` with a note beside it, which its holders read and write and others may read. The slow path of `Mutex` is in the
/// standard library, which is not compiled for the thread sanitizer: without the note, which orders the holders once more, what
/// a contended lock orders would look like a race in every program that uses the library under the sanitizer.
@usableFromInline
package struct Lock<Value: ~Copyable>: ~Copyable, Sendable {
    @usableFromInline let mutex: Mutex<Value>
    @usableFromInline let noted = Atomic<UInt16>(0)

    @usableFromInline
    package init(_ value: consuming sending Value) { mutex = Mutex(value) }

    /// Calls a body while no other thread uses the value.
    ///
    /// The body must call no user code.
    @inlinable @inline(__always)
    package func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock { value throws(Failure) in
            _ = noted.load(ordering: .acquiring)
            defer { noted.store(noted.load(ordering: .relaxed), ordering: .releasing) }
            return try body(&value)
        }
    }

    /// A few bits that anybody may read without the lock, and that change only while it is held.
    @inline(__always)
    var note: UInt16 { noted.load(ordering: .relaxed) }

    /// Changes the note; while the lock is held.
    func changeNote(_ note: UInt16) { noted.store(note, ordering: .relaxed) }
}
