// A signal that wakes a sleeping thread.

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// A signal for one waiting thread.
///
/// Sent before or during the wait, it is received once.
///
/// Invariant: `isSent` is used only under the system's mutex, and the addresses stay fixed until `deinit`.
/// Unchecked, because the mutex orders all accesses.
@safe
final class ThreadSignal: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var isSent = false

    init() {
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe condition.initialize(to: pthread_cond_t())
        unsafe pthread_mutex_init(mutex, nil)
        unsafe pthread_cond_init(condition, nil)
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    func send() {
        unsafe pthread_mutex_lock(mutex)
        isSent = true
        unsafe pthread_cond_signal(condition)
        unsafe pthread_mutex_unlock(mutex)
    }

    func wait() {
        unsafe pthread_mutex_lock(mutex)
        while !isSent { unsafe pthread_cond_wait(condition, mutex) }
        isSent = false
        unsafe pthread_mutex_unlock(mutex)
    }

    /// Lets other threads run first.
    static func giveWay() { sched_yield() }
}
