import Foundation
import Heraclitus
import HeraclitusStores

extension Compatibility {
    /// The migrated effects that the current version cannot read, or would lose a part of.
    func effectBreaks() -> [IncompatibleArchives.Break] {
        (lock.effects ?? [:]).sorted { $0.key < $1.key }.flatMap { name, samples in
            samples.flatMap { breaks($0, name) }
        }
    }

    private func breaks(_ sample: JSONValue, _ name: String) -> [IncompatibleArchives.Break] {
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
        return breaks(effect, as: type)
    }

    private func breaks<E: Effect>(_ effect: RawEffect, as type: E.Type) -> [IncompatibleArchives.Break] {
        let name = effect.name.debugDescription
        func made(_ explanation: String, _ lines: [String]) -> IncompatibleArchives.Break {
            self.made(nil, explanation, step(Self.closure(".effect(\(name), in: \(next())) { data in", lines)))
        }
        func lines(setting path: String, to value: String) -> [String] {
            DataPath(path, in: "data").map { $0.change(["\($0.place) = \(value)"]) } ?? ["// convert \(path)"]
        }
        func readAgain() throws -> JSONValue {
            try JSONValue(encoding: effect.data.decoded(as: E.self), at: [])
        }
        do {
            let (after, again) = (try readAgain(), try readAgain())
            let lost = JSONShape(of: [effect.data]).paths(missingIn: JSONShape(of: [after])).filter(isCompared).map {
                made("\"\($0)\" of the effect \(name) is stored and no longer read.", lines(setting: $0, to: "nil"))
            }
            let changes = effect.data.changes(whenRead: after, and: again).filter { isCompared($0.path) }
            return lost
                + changes.map { path, explanation in
                    made("\"\(path)\" of the effect \(name) \(explanation).", lines(setting: path, to: "…"))
                }
        } catch {
            // A type's own coding may throw any error.
            let explanation = ArchiveError.explanation(of: error)
            return [
                made(
                    "The data of the effect \(name) cannot be read and written: \(explanation)",
                    ["// convert the data"]
                )
            ]
        }
    }
}
