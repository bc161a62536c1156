public import Heraclitus

/// How effects are delivered: for how long a worker has them, and what happens when a handler fails.
public struct DeliveryPolicy: Sendable, Hashable {
    /// For how long a worker has the effects of a machine, unless it renews that.
    ///
    /// A worker renews it after each third of that time, as long as its handler runs, and others go by the dates of their own clocks. So clocks
    /// may differ by up to two thirds of it. If they differ by more, or if a process stands still for so long, two workers can be at the same effect at
    /// the same time, which each handler recognises by the key. When a worker dies, its effects wait until the lease ends. If its clock was hours ahead,
    /// that is hours later for all others.
    public var lease: Duration

    /// After how many failures an effect is parked.
    public var attempts: Int

    /// How long to wait after a failure.
    public var backOff: BackOff

    /// The number of machines whose effects a call delivers at the same time.
    ///
    /// Those of one machine are delivered one after the other.
    public var machinesAtOnce: Int

    /// Whether a parked effect holds up those after it, until somebody retries or discards it; by default they go on.
    public var parkedEffectsBlock = false

    /// After what time an effect of an unknown type is reported, which waits for another release of the program.
    public var unknownEffectAge = Duration.zero

    /// Makes a policy.
    /// - Parameters:
    ///   - lease: For how long a worker has the effects of a machine, unless it renews that.
    ///   - attempts: After how many failures an effect is parked.
    ///   - backOff: How long to wait after a failure.
    ///   - machinesAtOnce: The number of machines whose effects a call delivers at the same time.
    public init(
        lease: Duration = .seconds(60),
        attempts: Int = 10,
        backOff: BackOff = BackOff(first: .seconds(1), limit: .seconds(600)),
        machinesAtOnce: Int = 8
    ) {
        self.lease = lease
        self.attempts = attempts
        self.backOff = backOff
        self.machinesAtOnce = machinesAtOnce
    }
}

extension Duration {
    /// The time in seconds.
    var inSeconds: Double { self / .seconds(1) }
}
