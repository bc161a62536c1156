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
    /// - Parameter workflow: The workflow, which lists the types of its effects.
    /// - Returns: The effect.
    /// - Throws: `ArchiveError.unknownEffect(_:known:)`; `ArchiveError.brokenEffect(_:underlyingError:)`, also if a migration fails.
    public func effect<W: Workflow>(of workflow: W.Type) throws(ArchiveError) -> any Effect {
        let effect: RawEffect
        do {
            effect = try W.migrated(RawEffect(name: name, data: data), from: version ?? W.version)
        } catch {
            throw .brokenEffect(name, underlyingError: error)
        }
        guard let type = W.effect(named: effect.name) else { throw unknown(to: workflow) }
        do { return try effect.data.decoded(as: type) } catch { throw .brokenEffect(name, underlyingError: error) }
    }

    /// Why a workflow that does not list its type cannot read it.
    func unknown<W: Workflow>(to workflow: W.Type) -> ArchiveError {
        .unknownEffect(name, known: W.effects.map { $0.name })
    }
}
