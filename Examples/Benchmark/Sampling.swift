/// Makes a side that times a loop: nanoseconds per operation, of which a round has so many.
///
/// `rounds` gets the number and is not one round, so that the loop is compiled with what is in it.
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

/// The number of rounds that takes about a time.
private func calibrated(_ rounds: (Int) -> Void, for time: Duration) -> Int {
    // What happens only the first time must not be taken for what a round takes.
    rounds(1)
    var count = 1
    while true {
        let taken = nanoseconds { rounds(count) }
        // A tenth is enough to tell the rest from.
        if taken * 10 >= time / .nanoseconds(1) { return max(1, Int(Double(count) * (time / .nanoseconds(1)) / taken)) }
        count *= 2
    }
}

// What the optimizer must believe is used.

@inline(never) @_optimize(none)
func keep(_ object: AnyObject) {}

@inline(never) @_optimize(none)
func keep(_ answer: Bool) {}

@inline(never) @_optimize(none)
func keep(_ number: Int) {}
