// The threads of the operating system, and values that each keeps for itself.

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
///
/// Invariant: `number` is 0 until the first thread keeps a value, and then always the system's key plus one. The thread
/// retains the object of its value and releases it at its end.
@safe
struct ThreadLocal<Content: ThreadContent>: ~Copyable, Sendable {
    private let number = Atomic<UInt>(0)

    /// The calling thread's value.
    @inline(__always)
    var current: CurrentThread<Content> {
        let number = number.load(ordering: .acquiring)
        if number != 0, let owner = unsafe pthread_getspecific(pthread_key_t(truncatingIfNeeded: number - 1)) {
            return unsafe CurrentThread(.fromOpaque(owner))
        }
        return firstUse()
    }

    @inline(never)
    private func firstUse() -> CurrentThread<Content> {
        if number.load(ordering: .acquiring) == 0 {
            // If two threads make a key at once, the first key stays and the other is never used.
            _ = number.compareExchange(expected: 0, desired: newKey() + 1, ordering: .acquiringAndReleasing)
        }
        let key = pthread_key_t(truncatingIfNeeded: number.load(ordering: .acquiring) - 1)
        let owner = unsafe Unmanaged.passRetained(ThreadStorage<Content>.made())
        let isKept = unsafe pthread_setspecific(key, owner.toOpaque()) == 0
        precondition(isKept, "The system cannot store a value of this thread.")
        return unsafe CurrentThread(owner)
    }
}

/// Makes a key of the system to a pointer of each thread.
private func newKey() -> UInt {
    var key = pthread_key_t()
    // Whether the closure's argument is optional depends on the C library.
    let result = unsafe pthread_key_create(&key) { unsafe releaseValue($0) }
    precondition(result == 0, "The process has no more keys for values of threads.")
    return UInt(key)
}

private func releaseValue(_ value: UnsafeMutableRawPointer?) {
    if let value = unsafe value { unsafe Unmanaged<AnyObject>.fromOpaque(value).release() }
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

/// Lets other threads run first.
func giveWay() { sched_yield() }

/// Whether this is certainly the main thread.
///
/// Only Apple's platforms tie the main actor to a thread.
var isOnMainThread: Bool {
    #if canImport(Darwin)
        pthread_main_np() != 0
    #else
        false
    #endif
}
