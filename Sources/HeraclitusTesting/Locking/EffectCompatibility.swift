import Foundation
import Heraclitus

/// What has become unreadable, or would be lost, of the effects that one version has stored: they have no migrations.
struct EffectCompatibility<W: Workflow> {
    private let lock: ArchiveLock
    private let except: Set<String>

    init(_ lock: ArchiveLock, except: Set<String>) { (self.lock, self.except) = (lock, except) }

    func breaks() throws -> [IncompatibleArchives.Break] {
        try (lock.effects ?? [:]).sorted { $0.key < $1.key }.flatMap { name, samples in
            guard let type = W.effect(named: name) else {
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
        let remedy = "// `\(E.self).init(from:)` has to read what is stored: effects have no migrations."
        func readAgain() throws -> JSONValue {
            try JSONValue(encoding: sample.decoded(as: E.self), at: [])
        }
        do {
            let (after, again) = (try readAgain(), try readAgain())
            let lost = JSONShape(of: [sample]).paths(missingIn: JSONShape(of: [after])).map { path in
                (path: path, explanation: "is stored and no longer read")
            }
            return (lost + DataComparison(sample, after, again).changes).filter { !except.contains($0.path) }.map {
                made("\"\($0.path)\" of the effect \(name.debugDescription) \($0.explanation).", remedy)
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
