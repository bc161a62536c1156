import Heraclitus
public import HeraclitusEssentials

extension ArchiveStore {
    /// A store that seals archives in this one, for example by encryption.
    ///
    /// ```swift
    /// let store = try Archive.directory(at: folder).sealed(
    ///     seal: { try AES.GCM.seal($0, using: key).combined ?? Data() },
    ///     open: { try AES.GCM.open(AES.GCM.SealedBox(combined: $0), using: key) },
    ///     sealValue: { value in .text(…) }
    /// )
    /// ```
    ///
    /// The archive, the handled messages and the content of effects are sealed. Ids, revisions, dates, versions, and the
    /// names of workflows, states and next effects stay readable, because the store finds machines by them.
    ///
    /// The values of ``Findable`` states and their names stay readable, too, unless you map the values, for example to
    /// an authentication code. Equal values must map to equal values. ``StoredCondition/equal(_:_:)`` then finds
    /// machines. Other comparisons compare the mapped values.
    ///
    /// A change of effects loads the row first, because sealing the same bytes again may give other bytes.
    ///
    /// Sealed bytes have any form, so `Archive.lines`, ``journaled(in:)`` and other readers of archives cannot read
    /// them. Unsealed rows cannot be opened: seal a store from the beginning, or copy the rows of another store.
    ///
    /// Loading throws ``StoreError/damaged(id:explanation:)`` for an archive that cannot be opened. A claim leaves such
    /// archives out, and they stay claimed. If no archive of sixteen claims can be opened, as with a wrong key, the
    /// claim throws.
    /// - Parameters:
    ///   - seal: Seals bytes. The result may differ each time.
    ///   - open: Opens sealed bytes, or throws.
    ///   - sealValue: Maps a value by which machines are found, always to the same result; `nil` to keep values
    ///     readable.
    /// - Returns: The store.
    public func sealed(
        seal: @escaping @Sendable (_ bytes: Data) throws -> Data,
        open: @escaping @Sendable (_ sealed: Data) throws -> Data,
        sealValue: (@Sendable (_ value: StoredValue) throws -> StoredValue)? = nil
    ) -> some ArchiveStore {
        SealedStore(base: self, seal: seal, open: open, sealValue: sealValue)
    }
}

private struct SealedStore<Base: ArchiveStore>: ArchiveStore {
    let base: Base
    let seal: @Sendable (Data) throws -> Data
    let open: @Sendable (Data) throws -> Data
    let sealValue: (@Sendable (StoredValue) throws -> StoredValue)?

    func load(_ id: String) async throws -> StoredArchive? { try await base.load(id).map(opened) }

    func load(_ ids: [String]) async throws -> [StoredArchive] { try await base.load(ids).map(opened) }

    func save(_ changes: [StoreChange]) async throws -> [Int] {
        var sealed: [StoreChange] = []
        for change in changes { sealed.append(try await self.sealed(change)) }
        return try await base.save(sealed)
    }

    func ids(_ query: ArchiveQuery) async throws -> [String] { try await base.ids(sealed(query)) }

    func counts(_ query: ArchiveQuery) async throws -> [String: Int] { try await base.counts(sealed(query)) }

    func claim(_ claim: StoreClaim) async throws -> [StoredArchive] {
        var rest = claim
        var readable: [StoredArchive] = []
        var tried: Set<ExactID> = []
        var failure: (any Error)?
        // A batch may be unreadable as a whole. With a wrong key all of them are, so the number is limited.
        for _ in 0..<16 where rest.query.limit > 0 {
            let claimed: [StoredArchive]
            do { claimed = try await base.claim(rest) } catch {
                // Throwing would leave the machines claimed. A lasting error is thrown by the next claim.
                if readable.isEmpty { throw error }
                break
            }
            let new = claimed.filter { tried.insert(ExactID($0.id)).inserted }
            for row in new {
                do { readable.append(try opened(row)) } catch { failure = failure ?? error }
            }
            // A short batch is the last one, so that the places of unreadable archives are filled.
            if claimed.count < rest.query.limit || new.isEmpty { break }
            rest.query.limit = claim.query.limit - readable.count
        }
        if readable.isEmpty, let failure { throw failure }
        return readable
    }

    func nextDate(_ query: ArchiveQuery, after date: Date) async throws -> Date? {
        try await base.nextDate(sealed(query), after: date)
    }

    var bell: StoreBell? { base.bell }

    var executor: (any TaskExecutor)? { base.executor }

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
        switch change {
        case .save(let row, let effects):
            var sealed = row
            sealed.archive = try seal(SealedContent(values: row.values, archive: row.archive).bytes)
            // A query clamps its mapped values, too.
            if let sealValue { sealed.values = try row.values.mapValues { try sealValue($0).clamped } }
            sealed.handled = try row.handled.map(seal)
            guard let effects else { return .save(sealed) }
            return .save(sealed, effects: try await self.sealed(effects, of: row.id))
        case .effects(let id, let effects): return .effects(of: id, try await sealed(effects, of: id))
        case .delete: return change
        }
    }

    private func sealed(
        _ change: (old: WaitingEffects?, new: WaitingEffects?),
        of id: String
    ) async throws -> (old: WaitingEffects?, new: WaitingEffects?) {
        let new = try change.new.map { try converted($0, seal) }
        guard let old = change.old else { return (nil, new) }
        // Sealing the old effects again would give other bytes.
        guard let stored = try await base.load(id)?.effects, try converted(stored, open) == old else {
            throw StoreError.effectsChanged(id: id)
        }
        return (stored, new)
    }

    private func sealed(_ query: ArchiveQuery) throws -> ArchiveQuery {
        guard let sealValue else { return query }
        var sealed = query
        sealed.values = try query.values.map { try $0.mapValue(sealValue) }
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
        values = try ArchiveDecoder(text: line).decode([String: CodedValue].self).mapValues(\.value)
        archive = Data(bytes.dropFirst(line.count + 1))
    }

    var bytes: Data {
        get throws { try ArchiveEncoder.data(of: values.mapValues { CodedValue($0) }) + [Self.lineBreak] + archive }
    }
}
