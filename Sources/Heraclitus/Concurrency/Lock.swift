// A lock for short critical sections that the thread sanitizer understands.

public import Synchronization

/// A value that one thread at a time uses, for a few instructions.
///
/// The lock is a `Mutex` with a note beside it, which holders read and write and others may read. The slow path of
/// `Mutex` is in the standard library, which is compiled without the thread sanitizer. The note orders the holders once
/// more. Without it, the sanitizer would report a race for each contended lock.
@usableFromInline
package struct Lock<Value: ~Copyable>: ~Copyable, Sendable {
    @usableFromInline let mutex: Mutex<Value>
    @usableFromInline let noted = Atomic<UInt16>(0)

    @usableFromInline
    package init(_ value: consuming sending Value) { mutex = Mutex(value) }

    /// Calls a body with exclusive access to the value.
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

    /// A few bits that any thread may read without the lock.
    ///
    /// They change only under the lock.
    @inline(__always)
    var note: UInt16 { noted.load(ordering: .relaxed) }

    /// Changes the note.
    ///
    /// The caller holds the lock.
    func changeNote(_ note: UInt16) { noted.store(note, ordering: .relaxed) }
}
