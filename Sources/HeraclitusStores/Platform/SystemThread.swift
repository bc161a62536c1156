// How does a library without Foundation's threads get one that may be blocked?

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// A thread of the system, for what waits for the system: a task must not block the threads that all tasks share.
enum SystemThread {
    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }

        /// Runs what a thread was begun for, and releases it.
        ///
        /// Invariant: the pointer is from `start`, and a thread calls this once.
        static func run(_ pointer: UnsafeMutableRawPointer?) {
            guard let pointer = unsafe pointer else { return }
            unsafe Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().body()
        }
    }

    /// Begins a thread, which ends with the body.
    /// - Returns: Whether the system had one left.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let work = unsafe Unmanaged.passRetained(Work(body))
        #if canImport(Darwin) || canImport(Musl)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let failure = unsafe pthread_create(
            &thread,
            nil,
            { pointer in
                unsafe Work.run(pointer)
                return nil
            },
            work.toOpaque()
        )
        guard failure == 0 else {
            unsafe work.release()
            return false
        }
        #if canImport(Darwin) || canImport(Musl)
            if let thread = unsafe thread { unsafe pthread_detach(thread) }
        #else
            pthread_detach(thread)
        #endif
        return true
    }
}
