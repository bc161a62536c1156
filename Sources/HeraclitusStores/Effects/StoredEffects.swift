import Heraclitus
import HeraclitusEssentials

// Lists and changes stored effects.

extension StoredWorkflow {
    /// Lists all waiting effects, including parked ones.
    ///
    /// ```swift
    /// for effect in try await orders.effects() where effect.isParked {
    ///     print(effect.key, effect.name, effect.error ?? "")
    /// }
    /// ```
    /// - Returns: The effects; those of one machine in order.
    /// - Throws: Errors of the store's medium; ``StoreError/damaged(id:explanation:)``.
    public func effects() async throws -> [StoredEffect] {
        var query = ArchiveQuery()
        query.workflows = workflowNames
        query.queue = .effects(by: .distantFuture, names: nil)
        var effects: [StoredEffect] = []
        for id in try await store.ids(query) {
            guard let waiting = try await store.load(id)?.effects else { continue }
            effects += try Outbox(waiting, of: id).effects
        }
        return effects
    }

    /// Resumes a parked or failed effect as if it had never failed.
    /// - Parameter key: The key of the effect.
    /// - Returns: Whether the effect was found.
    /// - Throws: Errors of the store's medium; ``StoreError/tooManyConflicts(id:attempts:)``.
    @discardableResult
    public func retry(_ key: EffectKey) async throws -> Bool { try await change(key) { $0.retry($1) } }

    /// Removes an effect before it is carried out.
    /// - Parameter key: The key of the effect.
    /// - Returns: Whether the effect was found.
    /// - Throws: Errors of the store's medium; ``StoreError/tooManyConflicts(id:attempts:)``.
    @discardableResult
    public func discard(_ key: EffectKey) async throws -> Bool { try await change(key) { $0.remove($1) } }

    private func change(_ key: EffectKey, _ body: (inout Outbox, Int) -> Void) async throws -> Bool {
        var wasThere = false
        _ = try await store.changeEffects(of: key.id) { outbox in
            let index = outbox.index(of: key)
            wasThere = index != nil
            if let index { body(&outbox, index) }
            return wasThere
        }
        if wasThere { store.bell?.ring() }
        return wasThere
    }
}
