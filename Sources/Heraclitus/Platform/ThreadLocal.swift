// Which thread is running, and what does it keep for itself?

import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(WinSDK)
    import WinSDK
#endif

/// A thread, told apart from every other one that there was or will be in this process.
///
/// The system gives the address and the number of a thread that has ended to a later one; these numbers never come again.
@usableFromInline
struct ThreadID: Hashable, Sendable {
    /// Even and not 0: a word that names an owner has place for "nobody" and for one bit more.
    let number: UInt

    private static let last = Atomic<UInt>(0)

    fileprivate static func new() -> ThreadID { ThreadID(number: last.add(2, ordering: .relaxed).newValue) }
}

/// A value of its own for every thread: made when a thread first asks, destroyed when the thread ends.
@safe
final class ThreadLocal<Content>: Sendable {
    private let key: SystemKey
    private let make: @Sendable () -> Content
    private let atEnd: @Sendable (ThreadID, Content) -> Void

    /// Makes a value for every thread.
    /// - Parameters:
    ///   - make: Makes the value of the calling thread.
    ///   - atEnd: Called on a thread that ends, with its value.
    init(_ make: @escaping @Sendable () -> Content, atEnd: @escaping @Sendable (ThreadID, Content) -> Void) {
        key = SystemKey()
        self.make = make
        self.atEnd = atEnd
    }

    /// The calling thread.
    @inline(__always)
    var current: CurrentThread<Content> {
        if let address = unsafe key.value {
            return unsafe CurrentThread(Unmanaged<ThreadStorage<Content>>.fromOpaque(address))
        }
        return firstUse()
    }

    private func firstUse() -> CurrentThread<Content> {
        let storage = unsafe Unmanaged.passRetained(ThreadStorage(make(), atEnd))
        unsafe key.keep(storage.toOpaque())
        return unsafe CurrentThread(storage)
    }
}

/// The calling thread with what it keeps; not Sendable, so that it stays on its thread.
///
/// Invariant: the storage is this thread's own, which keeps it until it ends. So no other thread has access, and no count of
/// references is needed.
@safe
struct CurrentThread<Content> {
    private let storage: Unmanaged<ThreadStorage<Content>>

    fileprivate init(_ storage: Unmanaged<ThreadStorage<Content>>) { unsafe self.storage = unsafe storage }

    @inline(__always)
    var id: ThreadID { unsafe storage._withUnsafeGuaranteedRef { $0.id } }

    /// Uses what the thread keeps.
    ///
    /// The body must call no user code, which might come here again.
    @inline(__always)
    func withContent<Result>(_ body: (inout Content) -> Result) -> Result {
        unsafe storage._withUnsafeGuaranteedRef { unsafe body(&$0.content) }
    }
}

private final class ThreadStorage<Content> {
    let id = ThreadID.new()
    let atEnd: @Sendable (ThreadID, Content) -> Void

    // One thread alone uses it, and no body of `withContent` calls another one.
    @exclusivity(unchecked) var content: Content

    init(_ content: Content, _ atEnd: @escaping @Sendable (ThreadID, Content) -> Void) {
        unsafe self.content = content
        self.atEnd = atEnd
    }

    deinit { atEnd(id, unsafe content) }
}

/// The system's key to a pointer of each thread, which holds a retained object and releases it when the thread ends.
@safe
private struct SystemKey: ~Copyable, @unchecked Sendable {
    // Unchecked, because a key is a number that never changes.

    #if canImport(WinSDK)
        private let key = FlsAlloc { address in
            if let address = unsafe address { unsafe Unmanaged<AnyObject>.fromOpaque(address).release() }
        }

        var value: UnsafeMutableRawPointer? { unsafe FlsGetValue(key) }

        func keep(_ value: UnsafeMutableRawPointer) {
            precondition(unsafe FlsSetValue(key, value), "The system has no place for a value of this thread.")
        }
    #elseif os(WASI)
        // One thread for all.
        private nonisolated(unsafe) static var only: UnsafeMutableRawPointer?

        var value: UnsafeMutableRawPointer? { unsafe Self.only }

        func keep(_ value: UnsafeMutableRawPointer) { unsafe Self.only = unsafe value }
    #else
        private let key: pthread_key_t

        init() {
            var key = pthread_key_t()
            // Whether the closure's argument is optional depends on the C library.
            let result = unsafe pthread_key_create(&key) { unsafe Self.release($0) }
            precondition(result == 0, "The process has no key for values of threads left.")
            self.key = key
        }

        @inline(__always)
        var value: UnsafeMutableRawPointer? { unsafe pthread_getspecific(key) }

        func keep(_ value: UnsafeMutableRawPointer) {
            let result = unsafe pthread_setspecific(key, value)
            precondition(result == 0, "The system has no place for a value of this thread.")
        }

        private static func release(_ value: UnsafeMutableRawPointer?) {
            if let value = unsafe value { unsafe Unmanaged<AnyObject>.fromOpaque(value).release() }
        }
    #endif
}
