import Heraclitus
public import HeraclitusEssentials

/// A store that seals archives in another store, for example by encryption.
///
/// ```swift
/// let store = SealedStore(
///     try DirectoryStore(at: folder),
///     seal: { try AES.GCM.seal($0, using: key).combined ?? Data() },
///     open: { try AES.GCM.open(AES.GCM.SealedBox(combined: $0), using: key) },
///     sealValue: { value in .text(…) }
/// )
/// ```
///
/// The archive, the handled messages and the content of effects are sealed. Ids, revisions, dates, versions, and the
/// names of workflows, states and next effects stay readable, because the store finds machines by them.
///
/// The values of ``Findable`` states and their names stay readable, too, unless you map the values, for example to an
/// authentication code. Equal values must map to equal values. ``StoredCondition/Comparison/equal`` then finds
/// machines. Other comparisons compare the mapped values.
///
/// A change of effects loads the row first, because sealing the same bytes again may give other bytes.
///
/// Sealed bytes have any form, so ``Archive`` and other readers of archives reject them. Unsealed rows cannot be
/// opened: seal a store from the beginning, or copy the rows of another store.
public struct SealedStore<Base: ArchiveStore>: ArchiveStore {
    private let base: Base
    private let seal: @Sendable (Data) throws -> Data
    private let open: @Sendable (Data) throws -> Data
    private let sealValue: (@Sendable (StoredValue) throws -> StoredValue)?

    /// Wraps a store.
    /// - Parameters:
    ///   - base: The store of the sealed archives.
    ///   - seal: Seals bytes. The result may differ each time.
    ///   - open: Opens sealed bytes, or throws.
    ///   - sealValue: Maps a value by which machines are found, always to the same result; `nil` to keep values
    ///     readable.
    public init(
        _ base: Base,
        seal: @escaping @Sendable (_ bytes: Data) throws -> Data,
        open: @escaping @Sendable (_ sealed: Data) throws -> Data,
        sealValue: (@Sendable (_ value: StoredValue) throws -> StoredValue)? = nil
    ) {
        self.base = base
        self.seal = seal
        self.open = open
        self.sealValue = sealValue
    }

    /// Loads and opens the archive of an id.
    /// - Parameter id: Any text.
    /// - Returns: The archive; `nil` if the id is unknown.
    /// - Throws: Errors of the store; ``StoreError/damaged(id:explanation:)`` if the archive cannot be opened.
    public func load(_ id: String) async throws -> StoredArchive? { try await base.load(id).map(opened) }

    /// Loads and opens several archives.
    /// - Parameter ids: The ids.
    /// - Returns: The stored archives, in the order of the ids.
    /// - Throws: Errors of the store; ``StoreError/damaged(id:explanation:)`` if an archive cannot be opened.
    public func load(_ ids: [String]) async throws -> [StoredArchive] { try await base.load(ids).map(opened) }

    /// Seals and saves changes.
    /// - Parameter changes: The changes, each with its own id.
    /// - Returns: The stored revision of each change.
    /// - Throws: Errors of the store, and of the closures that seal.
    @discardableResult
    public func save(_ changes: [StoreChange]) async throws -> [Int] {
        var sealed: [StoreChange] = []
        for change in changes { sealed.append(try await self.sealed(change)) }
        return try await base.save(sealed)
    }

    /// Finds machines.
    /// - Parameter query: The machines to find.
    /// - Returns: The ids, in the order that stores promise.
    /// - Throws: Errors of the store, and of the closure that maps values.
    public func ids(_ query: ArchiveQuery) async throws -> [String] { try await base.ids(sealed(query)) }

    /// Counts machines by state.
    /// - Parameter query: The machines to count.
    /// - Returns: The number of machines in each state, by the name of the state.
    /// - Throws: Errors of the store, and of the closure that maps values.
    public func counts(_ query: ArchiveQuery) async throws -> [String: Int] { try await base.counts(sealed(query)) }

    /// Claims machines for a worker.
    /// - Parameter claim: The machines, and the end of the claim.
    /// - Returns: The archives. Archives that cannot be opened are left out and stay claimed.
    /// - Throws: Errors of the store; ``StoreError/damaged(id:explanation:)`` if no claimed archive can be opened, as
    ///   with a wrong key.
    public func claim(_ claim: StoreClaim) async throws -> [StoredArchive] {
        var rest = claim
        var readable: [StoredArchive] = []
        var tried: Set<ExactID> = []
        while rest.limit > 0 {
            let claimed = try await base.claim(rest)
            let new = claimed.filter { tried.insert(ExactID($0.id)).inserted }
            readable += new.compactMap { try? opened($0) }
            if readable.isEmpty, let first = new.first { return [try opened(first)] }
            // A short batch is the last one, so that the places of unreadable archives are filled.
            if claimed.count < rest.limit || new.isEmpty { break }
            rest.limit = claim.limit - readable.count
        }
        return readable
    }

    /// The date at which the next machine waits for a worker.
    /// - Parameters:
    ///   - query: The machines, in a queue.
    ///   - date: The earliest date, excluded.
    /// - Returns: The date; `nil` if no machine waits after `date`.
    /// - Throws: Errors of the store, and of the closure that maps values.
    public func nextDate(_ query: ArchiveQuery, after date: Date) async throws -> Date? {
        try await base.nextDate(sealed(query), after: date)
    }

    /// The bell of the store.
    public var bell: StoreBell? { base.bell }

    /// The store's threads, which run units of work.
    public var executor: (any TaskExecutor)? { base.executor }

    // MARK: -

    private func opened(_ row: StoredArchive) throws -> StoredArchive {
        do {
            let content = try SealedContent(open(row.archive))
            var opened = row
            (opened.values, opened.archive) = (content.values, content.archive)
            opened.handled = try row.handled.map(open)
            opened.effects = try row.effects.map { try converted($0, open) }
            return opened
        } catch {
            throw StoreError.damaged(
                id: row.id,
                explanation: "It cannot be opened. \(ArchiveError.explanation(of: error))"
            )
        }
    }

    private func converted(_ effects: WaitingEffects, _ convert: (Data) throws -> Data) throws -> WaitingEffects {
        var converted = effects
        converted.content = try convert(effects.content)
        return converted
    }

    private func sealed(_ change: StoreChange) async throws -> StoreChange {
        var effects: StoreChange.EffectsChange?
        if let changed = change.effects {
            let old = try await storedEffects(of: change)
            effects = .init(from: old, to: try changed.new.map { try converted($0, seal) })
        }
        guard case .save(let row) = change.machine else {
            return StoreChange(id: change.id, machine: change.machine, effects: effects)
        }
        var sealed = row
        sealed.archive = try seal(SealedContent(values: row.values, archive: row.archive).bytes)
        sealed.values = try sealValue.map { try row.values.mapValues($0) } ?? row.values
        sealed.handled = try row.handled.map(seal)
        return .save(sealed, effects: effects)
    }

    /// The stored sealed effects that a change replaces.
    ///
    /// Sealing the old effects again would give other bytes.
    private func storedEffects(of change: StoreChange) async throws -> WaitingEffects? {
        guard let old = change.effects?.old else { return nil }
        guard let stored = try await base.load(change.id)?.effects, try converted(stored, open) == old else {
            throw StoreError.effectsChanged(id: change.id)
        }
        return stored
    }

    private func sealed(_ query: ArchiveQuery) throws -> ArchiveQuery {
        guard let sealValue else { return query }
        var sealed = query
        sealed.values = try query.values.map {
            StoredCondition(name: $0.name, comparison: $0.comparison, value: try sealValue($0.value))
        }
        return sealed
    }
}

/// The sealed content of an archive: a line with the unmapped values by which the machine is found, and the archive.
private struct SealedContent {
    private static let lineBreak = UInt8(ascii: "\n")

    let values: [String: StoredValue]
    let archive: Data

    init(values: [String: StoredValue], archive: Data) { (self.values, self.archive) = (values, archive) }

    init(_ bytes: Data) throws {
        let line = bytes.prefix { $0 != Self.lineBreak }
        values = try ArchiveDecoder(text: line).decode([String: StoredValue].self)
        archive = Data(bytes.dropFirst(line.count + 1))
    }

    var bytes: Data {
        get throws { try ArchiveEncoder.data(of: values) + [Self.lineBreak] + archive }
    }
}
