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
    // Two numbers, as a `timespec` has them: with the optimizer its own properties are not found through Foundation.
    var time = (seconds: 0, nanoseconds: 0)
    let result = unsafe withUnsafeMutableBytes(of: &time) { bytes in
        unsafe bytes.baseAddress.map {
            unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, $0.assumingMemoryBound(to: timespec.self))
        }
    }
    precondition(result == 0, "every system that tests run on counts the time of a thread")
    return .seconds(time.seconds) + .nanoseconds(time.nanoseconds)
}
