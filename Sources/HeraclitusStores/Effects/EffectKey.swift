import Heraclitus

/// What identifies an effect for good, whoever carries it out and however often: its idempotency key.
///
/// Pass it on to those who carry the effect out, for example as the `Idempotency-Key` of a request or as a unique column, so that they
/// recognise what they have done already. No two effects of a store ever have the same key, also not when an id is deleted and used again.
public struct EffectKey: Sendable, Hashable, Codable {
    /// The id of the machine.
    public let id: String

    /// The store's revision of the machine that was saved together with the effect.
    public let revision: Int

    /// The place among the effects of that revision, from 0.
    public let index: Int

    /// Makes a key.
    /// - Parameters:
    ///   - id: The id of the machine.
    ///   - revision: The store's revision.
    ///   - index: The place among the effects of that revision.
    public init(id: String, revision: Int, index: Int) { (self.id, self.revision, self.index) = (id, revision, index) }
}

extension EffectKey {
    /// Whether two keys identify one effect; ids are compared by their UTF-8, as stores compare them.
    /// - Parameters:
    ///   - left: A key.
    ///   - right: Another key.
    /// - Returns: Whether they do.
    public static func == (left: EffectKey, right: EffectKey) -> Bool {
        (ExactID(left.id), left.revision, left.index) == (ExactID(right.id), right.revision, right.index)
    }

    /// Hashes the parts of the key, of the id its UTF-8.
    /// - Parameter hasher: The hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ExactID(id))
        hasher.combine(revision)
        hasher.combine(index)
    }
}

extension EffectKey: CustomStringConvertible {
    /// The parts with slashes between them: `42/7/0`.
    public var description: String { "\(id)/\(revision)/\(index)" }
}
