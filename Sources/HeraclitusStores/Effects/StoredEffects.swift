public import Heraclitus
public import HeraclitusEssentials

// Which effects does a store have?

extension ArchiveStore {
    /// Finds the machines with effects that may be carried out by a date, those first that have waited longest.
    ///
    /// The default loads every archive of the workflow.
    /// - Parameters:
    ///   - date: By when; in the distant future also machines all of whose effects are parked.
    ///   - workflow: The name of the workflow; `nil` for any.
    ///   - limit: The maximum number of ids.
    /// - Returns: The ids.
    /// - Throws: What the store's medium throws.
    public func ids(withEffectsBy date: Date, of workflow: String?, limit: Int) async throws -> [String] {
        var found: [(due: Date, id: String)] = []
        for id in try await ids(of: workflow, in: nil) {
            do {
                if let due = try await load(id)?.effectsDue, due <= date { found.append((due, id)) }
            } catch StoreError.damaged {
                // Whoever loads it is told; here it would hide all others.
                continue
            } catch ArchiveError.tooLarge {
                // So that it is found by whoever delivers, who says so.
                found.append((.distantPast, id))
            }
        }
        return found.sorted { ($0.due, $0.id) < ($1.due, $1.id) }.prefix(max(0, limit)).map(\.id)
    }

    /// Changes and saves archives with effects that may be carried out, so that nobody else does the same with them.
    ///
    /// The default tries one after the other. A database that can lock rows and skip those that others have locked does it at once. Within a call of
    /// ``deliver(_:policy:scheduler:failed:_:)`` the default asks for ids again only when it has tried all that it has found.
    /// - Parameters:
    ///   - date: By when they may be carried out.
    ///   - workflow: The name of the workflow.
    ///   - limit: The maximum number of archives.
    ///   - change: Changes an archive; `nil` for one that is to stay as it is. It is called on any thread.
    /// - Returns: The archives that were changed, with their new revisions.
    /// - Throws: What the store's medium throws, and what `change` throws. When the default has claimed some already it returns those, and an
    ///   error that stays comes with the next call.
    public func claim(
        effectsBy date: Date,
        of workflow: String,
        limit: Int,
        _ change: @escaping @Sendable (_ archive: StoredArchive) throws -> StoredArchive?
    ) async throws -> [StoredArchive] {
        var claimed: [StoredArchive] = []
        // More of them and in any order, or all who look at the same time would try the same.
        let choice = min(max(0, limit), .max / 8) * 8
        let waiting = WaitingIDs.ofDelivery ?? WaitingIDs(atLeast: 0)
        var isListed = false
        while claimed.count < limit, !waiting.isFull {
            guard let id = waiting.next(among: choice, in: self) else {
                if isListed { break }
                isListed = true
                let most = max(choice, waiting.least)
                waiting.keep(try await ids(withEffectsBy: date, of: workflow, limit: most), in: self)
                continue
            }
            do {
                if let archive = try await claim(id, waiting, change) { claimed.append(archive) }
            } catch StoreError.conflict {
                waiting.noteConflict(of: id)
            } catch {
                // What was claimed would be lost until its lease ends; an error that stays comes again.
                if claimed.isEmpty { throw error }
                break
            }
        }
        return claimed
    }

    /// Changes and saves an archive; `nil` if it is to stay as it is.
    ///
    /// A damaged one and one that is too large for the store stay as well: here they would hold up all others.
    private func claim(
        _ id: String,
        _ waiting: WaitingIDs,
        _ change: (_ archive: StoredArchive) throws -> StoredArchive?
    ) async throws -> StoredArchive? {
        let found: StoredArchive?
        do { found = try await load(id) } catch StoreError.damaged { return nil } catch {
            waiting.note(try StoreError.damage(of: id, error), of: id)
            return nil
        }
        guard let found, let changed = try change(found) else { return nil }
        do { return changed.with(revision: try await save(changed)) } catch {
            waiting.note(try StoreError.damage(of: id, error), of: id)
            return nil
        }
    }

    /// Lists the effects that were saved and not carried out yet, also those that are parked.
    ///
    /// ```swift
    /// for effect in try await store.effects(of: Order.self) where effect.isParked {
    ///     print(effect.key, effect.name, effect.error ?? "")
    /// }
    /// ```
    /// - Parameters:
    ///   - workflow: The workflow.
    ///   - machines: The maximum number of machines whose effects are listed.
    /// - Returns: The effects, those of one machine in their order.
    /// - Throws: What the store's medium throws; ``StoreError/damaged(id:explanation:)``.
    public func effects<W: Workflow>(of workflow: W.Type, limit machines: Int = 10_000) async throws -> [StoredEffect] {
        var effects: [StoredEffect] = []
        let ids = try await each(of: W.storedNames) {
            try await self.ids(withEffectsBy: .distantFuture, of: $0, limit: machines)
        }
        for id in ids.prefix(max(0, machines)) {
            guard let outbox = try await load(id)?.outbox() else { continue }
            effects += outbox.effects.indices.map { outbox.effect($0, of: id) }
        }
        return effects
    }

    /// Brings an effect back that is parked, or waits after a failure, as if it had never failed.
    /// - Parameters:
    ///   - key: Its key.
    ///   - attempts: The number of attempts when others change the machine.
    /// - Returns: Whether it was there.
    /// - Throws: What the store's medium throws; ``StoreError/tooManyConflicts(id:attempts:)``.
    @discardableResult
    public func retry(_ key: EffectKey, attempts: Int = 1_000) async throws -> Bool {
        try await changeOutbox(of: key.id, attempts: attempts) { outbox in
            guard let index = outbox.index(of: key) else { return nil }
            (outbox.effects[index].parked, outbox.effects[index].attempts) = (nil, nil)
            // Whoever has the effects keeps them.
            // One behind another that waits waits as well.
            if outbox.worker == nil, outbox.head == index { outbox.date = .distantPast }
            return true
        } ?? false
    }

    /// Removes an effect, which then is not carried out any more.
    /// - Parameters:
    ///   - key: Its key.
    ///   - attempts: The number of attempts when others change the machine.
    /// - Returns: Whether it was there.
    /// - Throws: What the store's medium throws; ``StoreError/tooManyConflicts(id:attempts:)``.
    @discardableResult
    public func discard(_ key: EffectKey, attempts: Int = 1_000) async throws -> Bool {
        try await changeOutbox(of: key.id, attempts: attempts) { outbox in
            guard let index = outbox.index(of: key) else { return nil }
            outbox.remove(index)
            return true
        } ?? false
    }
}

extension StoreError {
    /// The damage of an archive that cannot be loaded or saved, also because it is over the limit of its store.
    /// - Throws: The error, if it is another one.
    static func damage(of id: String, _ error: any Error) throws -> StoreError {
        switch error {
        case let damage as StoreError:
            guard case .damaged = damage else { throw damage }
            return damage
        case ArchiveError.tooLarge: return .damaged(id: id, explanation: text(of: error))
        default: throw error
        }
    }
}
