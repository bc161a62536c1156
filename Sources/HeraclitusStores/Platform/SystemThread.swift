// Starts threads that may block, without Foundation.

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// A thread for blocking system calls, which must stay off the shared threads of tasks.
enum SystemThread {
    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }

        /// Runs and releases the work of a thread.
        ///
        /// Invariant: the pointer is from `start`, and the thread calls this once.
        static func run(_ pointer: UnsafeMutableRawPointer?) {
            guard let pointer = unsafe pointer else { return }
            unsafe Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().body()
        }
    }

    /// Starts a thread that ends with the body.
    /// - Returns: Whether the system could start the thread.
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
