import Heraclitus

/// The idempotency key of an effect: it identifies the effect for good, in every attempt.
///
/// Pass the key to the service that carries out the effect, for example as the `Idempotency-Key` of a request or as a
/// unique column. The service recognises repeated effects by it. Each effect of a store has its own key, even after an
/// id is deleted and used again.
public struct EffectKey: Sendable, Hashable, Codable {
    private let exactID: ExactID

    /// The id of the machine, compared by its UTF-8, as in stores.
    public var id: String { exactID.text }

    /// A number that the effects of a machine share, drawn at random at the first save of effects.
    package let series: Int

    /// The place in the series, from 0.
    package let index: Int

    /// Makes a key.
    /// - Parameters:
    ///   - id: The id of the machine.
    ///   - series: The number that the effects of a machine share.
    ///   - index: The place in the series.
    package init(id: String, series: Int, index: Int) {
        (exactID, self.series, self.index) = (ExactID(id), series, index)
    }

    private enum CodingKeys: String, CodingKey {
        case exactID = "id"
        case series, index
    }
}

extension EffectKey: CustomStringConvertible {
    /// The parts, separated by slashes: `42/8812603577123/0`.
    public var description: String { "\(id)/\(series)/\(index)" }
}
