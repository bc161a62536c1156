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

    /// The version that a new step has to lead to.
    private var nextVersion: Int { lock.version < W.version ? W.version : lock.version + 1 }

    private func step(_ code: String) -> String {
        (nextVersion > W.version ? "static var version: Int { \(nextVersion) }  // in `migrations`:\n" : "") + code
    }

    private func breaks(_ sample: JSONValue, _ name: String) throws -> [IncompatibleArchives.Break] {
        let effect: RawEffect
        do { effect = try W.knownEffects.migrated(RawEffect(name: name, data: sample), from: lock.version) } catch {
            return [made("A step fails at an effect \(name.debugDescription): \(error)", "// Correct the step.")]
        }
        guard let type = W.knownEffects.type(named: effect.name) else {
            return [
                made(
                    "The effect \(effect.name.debugDescription) is gone. Stored ones would wait for ever.",
                    step(".renameEffect(\(effect.name.debugDescription), to: …, in: \(nextVersion)),")
                )
            ]
        }
        return try breaks(effect, as: type)
    }

    private func breaks<E: Effect>(_ effect: RawEffect, as type: E.Type) throws -> [IncompatibleArchives.Break] {
        let name = effect.name.debugDescription
        func remedy(_ line: String) -> String {
            step(".effect(\(name), in: \(nextVersion)) { data in\n    \(line)\n},")
        }
        func readAgain() throws -> JSONValue {
            try JSONValue(encoding: effect.data.decoded(as: E.self), at: [])
        }
        do {
            let (after, again) = (try readAgain(), try readAgain())
            let lost = JSONShape(of: [effect.data]).paths(missingIn: JSONShape(of: [after])).map { path in
                made(
                    "\"\(path)\" of the effect \(name) is stored and no longer read.",
                    remedy("data[\(path.debugDescription)] = nil")
                )
            }
            let changed = DataComparison(effect.data, after, again).changes.filter { !except.contains($0.path) }
            return lost.filter { found in !except.contains { found.explanation.hasPrefix("\"\($0)\" ") } }
                + changed.map {
                    made(
                        "\"\($0.path)\" of the effect \(name) \($0.explanation).",
                        remedy("data[\($0.path.debugDescription)] = …")
                    )
                }
        } catch let error as DecodingError {
            let error = ArchiveError.brokenEffect(effect.name, underlyingError: error)
            return [made("\(error)", remedy("// convert the data"))]
        }
    }

    private func made(_ explanation: String, _ remedy: String) -> IncompatibleArchives.Break {
        made(nil, explanation, remedy)
    }
}
