// Values that each thread keeps for itself.

import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// A value that a thread can keep for itself.
protocol ThreadContent {
    init()
}

/// A value for each thread, made at the thread's first use and destroyed at its end.
///
/// A static property of this type is a single word, initially 0, so it needs no check for lazy initialisation.
@safe
struct ThreadLocal<Content: ThreadContent>: ~Copyable, Sendable {
    private let key = SystemKey()

    /// The calling thread's value.
    @inline(__always)
    var current: CurrentThread<Content> {
        if let owner = unsafe key.value {
            return unsafe CurrentThread(.fromOpaque(owner))
        }
        return firstUse()
    }

    @inline(never)
    private func firstUse() -> CurrentThread<Content> {
        let owner = unsafe Unmanaged.passRetained(ThreadStorage<Content>.made())
        unsafe key.keep(owner.toOpaque())
        return unsafe CurrentThread(owner)
    }
}

/// The calling thread's value.
///
/// It is not Sendable, so it stays on its thread.
///
/// Invariant: the storage belongs to this thread until the thread ends. Other threads have no access, so references
/// need no counting. The content changes without calls of user code, which might come back here.
@safe
struct CurrentThread<Content: ThreadContent> {
    private let address: UnsafeMutablePointer<Content>

    @inline(__always)
    fileprivate init(_ owner: Unmanaged<ManagedBuffer<Content, Void>>) {
        unsafe address = owner._withUnsafeGuaranteedRef { unsafe $0.withUnsafeMutablePointerToHeader { unsafe $0 } }
    }

    /// The thread's content.
    var content: Content {
        @inline(__always)
        unsafeAddress { unsafe UnsafePointer(address) }
        @inline(__always)
        nonmutating unsafeMutableAddress { unsafe address }
    }
}

/// The object that the system releases when a thread ends.
///
/// Its content has a fixed address.
private final class ThreadStorage<Content: ThreadContent>: ManagedBuffer<Content, Void> {
    static func made() -> ManagedBuffer<Content, Void> { create(minimumCapacity: 0) { _ in Content() } }
}

/// The system's key to a pointer of each thread.
///
/// The thread retains the object and releases it at its end.
///
/// Invariant: `number` is 0 until the first thread keeps a value, and then always the key plus one.
@safe
private struct SystemKey: ~Copyable, Sendable {
    private let number = Atomic<UInt>(0)

    /// The calling thread's pointer.
    @inline(__always)
    var value: UnsafeMutableRawPointer? {
        let number = number.load(ordering: .acquiring)
        return unsafe number == 0 ? nil : Self.value(of: number - 1)
    }

    func keep(_ value: UnsafeMutableRawPointer) {
        if number.load(ordering: .acquiring) == 0 {
            // If two threads make a key at once, the first key stays and the other is never used.
            _ = number.compareExchange(expected: 0, desired: Self.make() + 1, ordering: .acquiringAndReleasing)
        }
        let isKept = unsafe Self.keep(value, by: number.load(ordering: .acquiring) - 1)
        precondition(isKept, "The system cannot store a value of this thread.")
    }

    private static func release(_ value: UnsafeMutableRawPointer?) {
        if let value = unsafe value { unsafe Unmanaged<AnyObject>.fromOpaque(value).release() }
    }

    private static func make() -> UInt {
        var key = pthread_key_t()
        // Whether the closure's argument is optional depends on the C library.
        let result = unsafe pthread_key_create(&key) { unsafe SystemKey.release($0) }
        precondition(result == 0, "The process has no more keys for values of threads.")
        return UInt(key)
    }

    @inline(__always)
    private static func value(of key: UInt) -> UnsafeMutableRawPointer? {
        unsafe pthread_getspecific(pthread_key_t(truncatingIfNeeded: key))
    }

    private static func keep(_ value: UnsafeMutableRawPointer, by key: UInt) -> Bool {
        unsafe pthread_setspecific(pthread_key_t(truncatingIfNeeded: key), value) == 0
    }
}
