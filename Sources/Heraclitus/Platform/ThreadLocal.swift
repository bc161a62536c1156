// What does a thread keep for itself?

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

/// A value that a thread may keep for itself.
protocol ThreadContent {
    init()
}

/// A value of its own for every thread: made when a thread first asks, destroyed when the thread ends.
///
/// A static property of this type is no more than a word that is 0 when the program begins; so nobody has to ask whether it was made.
@safe
struct ThreadLocal<Content: ThreadContent>: ~Copyable, Sendable {
    private let key = SystemKey()

    /// The calling thread.
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

/// The calling thread with what it keeps; not Sendable, so that it stays on its thread.
///
/// Invariant: the storage is this thread's own, which keeps it until it ends. So no other thread has access, and no count of
/// references is needed. Nobody calls user code, which might come here again, while it changes the content.
@safe
struct CurrentThread<Content: ThreadContent> {
    private let address: UnsafeMutablePointer<Content>

    @inline(__always)
    fileprivate init(_ owner: Unmanaged<ManagedBuffer<Content, Void>>) {
        unsafe address = owner._withUnsafeGuaranteedRef { unsafe $0.withUnsafeMutablePointerToHeader { unsafe $0 } }
    }

    /// What the thread keeps.
    var content: Content {
        @inline(__always)
        unsafeAddress { unsafe UnsafePointer(address) }
        @inline(__always)
        nonmutating unsafeMutableAddress { unsafe address }
    }
}

/// What the system releases when a thread ends: an object with the content at an address that does not change.
private final class ThreadStorage<Content: ThreadContent>: ManagedBuffer<Content, Void> {
    static func made() -> ManagedBuffer<Content, Void> { create(minimumCapacity: 0) { _ in Content() } }
}

/// The system's key to a pointer of each thread, which holds a retained object and releases it when the thread ends.
///
/// Invariant: `number` is 0 until the first thread keeps something, and then one more than the key, which stays.
@safe
private struct SystemKey: ~Copyable, Sendable {
    private let number = Atomic<UInt>(0)

    /// What the calling thread keeps.
    @inline(__always)
    var value: UnsafeMutableRawPointer? {
        let number = number.load(ordering: .acquiring)
        return unsafe number == 0 ? nil : Self.value(of: number - 1)
    }

    func keep(_ value: UnsafeMutableRawPointer) {
        if number.load(ordering: .acquiring) == 0 {
            // Of two threads that come here at once, the first one's key stays, and the other one's is never used.
            _ = number.compareExchange(expected: 0, desired: Self.make() + 1, ordering: .acquiringAndReleasing)
        }
        let isKept = unsafe Self.keep(value, by: number.load(ordering: .acquiring) - 1)
        precondition(isKept, "The system has no place for a value of this thread.")
    }

    private static func release(_ value: UnsafeMutableRawPointer?) {
        if let value = unsafe value { unsafe Unmanaged<AnyObject>.fromOpaque(value).release() }
    }

    private static func make() -> UInt {
        var key = pthread_key_t()
        // Whether the closure's argument is optional depends on the C library.
        let result = unsafe pthread_key_create(&key) { unsafe SystemKey.release($0) }
        precondition(result == 0, "The process has no key for values of threads left.")
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
