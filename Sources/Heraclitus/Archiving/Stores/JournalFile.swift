#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A file of JSON lines to which the journals of machines are appended, and from which nothing is removed.
///
/// A line is an ``Occurrence`` with more keys: `id`, that of the machine; `line`, the number that the line has in the machine's journal; and in
/// the first line of a journal `began`, the date of its line 1.
///
/// ```
/// {"date":"2026-01-01T12:00:00Z","destination":"PaidState","event":"pay","id":"42","kind":"transitioned","line":7,…}
/// ```
///
/// Any number of processes may append to it at once, through ``JournaledStore``. Each appends whole lines under a lock that the system
/// releases when it ends, and syncs them. A process that is killed while it writes leaves a part of a line at the end. The next one begins a
/// new line after it, and who reads is told of it. The first time a process appends, it reads the file once, and keeps the last number of each
/// machine in memory. The file may be moved away at any time: the next line begins another one, in which a process that has not read the first
/// begins with all lines that it finds in an archive.
public actor JournalFile {
    nonisolated let path: String

    /// Up to where the file was read, and the last line of each machine there.
    private var offset = 0

    /// How the file begins, by which another one in its place is found out.
    private var beginning = Data()
    // By the UTF-8 of its id, as stores distinguish them: a `String` equals others that are written differently.
    private var lastLines: [[UInt8]: Mark] = [:]

    private struct Mark {
        let line: Int

        /// When the journal began: another machine of the same id, made after that was deleted, has another journal.
        let began: Date
    }

    /// Names a file, which is made with the first line.
    /// - Parameter file: The file.
    public init(at file: URL) { path = file.path }

    /// Appends the lines of the journals of archives that are not in the file yet, which are on the disk when it returns.
    func append(_ archives: [StoredArchive]) throws(ArchiveError) {
        var journals: [(id: String, journal: Journal)] = []
        for archive in archives {
            if let journal = archive.journal { journals.append((archive.id, journal)) }
        }
        guard !journals.isEmpty else { return }
        let file = try locked()
        let isTorn = try catchUp(file)
        var data = Data(isTorn ? "\n".utf8 : "".utf8)
        var marks: [[UInt8]: Mark] = [:]
        for (id, journal) in journals {
            guard let began = journal.began else { continue }
            let key = Array(id.utf8)
            let mark = (marks[key] ?? lastLines[key]).flatMap { $0.began == began ? $0 : nil }
            let lines = journal.firstLine..<(journal.firstLine + journal.count)
            // Somebody who has saved later may have been here before.
            for line in lines where line > mark?.line ?? 0 {
                let isFirst = marks[key] == nil && mark == nil
                marks[key] = Mark(line: line, began: began)
                data += try Self.encoded(
                    JournalFileLine(
                        id: id,
                        line: line,
                        began: isFirst ? began : nil,
                        occurrence: journal[line - journal.firstLine]
                    )
                )
            }
        }
        guard !data.isEmpty else { return }
        try ArchiveError.of(path) { () throws(SystemError) in
            try file.append(data)
            try file.sync()
        }
        offset += data.count
        if beginning.isEmpty { beginning = try start(of: file) }
        lastLines.merge(marks) { $1 }
    }

    /// The file, locked among threads and processes until it is closed.
    private func locked() throws(ArchiveError) -> SystemFile {
        while true {
            let file = try ArchiveError.of(path) { () throws(SystemError) in
                let file = try SystemFile(path, for: .appending)
                try file.lock()
                return file
            }
            guard file.isRegular else {
                throw .inaccessibleFile(path, explanation: "It is not a regular file.")
            }
            // Somebody may have moved it away while this has waited.
            if file.isAt(path) { return file }
        }
    }

    /// Reads what others have appended.
    /// - Returns: Whether the file ends with a part of a line.
    private func catchUp(_ file: borrowing SystemFile) throws(ArchiveError) -> Bool {
        let start = try start(of: file)
        if !start.starts(with: beginning) { offset = 0 }
        beginning = start
        var buffer = LineBuffer(limit: .max)
        try ArchiveError.of(path) { () throws(SystemError) in try file.seek(to: offset) }
        while true {
            let chunk = try ArchiveError.of(path) { () throws(SystemError) in try file.next(1 << 16) }
            if chunk.isEmpty { break }
            offset += chunk.count
            buffer.add(chunk)
            while let line = buffer.next() { note(line) }
        }
        return buffer.last() != nil
    }

    /// The first bytes of the file.
    private func start(of file: borrowing SystemFile) throws(ArchiveError) -> Data {
        try ArchiveError.of(path) { () throws(SystemError) in
            try file.seek(to: 0)
            return try file.next(512)
        }
    }

    private func note(_ line: LineBuffer.Line) {
        guard case .data(let data) = line, let entry = try? LineHead(data) else { return }
        let key = Array(entry.id.utf8)
        let began = entry.began ?? lastLines[key]?.began ?? entry.date
        lastLines[key] = Mark(line: entry.line, began: began)
    }

    private static func encoded(_ line: JournalFileLine) throws(ArchiveError) -> Data {
        do {
            return try lineEncoder.encode(line) + Data("\n".utf8)
        } catch {
            throw .unwritableState(line.occurrence.source, underlyingError: error)
        }
    }
}

/// What is looked at of the lines that are in the file already.
private struct LineHead: Decodable {
    let id: String
    let line: Int
    let began: Date?
    let date: Date

    init(_ data: Data) throws {
        self = try LineHead(from: ArchiveDecoder(.text(try JSONText([UInt8](data)), 0)))
    }
}

private let lineEncoder = {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .archived
    return encoder
}()

extension StoredArchive {
    /// The journal in the archive; `nil` if there is none, or if it is no archive that could be read.
    fileprivate var journal: Journal? {
        guard let text = try? JSONText([UInt8](archive)),
            let container = try? ArchiveDecoder(.text(text, 0)).container(keyedBy: EnvelopeKey.self)
        else { return nil }
        return try? container.decodeIfPresent(ArchivedJournal.self, forKey: .journal)?.journal(of: workflow)
    }
}
