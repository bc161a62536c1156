import Foundation
import Heraclitus
import HeraclitusStores
import Testing

@testable import Fixtures

/// A folder of a store, removed with this object.
final class DirectoryPlace: Sendable {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)

    static let date = Date(timeIntervalSinceReferenceDate: 800_000_000)

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// A store as in another process, with empty caches.
    func store() throws -> DirectoryStore { try DirectoryStore(at: folder) }

    func text(of file: String) throws -> String {
        try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
    }

    func write(_ text: String, to file: String) throws {
        try Data(text.utf8).write(to: folder.appendingPathComponent(file))
    }

    /// Replaces files by unreadable entries.
    func hide(_ files: [String]) throws {
        for file in files {
            let path = folder.appendingPathComponent(file).path
            try FileManager.default.removeItem(atPath: path)
            try #require(unsafe mkfifo(path, 0o600) == 0)
        }
    }

    /// The files of all links of a kind, once per link.
    func links(_ kind: String) throws -> [String] {
        let root = folder.appendingPathComponent(".store/\(kind)").path
        guard let paths = FileManager.default.enumerator(atPath: root) else { return [] }
        var found: [String] = []
        for case let path as String in paths {
            let full = "\(root)/\(path)"
            guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: full) else { continue }
            let url = URL(fileURLWithPath: target, relativeTo: URL(fileURLWithPath: full).deletingLastPathComponent())
            #expect(url.standardizedFileURL.deletingLastPathComponent().path == folder.standardizedFileURL.path)
            found.append(url.lastPathComponent)
        }
        return found.sorted()
    }

    static func row(
        _ id: String,
        replacing revision: Int = 0,
        workflow: String = "Lamp",
        version: Int? = 1,
        due: Date? = nil,
        archive: String = "{}",
        handled: Data? = nil
    ) -> StoredArchive {
        StoredArchive(
            id: id,
            revision: revision,
            workflow: workflow,
            version: version,
            state: "On",
            due: due,
            archive: Data(archive.utf8),
            handled: handled
        )
    }

    static func effects(_ name: String? = "Mail", at date: Date = date, _ worker: String? = nil) -> WaitingEffects {
        WaitingEffects(content: Data("[]".utf8), next: name, date: date, worker: worker)
    }

    static func dueIDs(by date: Date = date) -> ArchiveQuery { ArchiveQuery { $0.queue = .due(by: date) } }

    static func effectIDs(by date: Date = date, _ names: [String]? = nil) -> ArchiveQuery {
        ArchiveQuery { $0.queue = .effects(by: date, names: names) }
    }

    static func claim(
        _ queue: ArchiveQuery.Queue = .due(by: date),
        of workflow: String = "Lamp",
        until end: Date = date + 60,
        limit: Int = 100
    ) -> StoreClaim {
        StoreClaim(queue, of: [workflow], newestVersion: 1, until: end, by: "worker", limit: limit)
    }
}
