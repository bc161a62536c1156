import Heraclitus
public import HeraclitusEssentials

/// A query for machines of a store.
///
/// A property that is `nil` or empty matches every machine.
public struct ArchiveQuery: Sendable, Hashable {
    /// The names of the workflow.
    public var workflows: [String]?

    /// The newest workflow version to find.
    public var newestVersion: Int?

    /// The oldest workflow version to find.
    public var oldestVersion: Int?

    /// The names of the state.
    public var states: [String]?

    /// Conditions on the machine's values.
    ///
    /// Infinite numbers become the largest finite ones, as in the values of ``Findable`` states.
    public var values: [StoredCondition] = [] {
        didSet { values = values.map { $0.mapValue(\.clamped) } }
    }

    /// The date before which the machine entered its state.
    public var enteredBefore: Date?

    /// The date after which the machine entered its state.
    public var enteredAfter: Date?

    /// The kind of work that waits.
    public var queue: Queue?

    /// The id after which the listing begins.
    ///
    /// The id may be deleted.
    public var after: String?

    /// The maximum number of machines.
    public var limit = Int.max

    /// A kind of work that waits for a worker.
    public enum Queue: Sendable, Hashable {
        /// An event that is due by a date.
        case due(by: Date)

        /// An effect of one of these types that may be carried out by a date; `nil` for any type.
        ///
        /// With the distant future, the query also finds machines whose effects are all parked.
        case effects(by: Date, names: [String]?)

        /// The date of the queue.
        var date: Date {
            switch self {
            case .due(let date), .effects(let date, _): date
            }
        }
    }

    /// Makes a query for all machines.
    public init() {}

    /// Whether a machine matches, apart from ``after`` and ``limit``.
    /// - Parameter archive: The machine.
    /// - Returns: Whether the machine matches.
    public func includes(_ archive: StoredArchive) -> Bool {
        if let workflows, !workflows.contains(archive.workflow) { return false }
        if let newestVersion, let version = archive.version, version > newestVersion { return false }
        if let oldestVersion, (archive.version ?? 1) < oldestVersion { return false }
        if let states, !states.contains(archive.state) { return false }
        if let enteredBefore, archive.entered.map({ $0 < enteredBefore }) != true { return false }
        if let enteredAfter, archive.entered.map({ $0 > enteredAfter }) != true { return false }
        if queue != nil, date(of: archive) == nil { return false }
        return values.allSatisfy { $0.isMet(by: archive.values) }
    }

    /// When the machine has waited since; `nil` if nothing of it waits for a worker.
    func date(of archive: StoredArchive) -> Date? {
        switch queue {
        case nil: nil
        case .due(let date): archive.due.flatMap { $0 <= date ? $0 : nil }
        case .effects(let date, let names):
            archive.effects.flatMap { effects in
                guard effects.date <= date else { return nil }
                guard let names else { return effects.date }
                return effects.next.map(names.contains) == true ? effects.date : nil
            }
        }
    }

    /// Finds machines in a store without an index.
    /// - Parameter archives: All machines of the store, in any order.
    /// - Returns: The ids in the promised order: by UTF-8, or by the date since which the machine waits.
    public func ids(among archives: some Sequence<StoredArchive>) -> [String] {
        var found: [(date: Date, id: ExactID)] = []
        for archive in archives where includes(archive) {
            let id = ExactID(archive.id)
            if queue == nil, let after, id <= ExactID(after) { continue }
            found.append((date(of: archive) ?? .distantPast, id))
        }
        return found.sorted { ($0.date, $0.id) < ($1.date, $1.id) }.prefix(max(0, limit)).map(\.id.text)
    }
}
