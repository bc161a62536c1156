import Foundation

/// Calls a body and returns the computing time of the calling thread.
///
/// Unlike wall-clock time, it is independent of other tests and programs.
func threadTime(of body: () throws -> Void) rethrows -> Duration {
    let start = threadTime()
    try body()
    return threadTime() - start
}

private func threadTime() -> Duration {
    // Two numbers like a `timespec`, whose properties are unavailable through Foundation with the optimizer.
    var time = (seconds: 0, nanoseconds: 0)
    let result = unsafe withUnsafeMutableBytes(of: &time) { bytes in
        unsafe bytes.baseAddress.map {
            unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, $0.assumingMemoryBound(to: timespec.self))
        }
    }
    precondition(result == 0, "every system that tests run on counts the time of a thread")
    return .seconds(time.seconds) + .nanoseconds(time.nanoseconds)
}
