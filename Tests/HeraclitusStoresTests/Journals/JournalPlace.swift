import Foundation
import HeraclitusStores

/// A folder with a store and a journal file, removed with its last reference.
final class JournalPlace: Sendable {
    let folder: URL
    let log: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        log = folder.appendingPathComponent("journal.jsonl")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// A store as in another process, with empty caches.
    func store() throws -> some ArchiveStore {
        try DirectoryStore(at: folder.appendingPathComponent("store")).journaled(in: file)
    }

    var file: JournalFile { JournalFile(at: log) }

    var text: String { (try? String(contentsOf: log, encoding: .utf8)) ?? "" }

    func append(_ text: String) throws {
        let handle = try FileHandle(forWritingTo: log)
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(text.utf8))
        try handle.close()
    }

    /// The id and the number of each line, or a mark of a broken line.
    func lines() async throws -> [String] {
        var found: [String] = []
        for try await line in file.lines {
            switch line.result {
            case .success(let entry): found.append("\(entry.id):\(entry.line)")
            case .failure: found.append("line \(line.number) is broken")
            }
        }
        return found
    }
}
