public import Heraclitus

/// The lease of a worker, and the treatment of failures.
public struct DeliveryPolicy: Sendable, Hashable {
    let lease: Duration
    let attempts: Int
    let backOff: BackOff
    let machinesAtOnce: Int
    let parkedEffectsBlock: Bool
    var unknownEffectAge: Duration?

    /// Makes a policy.
    ///
    /// A worker renews its lease after each third of `lease` while its handler runs. Other workers compare the end of
    /// the lease with their own clocks, so clocks may differ by up to two thirds of the lease. With a larger
    /// difference, or after a long standstill of a process, two workers may run the same effect; handlers recognise it
    /// by its key.
    ///
    /// The effects of a dead worker wait until the lease ends. If the worker's clock was hours ahead, they wait hours
    /// longer.
    /// - Parameters:
    ///   - lease: The time for which a worker has the effects of a machine, unless the worker renews the lease.
    ///   - attempts: The number of failures after which an effect is parked.
    ///   - backOff: The wait after a failure.
    ///   - machinesAtOnce: The number of machines whose effects a call delivers at the same time. The effects of one
    ///     machine are delivered one after the other.
    ///   - parkedEffectsBlock: Whether a parked effect holds up the effects after it until it is retried or discarded.
    ///   - unknownEffectAge: The age at which a waiting effect of an unknown type is reported; `nil` reports it
    ///     at once, and in a worker after an hour.
    public init(
        lease: Duration = .seconds(60),
        attempts: Int = 10,
        backOff: BackOff = BackOff(first: .seconds(1), limit: .seconds(600)),
        machinesAtOnce: Int = 8,
        parkedEffectsBlock: Bool = false,
        unknownEffectAge: Duration? = nil
    ) {
        self.lease = lease
        self.attempts = attempts
        self.backOff = backOff
        self.machinesAtOnce = machinesAtOnce
        self.parkedEffectsBlock = parkedEffectsBlock
        self.unknownEffectAge = unknownEffectAge
    }
}

extension Duration {
    /// The time in seconds.
    var inSeconds: Double { self / .seconds(1) }
}
