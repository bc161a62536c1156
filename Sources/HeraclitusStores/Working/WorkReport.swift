import Heraclitus

/// The results of work on the machines of a store: of workers, upgrades and rehearsals.
public struct WorkReport: Sendable {
    /// The number of tried machines, delivered effects, upgraded machines or readable archives.
    public internal(set) var count = 0

    /// The first thousand failures, each of a machine or of one of its effects.
    ///
    /// A failure has the id of the machine, and the effect as it is stored now; `nil` if the machine has failed. A
    /// failure leaves the other machines unaffected.
    public internal(set) var failures: [(id: String, effect: StoredEffect?, error: any Error)] = []

    /// The number of failures.
    public internal(set) var failureCount = 0

    /// The number of skipped machines with a newer version of the workflow.
    ///
    /// They wait for a newer release. Workers count only those with waiting work, up to a thousand. A query counts all:
    ///
    /// ```swift
    /// var newer = ArchiveQuery()
    /// (newer.workflows, newer.oldestVersion) = ([Order.name], Order.version + 1)
    /// let count = try await store.counts(newer).values.reduce(0, +)
    /// ```
    public internal(set) var newerCount = 0

    /// The last id of an upgrade so far, where another call can resume; `nil` at the beginning, and for other work.
    public internal(set) var lastID: String?

    mutating func addFailure(of id: String, _ error: any Error, effect: StoredEffect? = nil) {
        failureCount += 1
        if failures.count < 1_000 { failures.append((id, effect, error)) }
    }

    mutating func add(_ other: WorkReport) {
        count += other.count
        failureCount += other.failureCount
        failures += other.failures.prefix(max(0, 1_000 - failures.count))
        newerCount = max(newerCount, other.newerCount)
    }
}
