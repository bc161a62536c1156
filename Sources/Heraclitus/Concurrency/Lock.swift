// A lock for short critical sections that the thread sanitizer understands.

public import Synchronization

/// A value that one thread at a time uses, for a few instructions.
///
/// The lock is a `Mutex` with a few bits beside it. The thread sanitizer cannot see into the slow path of `Mutex`,
/// which the standard library brings without instrumentation, and would report races. Each holder therefore loads the
/// bits first and stores them last.
@usableFromInline
package struct Lock<Value: ~Copyable>: ~Copyable, Sendable {
    @usableFromInline let mutex: Mutex<Value>
    @usableFromInline let bitsStorage = Atomic<UInt16>(0)

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
            _ = bitsStorage.load(ordering: .acquiring)
            defer { bitsStorage.store(bitsStorage.load(ordering: .relaxed), ordering: .releasing) }
            return try body(&value)
        }
    }

    /// Bits that any thread may read without the lock.
    ///
    /// They change only under the lock.
    @inline(__always)
    var bits: UInt16 { bitsStorage.load(ordering: .relaxed) }

    /// Changes the bits.
    ///
    /// The caller holds the lock.
    func setBits(_ bits: UInt16) { bitsStorage.store(bits, ordering: .relaxed) }
}
