import Heraclitus
public import HeraclitusEssentials

/// A file of JSON lines to which the journals of machines are appended, and from which nothing is removed.
///
/// A line is an `Occurrence` with more keys: `id`, that of the machine; `line`, the number that the line has in the machine's journal; and, in
/// the journal's first line in the file and wherever the id's line before is one of another journal, `began`, the date of the journal's line 1, and
/// `series`, a random number that the journal has.
///
/// ```
/// {"date":"2026-01-01T12:00:00Z","destination":"PaidState","event":"pay","id":"42","kind":"transitioned","line":7,…}
/// ```
///
/// Any number of processes may append to it at once, through ``JournaledStore``. Each appends whole lines under a lock that the system
/// releases when it ends, and syncs them and the name of the file. A process that is killed while it writes, or finds the disk full, leaves a part of a line at the end.
/// The next line begins a new one after it, and who reads is told of it. The first time a process appends, it reads the file once, and keeps
/// the last number of each machine in memory, also of those that were deleted. The file may be moved away at any time: the next line begins
/// another one, in which a process that has not read the first begins with all lines that it finds in an archive.
///
/// A machine that is made anew after a deletion has a journal of its own, with another `series`, also if both begin at the very same date. Journals
/// of earlier releases have none, and are known by the date alone.
public actor JournalFile {
    nonisolated let path: String

    /// Up to where the file was read: the end of its last complete line.
    ///
    /// What follows is a part of a line, or what others have appended. Who appends reads it, also when an append has failed.
    private var offset = 0

    /// What the file has before that, by which another one in its place is found out.
    private var ending = Data()

    /// How many files there were, one in the place of the other.
    private var fileNumber = 0

    /// Whether what was read of the file is known to be on the disk: somebody may have failed, or been killed, before the sync.
    private var isSynced = true

    /// The number of the file whose name is known to be on the disk.
    private var namedFile: Int?

    private var lastLines: [ExactID: LastLines] = [:]

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
        let end = try catchUp(file)
        var data = Data(end > offset ? "\n".utf8 : "".utf8)
        var appended: [ExactID: LastLines] = [:]
        for (id, journal) in journals {
            guard let began = journal.began else { continue }
            let origin = JournalOrigin(began: began, series: journal.series)
            let key = ExactID(id)
            var found = appended[key] ?? lastLines[key] ?? LastLines()
            let last = found.number(of: origin)
            let lines = journal.firstLine..<(journal.firstLine + journal.count)
            // Somebody who has saved later may have been here before.
            for line in lines where line > last {
                data += try Self.encoded(
                    JournalFileLine(
                        id: id,
                        line: line,
                        origin: found.follows(origin, in: fileNumber) ? nil : origin,
                        occurrence: journal[line - journal.firstLine]
                    )
                )
                found.note(line, of: origin, in: fileNumber)
                appended[key] = found
            }
        }
        guard !data.isEmpty || !isSynced else { return }
        // Open before anything is appended: where there is no descriptor left for the folder, nothing must have happened yet.
        let folder = namedFile == fileNumber ? nil : try SyncedFolder(of: path)
        try ArchiveError.of(path) { () throws(SystemError) in
            try file.append(data)
            try file.sync()
        }
        try folder?.sync()
        (isSynced, namedFile) = (true, fileNumber)
        guard !data.isEmpty else { return }
        offset = end + data.count
        ending = Data(data.suffix(Self.endingSize))
        lastLines.merge(appended) { $1 }
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

    private static let endingSize = 512

    /// Reads what others have appended.
    /// - Returns: Where the file ends; behind the last complete line if somebody has left a part of a line.
    private func catchUp(_ file: borrowing SystemFile) throws(ArchiveError) -> Int {
        if try bytes(ending.count, of: file, before: offset) != ending {
            offset = 0
            fileNumber += 1
        }
        var buffer = LineBuffer(limit: .max)
        var end = offset
        try ArchiveError.of(path) { () throws(SystemError) in try file.seek(to: offset) }
        while true {
            let chunk = try ArchiveError.of(path) { () throws(SystemError) in try file.next(1 << 16) }
            if chunk.isEmpty { break }
            isSynced = false
            end += chunk.count
            buffer.add(chunk)
            while let line = buffer.next() { note(line) }
            offset = end - buffer.incompleteCount
        }
        // It may lack nothing but the line break, with which the next append begins.
        if let line = buffer.last() { note(line) }
        ending = try bytes(min(offset, Self.endingSize), of: file, before: offset)
        return end
    }

    /// The last bytes before a place in the file; fewer if it ends there already.
    private func bytes(_ count: Int, of file: borrowing SystemFile, before place: Int) throws(ArchiveError) -> Data {
        try ArchiveError.of(path) { () throws(SystemError) in
            try file.seek(to: place - count)
            return try file.next(count)
        }
    }

    private func note(_ line: LineBuffer.Line) {
        guard case .data(let data) = line, let entry = try? LineHead(data) else { return }
        let key = ExactID(entry.id)
        let began = entry.began.map { JournalOrigin(began: $0, series: entry.series) }
        let origin = began ?? lastLines[key]?.current ?? JournalOrigin(began: entry.date, series: nil)
        lastLines[key, default: LastLines()].note(entry.line, of: origin, in: fileNumber)
    }

    private static func encoded(_ line: JournalFileLine) throws(ArchiveError) -> Data {
        do {
            return Data(try ArchiveEncoder.bytes(of: line)) + Data("\n".utf8)
        } catch {
            throw .unwritableState(line.occurrence.source, underlyingError: error)
        }
    }
}

/// Where a journal began, by which it is told from others of the same id.
struct JournalOrigin: Hashable {
    let began: Date

    /// A random number; `nil` for a journal, or a line, that an earlier release has written.
    let series: Int?

    /// Whether both are of one journal, as far as is known.
    func isSame(as other: JournalOrigin) -> Bool {
        guard began == other.began else { return false }
        guard let series, let other = other.series else { return true }
        return series == other
    }
}

/// The last lines that the file has of an id, one for each of its journals.
///
/// There are several when a machine was deleted and made anew. Who has saved an old one may append its lines after those of newer ones.
private struct LastLines {
    /// The numbers of the last lines by journals, the one to which the id's last line belongs at the end.
    private var numbers: [(origin: JournalOrigin, number: Int)] = []

    /// The number of the file in which the id's last line is.
    private var fileNumber = 0

    /// The journal to which the id's last line belongs.
    var current: JournalOrigin? { numbers.last?.origin }

    private func index(of origin: JournalOrigin) -> Int? { numbers.lastIndex { $0.origin.isSame(as: origin) } }

    /// The number of the last line of a journal; 0 if there is none.
    func number(of origin: JournalOrigin) -> Int { index(of: origin).map { numbers[$0].number } ?? 0 }

    /// Whether the next line of a journal follows one of the same journal in a file.
    func follows(_ origin: JournalOrigin, in fileNumber: Int) -> Bool {
        current?.isSame(as: origin) == true && self.fileNumber == fileNumber
    }

    /// Notes a line of a journal, which is now the last one of the id.
    mutating func note(_ number: Int, of origin: JournalOrigin, in fileNumber: Int) {
        if let index = index(of: origin) { numbers.remove(at: index) }
        numbers.append((origin, number))
        self.fileNumber = fileNumber
    }
}

/// What is looked at of the lines that are in the file already.
private struct LineHead: Decodable {
    let id: String
    let line: Int
    let began: Date?
    let series: Int?
    let date: Date

    init(_ data: Data) throws {
        self = try LineHead(from: ArchiveDecoder(try JSONValue(text: [UInt8](data))))
    }
}

extension StoredArchive {
    /// The journal in the archive; `nil` if there is none, or if it is no archive that could be read.
    fileprivate var journal: Journal? {
        guard let json = try? JSONValue(text: [UInt8](archive)),
            let container = try? ArchiveDecoder(json).container(keyedBy: EnvelopeKey.self)
        else { return nil }
        return try? container.decodeIfPresent(ArchivedJournal.self, forKey: .journal)?.journal(of: workflow)
    }
}
