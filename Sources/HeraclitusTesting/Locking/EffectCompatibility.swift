import Foundation
import Heraclitus
import HeraclitusStores

extension Compatibility {
    /// The effects that the current version cannot read after their migration, or would lose a part of.
    func effectBreaks() -> [IncompatibleArchives.Break] {
        lock.effects.sorted { $0.key < $1.key }.compactMap { name, samples in broken(samples, name) }
    }

    private func broken(_ samples: [JSONValue], _ name: String) -> IncompatibleArchives.Break? {
        let effects: [RawEffect]
        do {
            effects = try samples.map {
                try W.knownEffects.migrated(RawEffect(name: name, data: $0), from: lock.version)
            }
        } catch {
            return made(nil, "A step fails at an effect \(name.debugDescription): \(error)", "// Correct the step.")
        }
        guard let name = effects.first?.name else { return nil }
        let shownName = name.debugDescription
        guard let type = W.knownEffects.type(named: name) else {
            return made(
                nil,
                "The effect \(shownName) is gone. Stored ones would wait for ever.",
                step(".effect(\(shownName), becomes: …, in: \(next())),")
            )
        }
        let found = effects.flatMap { problems($0, as: type) }
        if found.isEmpty { return nil }
        let head = ".effect(\(shownName), in: \(next())) { data in"
        return made(
            nil,
            found.map(\.explanation).once.joined(separator: " "),
            // One step has the code for all problems, because steps for one effect to one version have the same name.
            step(Self.closure(head, found.map(\.code).once.flatMap(\.self)))
        )
    }

    /// The problems of an effect, each with the lines of a step that mend it.
    private func problems<E: Effect>(_ effect: RawEffect, as type: E.Type) -> [(explanation: String, code: [String])] {
        let name = effect.name.debugDescription
        func lines(setting path: String, to value: String) -> [String] {
            DataPath(path, in: "data").map { $0.change(["\($0.place) = \(value)"]) } ?? ["// convert \(path)"]
        }
        func readAgain() throws -> JSONValue {
            try JSONValue(encoding: effect.data.decoded(as: E.self), at: [])
        }
        do {
            let (after, again) = (try readAgain(), try readAgain())
            let lost = JSONShape(of: [effect.data]).paths(missingIn: JSONShape(of: [after])).filter(isCompared)
            let changes = effect.data.changes(whenRead: after, and: again).filter { isCompared($0.path) }
            return lost.map {
                ("\"\($0)\" of the effect \(name) is stored and no longer read.", lines(setting: $0, to: "nil"))
            }
                + changes.map { path, explanation in
                    ("\(DataPath.subject(path)) of the effect \(name) \(explanation).", lines(setting: path, to: "…"))
                }
        } catch {
            // A type's own coding may throw any error.
            let explanation = ArchiveError.explanation(of: error)
            return [
                ("The data of the effect \(name) cannot be read and written: \(explanation)", ["// convert the data"])
            ]
        }
    }
}
