public import Heraclitus
import HeraclitusEssentials

extension JournalFile {
    /// Reads the file while the sequence is iterated.
    ///
    /// Each element has the number of the line in the file, from 1. Its result has the id of the machine in its store,
    /// the number of the line in the machine's journal, and the occurrence. Blank lines are counted and skipped.
    ///
    /// An unreadable or incomplete line is an element with an error. The sequence throws
    /// `ArchiveError.inaccessibleFile(_:explanation:)`.
    public nonisolated var lines:
        some AsyncSequence<
            (number: Int, result: Result<(id: String, line: Int, occurrence: Occurrence), ArchiveError>), any Error
        > & Sendable
    {
        ReadLines<JournalFileLine.Entry, FileChunks>(chunks: FileChunks(path: path), limit: 64 << 20, progress: nil) {
            data in
            Result { () throws(ArchiveError) in try JournalFileLine.entry(data) }
        }
    }

    /// Reads the journal of an id, including the journals of deleted machines with the id.
    ///
    /// Unreadable lines are skipped.
    ///
    /// The revisions show missing lines, and `misfits(by:)` handles them.
    /// - Parameter id: The id.
    /// - Returns: The occurrences, in the order of the file.
    /// - Throws: `ArchiveError.inaccessibleFile(_:explanation:)`.
    public nonisolated func journal(of id: String) async throws -> [Occurrence] {
        var found: [Occurrence] = []
        for try await line in lines {
            if case .success(let entry) = line.result, entry.id.utf8.elementsEqual(id.utf8) {
                found.append(entry.occurrence)
            }
        }
        return found
    }
}

/// A line of a journal file as JSON.
struct JournalFileLine {
    typealias Entry = (id: String, line: Int, occurrence: Occurrence)

    let id: String
    let line: Int

    /// The journal of the line; `nil` if the line before is of the same journal.
    let origin: JournalOrigin?
    let occurrence: Occurrence
}

extension JournalFileLine: Codable {
    private enum Key: String, CodingKey {
        case id, line, began, series
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        id = try container.decode(String.self, forKey: .id)
        line = try container.decode(Int.self, forKey: .line)
        let series = try container.decodeIfPresent(Int.self, forKey: .series)
        origin = try container.decodeIfPresent(Date.self, forKey: .began).map {
            JournalOrigin(began: $0, series: series)
        }
        occurrence = try Occurrence(from: decoder)
    }

    func encode(to encoder: any Encoder) throws {
        try occurrence.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(id, forKey: .id)
        try container.encode(line, forKey: .line)
        try container.encodeIfPresent(origin?.began, forKey: .began)
        try container.encodeIfPresent(origin?.series, forKey: .series)
    }
}

extension JournalFileLine {
    fileprivate static func entry(_ data: Data) throws(ArchiveError) -> Entry {
        do {
            let line = try JournalFileLine(from: ArchiveDecoder(text: data))
            return (line.id, line.line, line.occurrence)
        } catch let problem as JSONProblem {
            throw ArchiveError(problem)
        } catch {
            throw .malformed(
                path: ArchiveError.path(of: error, else: []),
                explanation: ArchiveError.explanation(of: error)
            )
        }
    }
}
