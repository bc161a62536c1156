import Heraclitus

/// What a worker has done, and what has failed.
public struct WorkReport: Sendable {
    /// The number of machines that were worked on, or of effects that were carried out.
    public internal(set) var count = 0

    /// What has failed, the first thousand; the other machines were worked on nevertheless.
    public internal(set) var failures: [WorkFailure] = []

    /// How much has failed.
    public internal(set) var failureCount = 0

    /// How many machines wait for a newer release of the program, up to a thousand: those of newer versions of the workflow.
    public internal(set) var newerCount = 0

    mutating func add(_ failure: WorkFailure) {
        failureCount += 1
        if failures.count < 1_000 { failures.append(failure) }
    }

    mutating func add(_ other: WorkReport) {
        count += other.count
        failureCount += other.failureCount
        failures += other.failures.prefix(max(0, 1_000 - failures.count))
        newerCount = max(newerCount, other.newerCount)
    }

    /// Throws the first failure, if there is one.
    /// - Throws: The error of the first failure.
    public func throwFirstFailure() throws { if let first = failures.first { throw first.error } }
}

/// A machine, or an effect of it, that a worker has failed at.
public struct WorkFailure: Sendable {
    /// The id of the machine.
    public let id: String

    /// The effect, as it is stored now; `nil` if it is not an effect that has failed.
    public let effect: StoredEffect?

    /// The error.
    public let error: any Error
}
