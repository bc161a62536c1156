public import Heraclitus

/// An effect as a store has it, before it was carried out.
public struct StoredEffect: Sendable, Hashable {
    /// Its key.
    public let key: EffectKey

    /// The name of its type.
    public let name: String

    /// Its data.
    public let data: JSONValue

    /// The version of the workflow that has saved it; `nil` if an earlier release did not keep it.
    public let version: Int?

    /// How often its handler has failed.
    public let attempts: Int

    /// What the last error said; `nil` if there was none.
    public let error: String?

    /// Whether it was set aside after too many attempts, or because its data cannot be read.
    ///
    /// ``StoredWorkflow/retry(_:)`` brings it back, ``StoredWorkflow/discard(_:)`` removes it.
    public let isParked: Bool

    /// Makes the effect itself.
    /// - Parameter workflow: The workflow in the store, which knows the types of its effects.
    /// - Returns: The effect.
    /// - Throws: `ArchiveError.unknownEffect(_:known:)`; `ArchiveError.brokenEffect(_:underlyingError:)`, also if a migration fails.
    public func effect<W: Workflow>(of workflow: StoredWorkflow<W>) throws(ArchiveError) -> any Effect {
        try effect(of: workflow.knownEffects)
    }

    func effect(of known: KnownEffects) throws(ArchiveError) -> any Effect {
        let effect: RawEffect
        do {
            effect = try known.migrated(RawEffect(name: name, data: data), from: version ?? known.version)
        } catch {
            throw .brokenEffect(name, underlyingError: error)
        }
        guard let type = known.type(named: effect.name) else { throw unknown(to: known) }
        do { return try effect.data.decoded(as: type) } catch { throw .brokenEffect(name, underlyingError: error) }
    }

    /// Why a workflow that does not know its type cannot read it.
    func unknown(to known: KnownEffects) -> ArchiveError { .unknownEffect(name, known: known.types.map { $0.name }) }
}
