import Foundation
import Heraclitus

/// What has become unreadable, or would be lost, of what one version has stored.
struct Compatibility<W: Workflow> {
    private let lock: ArchiveLock
    private let today: ArchiveLock
    private let initial: String

    init(_ lock: ArchiveLock, _ today: ArchiveLock, initial: String) {
        self.lock = lock
        self.today = today
        self.initial = initial
    }

    /// Each kind of break once.
    func breaks() throws -> [IncompatibleArchives.Break] {
        var seen: Set<IncompatibleArchives.Break> = []
        return try (lock.archives.flatMap(breaks) + lostEvents).filter { seen.insert($0).inserted }
    }

    /// The version that a step has to lead to.
    private var next: Int { lock.version < today.version ? today.version : today.version + 1 }

    private func made(_ state: String?, _ explanation: String, _ remedy: String) -> IncompatibleArchives.Break {
        IncompatibleArchives.Break(version: lock.version, state: state, explanation: explanation, remedy: remedy)
    }

    /// A step in the list of migrations, below the version that it needs.
    private func step(_ code: String) -> String {
        (next > today.version ? "static var version: Int { \(next) }  // in `migrations`:\n" : "") + code
    }

    private func breaks(_ archive: JSONValue) throws -> [IncompatibleArchives.Break] {
        let state = archive["state"]?.stringValue ?? ""
        let restored: JSONValue?
        do {
            restored = try JSONValue(json: W.archive(of: W.state(from: JSONEncoder().encode(archive))))["data"]
        } catch let error as ArchiveError {
            return [found(error, in: state, archive)]
        }
        guard lock.version == today.version, let before = archive["data"], let restored else { return [] }
        return JSONShape(of: [before]).paths(missingIn: JSONShape(of: [restored])).map { path in
            made(
                state,
                "\"\(path)\" is stored and no longer read: it would be lost.",
                step(
                    change("drop \(path)", of: state, DataPath(path).map { "\($0) = nil" } ?? "// drop \(path)")
                )
            )
        }
    }

    private var lostEvents: [IncompatibleArchives.Break] {
        guard lock.version == today.version else { return [] }
        return lock.events.filter { !today.events.contains($0) }.map { event in
            made(
                nil,
                "The event \"\(event)\" is gone. Archived events and occurrences name it.",
                "Event(\"\(event)\", …)  // whichever property has taken its place"
            )
        }
    }

    private func found(_ error: ArchiveError, in state: String, _ archive: JSONValue) -> IncompatibleArchives.Break {
        switch error {
        case .unknownState(let name, _, "state"): unknownState(name)
        case .wrongWorkflow(let old, let new, ""):
            made(nil, "The workflow is called \(new) now.", "static var name: String { \"\(old)\" }")
        case .newerVersion(let version, let supported, ""):
            made(nil, "The version is \(supported) now.", "static var version: Int { \(version) }  // or a later one")
        case .brokenState(let name, _, let error as DecodingError): broken(name, error, archive)
        default:
            made(
                state,
                "\(error)",
                "// A migration, of this workflow or of that of the machine at this place, has to do it."
            )
        }
    }

    private func unknownState(_ name: String) -> IncompatibleArchives.Break {
        let added = today.states.keys.filter { lock.states[$0] == nil }.sorted()
        let explanation = "The state \(name) is gone."
        guard let other = added.first(where: { today.states[$0] == lock.states[name] }) else {
            return made(
                name,
                explanation,
                step(".removeState(\"\(name)\", into: \"\(initial)\", in: \(next)) { data in … },")
            )
        }
        return made(
            name,
            "\(explanation) \(other) has the same keys.",
            step(".renameState(\"\(name)\", to: \"\(other)\", in: \(next)),")
        )
    }

    private func broken(_ state: String, _ error: DecodingError, _ archive: JSONValue) -> IncompatibleArchives.Break {
        switch error {
        case .keyNotFound(let key, let context):
            let path = self.path(context.codingPath + [key])
            let explanation = "\"\(path)\" is read, and was not stored."
            guard let place = DataPath(path) else { return made(state, explanation, step("// add \(path)")) }
            let type = today.states[state]?.types[path]
            let unread = lock.states[state].map { old in
                old.paths(missingIn: today.states[state] ?? JSONShape(of: [])).first { old.types[$0] == type }
            }
            if let other = unread ?? nil, let old = DataPath(other) {
                return made(
                    state,
                    "\(explanation) \"\(other)\" is stored, and no longer read.",
                    step(change("\(other) becomes \(path)", of: state, "\(place) = \(old)", "\(old) = nil"))
                )
            }
            return made(
                state,
                explanation,
                step(change("add \(path)", of: state, "\(place) = \(Self.value(of: type))"))
            )
        case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
            let path = self.path(context.codingPath)
            let before = lock.states[state]?.types[path]?.sorted().joined(separator: " or ") ?? "missing"
            let place = DataPath(path)?.description ?? "// \(path)"
            return made(
                state,
                "\"\(path)\" is \(before) in archives, and is read as \(type).",
                step(
                    change(
                        "convert \(path)",
                        of: state,
                        "\(place) = \(Self.value(of: today.states[state]?.types[path]))  // from the \(before) that it was"
                    )
                )
            )
        case .dataCorrupted(let context):
            let path = self.path(context.codingPath)
            let place = DataPath(path)?.description ?? "// \(path)"
            return made(
                state,
                "What \"\(path)\" is in archives cannot be read: \(context.debugDescription)",
                step(change("convert \(path)", of: state, "\(place) = …"))
            )
        @unknown default:
            return made(state, "\(error)", "// A migration has to do it.")
        }
    }

    /// A path of keys as shapes have it, below the state's data.
    private func path(_ keys: [any CodingKey]) -> String {
        let keys = keys.first?.stringValue == "data" ? keys.dropFirst() : keys[...]
        return keys.reduce("") { path, key in
            if key.intValue != nil { return "\(path)[]" }
            return path.isEmpty ? key.stringValue : "\(path).\(key.stringValue)"
        }
    }

    private func change(_ name: String, of state: String, _ lines: String...) -> String {
        ([".step(\"\(name)\", in: \(next), of: \"\(state)\") { archive in"] + lines.map { "    \($0)" } + ["},"])
            .joined(separator: "\n")
    }

    private static func value(of types: Set<String>?) -> String {
        switch types?.sorted().first(where: { $0 != "null" }) {
        case "bool": "false"
        case "number": "0"
        case "string": "\"\""
        case "array": "[]"
        case "object": "[:]"
        default: "…"
        }
    }
}

/// A path as code; none of one that leads into a list.
private struct DataPath: CustomStringConvertible {
    private let keys: [String]

    init?(_ path: String) {
        guard !path.contains("[]") else { return nil }
        keys = path.split(separator: ".").map(String.init)
    }

    var description: String { "archive.data" + keys.map { "[\"\($0)\"]" }.joined(separator: "?") }
}
