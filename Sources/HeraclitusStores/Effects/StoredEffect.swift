public import Heraclitus

/// A stored effect that waits to be carried out.
public struct StoredEffect: Sendable, Hashable {
    /// The key of the effect.
    public let key: EffectKey

    /// The name of the effect's type.
    public let name: String

    /// The data of the effect.
    public let data: JSONValue

    /// The version of the workflow that saved the effect; `nil` if an earlier release saved it without a version.
    package let version: Int?

    /// The number of failed attempts.
    public let attempts: Int

    /// The text of the last error; `nil` before the first failure.
    public let error: String?

    /// Whether the effect was set aside after too many attempts, or because its data is unreadable.
    ///
    /// ``StoredWorkflow/retry(_:)`` resumes it, ``StoredWorkflow/discard(_:)`` removes it.
    public let isParked: Bool

    /// Makes the effect itself.
    /// - Parameter known: The effects of the workflow.
    /// - Returns: The effect.
    /// - Throws: `ArchiveError.unknownEffect(_:known:)`, also for an effect of a newer version;
    ///   `ArchiveError.brokenEffect(_:underlyingError:)`, also if a migration fails.
    package func effect(of known: KnownEffects) throws(ArchiveError) -> any Effect {
        let effect: RawEffect
        // A newer release may have changed the data, so this release leaves the effect to it.
        if let version, version > known.version { throw unknown(to: known) }
        do {
            effect = try known.migrated(RawEffect(name: name, data: data), from: version ?? known.version)
        } catch {
            throw .brokenEffect(name, underlyingError: error)
        }
        guard let type = known.type(named: effect.name) else { throw unknown(to: known) }
        do { return try effect.data.decoded(as: type) } catch { throw .brokenEffect(name, underlyingError: error) }
    }

    /// The error for a workflow that lacks the effect's type, or its version.
    func unknown(to known: KnownEffects) -> ArchiveError { .unknownEffect(name, known: known.types.map { $0.name }) }
}
