/// Makes a side that times a loop, in nanoseconds per operation.
///
/// Each round has a number of operations.
///
/// `rounds` gets the number of rounds, so that the compiler optimizes the loop with its body.
func perOperation(of operations: Int = 1, _ rounds: @escaping (Int) -> Void) -> Figure.Side {
    var count = 0
    return { time in
        if count == 0 { count = calibrated(rounds, for: time) }
        return nanoseconds { rounds(count) } / Double(count * operations)
    }
}

func nanoseconds(_ body: () -> Void) -> Double {
    ContinuousClock().measure(body) / .nanoseconds(1)
}

/// The number of rounds that fills a duration.
private func calibrated(_ rounds: (Int) -> Void, for time: Duration) -> Int {
    // Excludes one-time costs from the estimate.
    rounds(1)
    var count = 1
    while true {
        let taken = nanoseconds { rounds(count) }
        // A tenth of the duration is enough for an estimate.
        if taken * 10 >= time / .nanoseconds(1) { return max(1, Int(Double(count) * (time / .nanoseconds(1)) / taken)) }
        count *= 2
    }
}

// The optimizer must assume that the value is used.

@inline(never) @_optimize(none)
func keep(_ object: AnyObject) {}

@inline(never) @_optimize(none)
func keep(_ answer: Bool) {}

@inline(never) @_optimize(none)
func keep(_ number: Int) {}
