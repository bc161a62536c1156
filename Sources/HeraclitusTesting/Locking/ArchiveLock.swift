import Foundation
import Heraclitus

/// What a version of a workflow stores: a file in the folder of its locks.
struct ArchiveLock: Codable {
    let workflow: String
    let version: Int

    /// The keys of each state and their types.
    let states: [String: JSONShape]

    /// The names of the events, which archived events and occurrences have.
    let events: [String]

    /// Archives of machines, some in each state.
    let archives: [JSONValue]

    static func file(of version: Int, in folder: URL) -> URL {
        folder.appendingPathComponent("version-\(version).json")
    }

    /// The locks in a folder, the oldest first.
    static func all(in folder: URL) throws -> [ArchiveLock] {
        guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return try files.filter { $0.lastPathComponent.hasPrefix("version-") && $0.pathExtension == "json" }
            .map { try JSONDecoder().decode(ArchiveLock.self, from: Data(contentsOf: $0)) }
            .sorted { $0.version < $1.version }
    }

    func write(to folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try encoder.encode(self).write(to: Self.file(of: version, in: folder))
    }
}

extension ArchiveLock {
    /// Makes the lock of a workflow as it is today, of archives that machines have made.
    init(of table: TransitionTable, _ archives: [(state: String, archive: JSONValue)]) {
        workflow = table.workflow
        version = table.version
        events = table.events.map(\.name)
        var kept: [JSONValue] = []
        var states: [String: JSONShape] = [:]
        for state in table.states {
            // One of each form.
            var forms: [JSONShape] = []
            let data = archives.filter { $0.state == state }.compactMap { found in
                found.archive["data"].map { (found.archive, $0) }
            }
            for (archive, content) in data {
                let form = JSONShape(of: [content])
                guard !forms.contains(form), forms.count < 8 else { continue }
                forms.append(form)
                kept.append(archive)
            }
            if !data.isEmpty { states[state] = JSONShape(of: data.map(\.1)) }
        }
        self.archives = kept
        self.states = states
    }
}
