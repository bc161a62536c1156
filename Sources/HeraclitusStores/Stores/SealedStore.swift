import Heraclitus
public import HeraclitusEssentials

/// A store that seals what it keeps in another one: with encryption, for example.
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
/// The archive, the handled messages and the content of effects are sealed. Ids, revisions, the names of workflows, states and the next effect,
/// dates and versions stay readable: by these the store finds machines.
///
/// The values by which a machine is found (``Findable``) and their names stay readable as well, unless you map the values: to an authentication code,
/// for example. Equal values must be mapped to equal ones. Then ``StoredCondition/Comparison/equal`` finds machines, and other comparisons compare
/// what the values are mapped to.
///
/// A change of effects loads the row first, because the same bytes may be sealed differently each time.
///
/// The sealed bytes may be any: ``Archive`` and other readers of archives do not read them. Rows that are not sealed cannot be opened, so seal a
/// store from the beginning, or copy the rows of another one.
public struct SealedStore<Base: ArchiveStore>: ArchiveStore {
    private let base: Base
    private let seal: @Sendable (Data) throws -> Data
    private let open: @Sendable (Data) throws -> Data
    private let sealValue: (@Sendable (StoredValue) throws -> StoredValue)?

    /// Makes a store of another one.
    /// - Parameters:
    ///   - base: Where the sealed archives are.
    ///   - seal: Seals bytes; it may return others each time.
    ///   - open: Returns the bytes that were sealed, or throws.
    ///   - sealValue: Maps a value by which a machine is found, always alike; `nil` to keep values readable.
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

    /// Loads and opens the archive that is stored for an id.
    /// - Parameter id: Any text.
    /// - Returns: The archive; `nil` if nothing is stored.
    /// - Throws: Errors of the store; ``StoreError/damaged(id:explanation:)`` if the archive cannot be opened.
    public func load(_ id: String) async throws -> StoredArchive? { try await base.load(id).map(opened) }

    /// Loads and opens several archives.
    /// - Parameter ids: The ids.
    /// - Returns: The archives that are stored for them, in the order of the ids.
    /// - Throws: Errors of the store; ``StoreError/damaged(id:explanation:)`` if an archive cannot be opened.
    public func load(_ ids: [String]) async throws -> [StoredArchive] { try await base.load(ids).map(opened) }

    /// Seals and saves changes.
    /// - Parameter changes: The changes, with an id each.
    /// - Returns: For each change the revision that is stored now.
    /// - Throws: Errors of the store, and of the closures that seal.
    @discardableResult
    public func save(_ changes: [StoreChange]) async throws -> [Int] {
        var sealed: [StoreChange] = []
        for change in changes { sealed.append(try await self.sealed(change)) }
        return try await base.save(sealed)
    }

    /// Finds machines.
    /// - Parameter query: Which machines.
    /// - Returns: The ids, in the order that stores promise.
    /// - Throws: Errors of the store, and of the closure that maps values.
    public func ids(_ query: ArchiveQuery) async throws -> [String] { try await base.ids(sealed(query)) }

    /// Counts machines by their states.
    /// - Parameter query: Which machines.
    /// - Returns: The number of machines in each state, by the name of the state.
    /// - Throws: Errors of the store, and of the closure that maps values.
    public func counts(_ query: ArchiveQuery) async throws -> [String: Int] { try await base.counts(sealed(query)) }

    /// Claims machines for a worker.
    /// - Parameter claim: Which machines, and until when.
    /// - Returns: The archives. One that cannot be opened is left out, and stays claimed.
    /// - Throws: Errors of the store.
    public func claim(_ claim: StoreClaim) async throws -> [StoredArchive] {
        try await base.claim(claim).compactMap { try? opened($0) }
    }

    /// When the next machine waits for a worker.
    /// - Parameters:
    ///   - query: Which machines, in a queue.
    ///   - date: After which date.
    /// - Returns: The date; `nil` if none waits after `date`.
    /// - Throws: Errors of the store, and of the closure that maps values.
    public func nextDate(_ query: ArchiveQuery, after date: Date) async throws -> Date? {
        try await base.nextDate(sealed(query), after: date)
    }

    /// The bell of the store.
    public var bell: StoreBell? { base.bell }

    /// The threads on which a unit of work runs: those of the store.
    public var executor: (any TaskExecutor)? { base.executor }

    // MARK: -

    private func opened(_ row: StoredArchive) throws -> StoredArchive {
        do {
            let content = try SealedContent(open(row.archive))
            var opened = row
            (opened.values, opened.archive) = (content.values, content.archive)
            opened.handled = try row.handled.map(open)
            opened.effects = try row.effects.map(self.opened)
            return opened
        } catch {
            throw StoreError.damaged(
                id: row.id,
                explanation: "It cannot be opened. \(ArchiveError.explanation(of: error))"
            )
        }
    }

    private func opened(_ effects: WaitingEffects) throws -> WaitingEffects {
        var opened = effects
        opened.content = try open(effects.content)
        return opened
    }

    private func sealed(_ effects: WaitingEffects) throws -> WaitingEffects {
        var sealed = effects
        sealed.content = try seal(effects.content)
        return sealed
    }

    private func sealed(_ change: StoreChange) async throws -> StoreChange {
        var effects: StoreChange.EffectsChange?
        if let changed = change.effects {
            let old = try await storedEffects(of: change)
            effects = .init(from: old, to: try changed.new.map(sealed))
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

    /// The sealed effects that a change replaces: who seals the same bytes again gets others.
    private func storedEffects(of change: StoreChange) async throws -> WaitingEffects? {
        guard let old = change.effects?.old else { return nil }
        guard let stored = try await base.load(change.id)?.effects, try opened(stored) == old else {
            throw StoreError.effectsChanged(id: change.id)
        }
        return stored
    }

    private func sealed(_ query: ArchiveQuery) throws -> ArchiveQuery {
        guard let sealValue else { return query }
        var sealed = query
        sealed.values = try query.values.map { StoredCondition($0.name, $0.comparison, try sealValue($0.value)) }
        return sealed
    }
}

/// What is sealed of an archive: a line with the values by which the machine is found, as they were before they were mapped, and the archive.
private struct SealedContent {
    private static let lineBreak = UInt8(ascii: "\n")

    let values: [String: StoredValue]
    let archive: Data

    init(values: [String: StoredValue], archive: Data) { (self.values, self.archive) = (values, archive) }

    init(_ bytes: Data) throws {
        let line = bytes.prefix { $0 != Self.lineBreak }
        values = try JSONValue(text: [UInt8](line)).decoded(as: [String: StoredValue].self)
        archive = Data(bytes.dropFirst(line.count + 1))
    }

    var bytes: Data {
        get throws { try Data(ArchiveEncoder.bytes(of: values)) + [Self.lineBreak] + archive }
    }
}
