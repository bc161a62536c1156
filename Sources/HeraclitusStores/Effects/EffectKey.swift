import Heraclitus

/// What identifies an effect for good, whoever carries it out and however often: its idempotency key.
///
/// Pass it on to those who carry the effect out, for example as the `Idempotency-Key` of a request or as a unique column, so that they
/// recognise what they have done already. No two effects of a store ever have the same key, also not when an id is deleted and used again.
public struct EffectKey: Sendable, Hashable, Codable {
    /// The id of the machine.
    public let id: String

    /// A number that the effects of a machine share, drawn at random when the first of them was saved.
    public let series: Int

    /// The place in the series, from 0.
    public let index: Int

    /// Makes a key.
    /// - Parameters:
    ///   - id: The id of the machine.
    ///   - series: The number that the effects of a machine share.
    ///   - index: The place in the series.
    public init(id: String, series: Int, index: Int) { (self.id, self.series, self.index) = (id, series, index) }
}

extension EffectKey {
    /// Whether two keys identify one effect; ids are compared by their UTF-8, as stores compare them.
    /// - Parameters:
    ///   - left: A key.
    ///   - right: Another key.
    /// - Returns: Whether they do.
    public static func == (left: EffectKey, right: EffectKey) -> Bool {
        (ExactID(left.id), left.series, left.index) == (ExactID(right.id), right.series, right.index)
    }

    /// Hashes the parts of the key, of the id its UTF-8.
    /// - Parameter hasher: The hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ExactID(id))
        hasher.combine(series)
        hasher.combine(index)
    }
}

extension EffectKey: CustomStringConvertible {
    /// The parts with slashes between them: `42/8812603577123/0`.
    public var description: String { "\(id)/\(series)/\(index)" }
}
