import Foundation
import Heraclitus

/// What has become unreadable, or would be lost, of the effects that one version has stored: they have no migrations.
struct EffectCompatibility<W: Workflow> {
    private let lock: ArchiveLock

    init(_ lock: ArchiveLock) { self.lock = lock }

    func breaks() throws -> [IncompatibleArchives.Break] {
        try (lock.effects ?? [:]).sorted { $0.key < $1.key }.flatMap { name, samples in
            guard let type = W.effects.first(where: { $0.name == name }) else {
                return [
                    made(
                        "The effect \(name.debugDescription) is gone. Those that are stored would be parked.",
                        "static var name: String { \(name.debugDescription) }  // of the type that has taken its place in `effects`"
                    )
                ]
            }
            return try samples.flatMap { try breaks($0, name, as: type) }
        }
    }

    private func breaks<E: Effect>(
        _ sample: JSONValue,
        _ name: String,
        as type: E.Type
    ) throws -> [IncompatibleArchives.Break] {
        let (decoder, encoder) = (JSONDecoder(), JSONEncoder())
        (decoder.dateDecodingStrategy, encoder.dateEncodingStrategy) = (.archived, .archived)
        let remedy = "// `\(E.self).init(from:)` has to read what is stored: effects have no migrations."
        do {
            let effect = try decoder.decode(E.self, from: JSONEncoder().encode(sample))
            let again = try JSONValue(json: encoder.encode(effect))
            return JSONShape(of: [sample]).paths(missingIn: JSONShape(of: [again])).map { path in
                made("\"\(path)\" of the effect \(name.debugDescription) is stored and no longer read.", remedy)
            }
        } catch let error as DecodingError {
            let error = ArchiveError.brokenEffect(name, underlyingError: error)
            return [made("\(error)", remedy)]
        }
    }

    private func made(_ explanation: String, _ remedy: String) -> IncompatibleArchives.Break {
        IncompatibleArchives.Break(version: lock.version, state: nil, explanation: explanation, remedy: remedy)
    }
}
