import Foundation
import Heraclitus
import HeraclitusStores

extension Compatibility {
    /// The migrated effects that the current version cannot read, or would lose a part of.
    func effectBreaks() throws -> [IncompatibleArchives.Break] {
        try (lock.effects ?? [:]).sorted { $0.key < $1.key }.flatMap { name, samples in
            try samples.flatMap { try breaks($0, name) }
        }
    }

    private func breaks(_ sample: JSONValue, _ name: String) throws -> [IncompatibleArchives.Break] {
        let effect: RawEffect
        do { effect = try W.knownEffects.migrated(RawEffect(name: name, data: sample), from: lock.version) } catch {
            return [made(nil, "A step fails at an effect \(name.debugDescription): \(error)", "// Correct the step.")]
        }
        guard let type = W.knownEffects.type(named: effect.name) else {
            return [
                made(
                    nil,
                    "The effect \(effect.name.debugDescription) is gone. Stored ones would wait for ever.",
                    step(".renameEffect(\(effect.name.debugDescription), to: …, in: \(next())),")
                )
            ]
        }
        return try breaks(effect, as: type)
    }

    private func breaks<E: Effect>(_ effect: RawEffect, as type: E.Type) throws -> [IncompatibleArchives.Break] {
        let name = effect.name.debugDescription
        func remedy(_ line: String) -> String {
            step(".effect(\(name), in: \(next())) { data in\n    \(line)\n},")
        }
        func readAgain() throws -> JSONValue {
            try JSONValue(encoding: effect.data.decoded(as: E.self), at: [])
        }
        do {
            let (after, again) = (try readAgain(), try readAgain())
            let lost = JSONShape(of: [effect.data]).paths(missingIn: JSONShape(of: [after])).filter(isCompared).map {
                made(
                    nil,
                    "\"\($0)\" of the effect \(name) is stored and no longer read.",
                    remedy("data[\($0.debugDescription)] = nil")
                )
            }
            let changed = DataComparison(effect.data, after, again).changes.filter { isCompared($0.path) }.map {
                made(
                    nil,
                    "\"\($0.path)\" of the effect \(name) \($0.explanation).",
                    remedy("data[\($0.path.debugDescription)] = …")
                )
            }
            return lost + changed
        } catch let error as DecodingError {
            let error = ArchiveError.brokenEffect(effect.name, underlyingError: error)
            return [made(nil, "\(error)", remedy("// convert the data"))]
        }
    }
}
