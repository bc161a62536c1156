import Foundation

/// Calls a body and returns the time for which the calling thread was computing meanwhile.
///
/// Other than the time on the wall it does not grow when other tests and programs keep the cores busy.
func threadTime(of body: () throws -> Void) rethrows -> Duration {
    let start = threadTime()
    try body()
    return threadTime() - start
}

private func threadTime() -> Duration {
    var time = timespec()
    let result = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    precondition(result == 0, "every system that tests run on counts the time of a thread")
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
}
