import Foundation
import Heraclitus
import HeraclitusStores

extension Compatibility {
    /// The effects that the current version cannot read after their migration, or would lose a part of.
    func effectBreaks() -> [Break] { lock.effects.sorted { $0.key < $1.key }.compactMap { broken($1, $0) } }

    private func broken(_ samples: [JSONValue], _ name: String) -> Break? {
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
            let explanation = "The effect \(shownName) is gone. Stored ones would wait for ever."
            return made(nil, explanation, step(".effect(\(shownName), becomes: …, in: \(next())),"))
        }
        let found = effects.flatMap { problems($0, as: type) }
        if found.isEmpty { return nil }
        let head = ".effect(\(shownName), in: \(next())) { data in"
        // One step has the code for all problems, because steps for one effect to one version have the same name.
        let code = Self.closure(head, found.map(\.code).once.flatMap(\.self))
        return made(nil, found.map(\.explanation).once.joined(separator: " "), step(code))
    }

    /// The problems of an effect, each with the lines of a step that mend it.
    private func problems<E: Effect>(_ effect: RawEffect, as type: E.Type) -> [(explanation: String, code: [String])] {
        let name = effect.name.debugDescription
        func problem(at path: String, _ change: String, to value: String) -> (explanation: String, code: [String]) {
            let explanation = "\(DataPath.subject(path)) of the effect \(name) \(change)."
            return (explanation, DataPath.lines(setting: path, to: value, in: "data"))
        }
        func readAgain() throws -> JSONValue { try JSONValue(encoding: effect.data.decoded(as: E.self), at: []) }
        do {
            let (after, again) = (try readAgain(), try readAgain())
            let lost = JSONShape(of: [effect.data]).paths(missingIn: JSONShape(of: [after])).filter(isCompared)
            let changes = effect.data.changes(whenRead: after, and: again).filter { isCompared($0.path) }
            return lost.map { problem(at: $0, "is stored and no longer read", to: "nil") }
                + changes.map { problem(at: $0.path, $0.explanation, to: "…") }
        } catch {
            // A type's own coding may throw any error.
            let cause = ArchiveError.explanation(of: error)
            let explanation = "The data of the effect \(name) cannot be read and written: \(cause)"
            return [(explanation, ["// convert the data"])]
        }
    }
}
