import Heraclitus

/// The idempotency key of an effect: it identifies the effect for good, in every attempt.
///
/// Pass the key to the service that carries out the effect, for example as the `Idempotency-Key` of a request or as a
/// unique column. The service recognises repeated effects by it. Each effect of a store has its own key, even after an
/// id is deleted and used again.
public struct EffectKey: Sendable, Hashable, Codable {
    /// The id of the machine.
    public let id: String

    /// A number that the effects of a machine share, drawn at random at the first save of effects.
    public let series: Int

    /// The place in the series, from 0.
    public let index: Int

    /// Makes a key.
    /// - Parameters:
    ///   - id: The id of the machine.
    ///   - series: The number that the effects of a machine share.
    ///   - index: The place in the series.
    package init(id: String, series: Int, index: Int) { (self.id, self.series, self.index) = (id, series, index) }
}

extension EffectKey {
    /// Whether two keys identify the same effect.
    ///
    /// Ids are compared by their UTF-8, as in stores.
    /// - Parameters:
    ///   - left: A key.
    ///   - right: Another key.
    /// - Returns: Whether the keys are equal.
    public static func == (left: EffectKey, right: EffectKey) -> Bool {
        (ExactID(left.id), left.series, left.index) == (ExactID(right.id), right.series, right.index)
    }

    /// Hashes the parts of the key; the id by its UTF-8.
    /// - Parameter hasher: The hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ExactID(id))
        hasher.combine(series)
        hasher.combine(index)
    }
}

extension EffectKey: CustomStringConvertible {
    /// The parts, separated by slashes: `42/8812603577123/0`.
    public var description: String { "\(id)/\(series)/\(index)" }
}
