public import Heraclitus
import HeraclitusEssentials

extension JournalFile {
    /// An occurrence of a machine.
    public struct Entry: Sendable {
        /// The id of the machine in its store.
        public let id: String

        /// The number of the line in the machine's journal.
        public let line: Int

        /// The occurrence.
        public let occurrence: Occurrence
    }

    /// Reads the file while the sequence is iterated.
    ///
    /// An unreadable or incomplete line is an element with an error. The sequence throws
    /// `ArchiveError.inaccessibleFile(_:explanation:)`.
    public nonisolated var lines: some AsyncSequence<NumberedLine<Entry>, any Error> & Sendable {
        JournalFileLines(chunks: FileChunks(path: path))
    }

    /// Reads the journal of an id, including the journals of deleted machines with the id.
    ///
    /// Unreadable lines are skipped.
    ///
    /// The revisions show missing lines, and `Journal.misfits(by:)` handles them.
    /// - Parameter id: The id.
    /// - Returns: The occurrences, in the order of the file.
    /// - Throws: `ArchiveError.inaccessibleFile(_:explanation:)`.
    public nonisolated func journal(of id: String) async throws -> Journal {
        var found: [Occurrence] = []
        for try await line in lines {
            if case .success(let entry) = line.result, entry.id.utf8.elementsEqual(id.utf8) {
                found.append(entry.occurrence)
            }
        }
        return Journal(found)
    }
}

/// A line of a journal file as JSON.
struct JournalFileLine: Codable {
    let id: String
    let line: Int

    /// The journal of the line; `nil` if the line before is of the same journal.
    let origin: JournalOrigin?
    let occurrence: Occurrence

    private enum Key: String, CodingKey {
        case id, line, began, series
    }

    init(id: String, line: Int, origin: JournalOrigin?, occurrence: Occurrence) {
        self.id = id
        self.line = line
        self.origin = origin
        self.occurrence = occurrence
    }

    init(_ data: Data) throws {
        self = try JournalFileLine(from: ArchiveDecoder(text: data))
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

private struct JournalFileLines: AsyncSequence, Sendable {
    typealias Element = NumberedLine<JournalFile.Entry>
    typealias Failure = any Error

    let chunks: FileChunks

    func makeAsyncIterator() -> Iterator { Iterator(chunks: chunks.makeAsyncIterator()) }

    struct Iterator: AsyncIteratorProtocol {
        let chunks: FileChunks.Iterator
        private var lines = LineBuffer(limit: 64 << 20)
        private var number = 0
        private var isAtEnd = false

        init(chunks: FileChunks.Iterator) { self.chunks = chunks }

        mutating func next() async throws -> NumberedLine<JournalFile.Entry>? { try await next(isolation: nil) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> NumberedLine<JournalFile.Entry>? {
            while true {
                while let line = lines.next() {
                    if let read = read(line) { return read }
                }
                guard !isAtEnd else { return nil }
                guard let chunk = try await chunks.next(isolation: actor) else {
                    isAtEnd = true
                    return lines.last().flatMap { read($0) }
                }
                lines.add(chunk)
            }
        }

        private mutating func read(_ line: LineBuffer.Line) -> NumberedLine<JournalFile.Entry>? {
            number += 1
            switch line {
            case .blank: return nil
            case .tooLarge(let size):
                return NumberedLine(number: number, result: .failure(.tooLarge(size, limit: lines.limit)))
            case .data(let data):
                let result = Result { () throws(ArchiveError) in try JournalFile.Entry(data) }
                return NumberedLine(number: number, result: result)
            }
        }
    }
}

extension JournalFile.Entry {
    fileprivate init(_ data: Data) throws(ArchiveError) {
        do {
            let line = try JournalFileLine(data)
            self.init(id: line.id, line: line.line, occurrence: line.occurrence)
        } catch let problem as JSONProblem {
            throw .notJSON(explanation: problem.description)
        } catch {
            throw .malformed(
                path: ArchiveError.path(of: error, else: []),
                explanation: ArchiveError.explanation(of: error)
            )
        }
    }
}
