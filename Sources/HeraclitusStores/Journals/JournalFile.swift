import Heraclitus
public import HeraclitusEssentials

/// A file of JSON lines to which the journals of machines are appended.
///
/// The file keeps all lines.
///
/// A line is an `Occurrence` with more keys: `id` is the id of the machine, and `line` the number of the line in the
/// machine's journal. The first line of a journal also has `began`, the date of the journal's line 1, and `series`, a
/// random number of the journal. So has each line whose predecessor with the same id is of another journal.
///
/// ```
/// {"date":"2026-01-01T12:00:00Z","destination":"PaidState","event":"pay","id":"42","kind":"transitioned","line":7,…}
/// ```
///
/// Any number of processes may append to the file at once, through ``ArchiveStore/journaled(in:)``. Each process appends whole lines
/// under a lock that the system releases when the process ends, and syncs the lines and the file's name. A killed
/// process or a full disk leaves an incomplete line. The next append starts a new line, and readers get an error for
/// the incomplete one.
///
/// On its first append, a process reads the file once. It keeps the last line number of each machine in memory,
/// including deleted machines. You may move the file away at any time: the next append starts a new file. A process
/// that has not read the old file then appends all lines that it finds in an archive.
///
/// A machine that is created again after a deletion has its own journal with another `series`, even at the very same
/// date, unless it is made from an archive or a copy with a journal. Journals of earlier releases have no series; their
/// date identifies them. A machine that goes back to an older archive repeats line numbers, at later dates.
public actor JournalFile {
    nonisolated let path: String

    /// The end of the last complete line that was read.
    ///
    /// The bytes after it are an incomplete line, or were appended by other processes. The next append reads them, even
    /// after a failed append.
    private var offset = 0

    /// The last bytes before the offset, which identify the file.
    ///
    /// A replaced file has other bytes there.
    private var ending = Data()

    /// The number of files so far, each in the place of the one before.
    private var fileNumber = 0

    /// Whether all bytes that were read are synced.
    ///
    /// A process may have failed or been killed before its sync.
    private var isSynced = true

    /// The number of the file whose name is synced.
    private var namedFile: Int?

    private var lastLines: [ExactID: LastLines] = [:]

    /// Names a file.
    ///
    /// The first line creates the file.
    /// - Parameter file: The file.
    public init(at file: URL) { path = file.path }

    /// Appends and syncs the lines of archived journals that the file lacks.
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
            let last = found.last(of: origin)
            // A later save may have appended the first lines already. A line of a machine that went back to an older
            // archive has the number of another one, and a later date than all lines in the file.
            let new = journal.lines.drop { occurrence in
                guard let last else { return false }
                let (line, date) = (occurrence.line, occurrence.date)
                return line <= last.largest && (date < last.date || date == last.date && line <= last.number)
            }
            for occurrence in new {
                data += try Self.encoded(
                    JournalFileLine(
                        id: id,
                        line: occurrence.line,
                        origin: found.follows(origin, in: fileNumber) ? nil : origin,
                        occurrence: occurrence
                    )
                )
                found.note(occurrence.line, at: occurrence.date, of: origin, in: fileNumber)
                appended[key] = found
            }
        }
        guard !data.isEmpty || !isSynced else { return }
        // Opening can fail for lack of a descriptor, so it comes before the append.
        let folder = namedFile == fileNumber ? nil : try Folder(of: path).opened()
        try file.append(data)
        try file.sync()
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
            let file = try ArchiveError.of(path) { () throws(SystemError) in try SystemFile(path, for: .appending) }
            try file.lock()
            guard file.isRegular else {
                throw .inaccessibleFile(path, explanation: "It is not a regular file.")
            }
            // The file may have been moved away during the wait.
            if file.isAt(path) { return file }
        }
    }

    private static let endingSize = 512

    /// Reads the lines that other processes have appended.
    /// - Returns: The end of the file, which is after the last complete line if a process has left an incomplete one.
    private func catchUp(_ file: borrowing SystemFile) throws(ArchiveError) -> Int {
        if try bytes(ending.count, of: file, before: offset) != ending {
            // Together, because reading the other file may fail.
            (offset, ending) = (0, Data())
            fileNumber += 1
        }
        var buffer = LineBuffer(limit: .max)
        var end = offset
        try file.seek(to: offset)
        while true {
            let chunk = try file.next(1 << 16)
            if chunk.isEmpty { break }
            isSynced = false
            end += chunk.count
            buffer.add(chunk)
            while let line = buffer.next() { note(line) }
            offset = end - buffer.incompleteCount
        }
        // The incomplete line may lack only its line break, which the next append writes.
        if let line = buffer.last() { note(line) }
        ending = try bytes(min(offset, Self.endingSize), of: file, before: offset)
        return end
    }

    /// The last bytes before a place in the file, or fewer near the beginning.
    private func bytes(_ count: Int, of file: borrowing SystemFile, before place: Int) throws(ArchiveError) -> Data {
        try file.seek(to: place - count)
        return try file.next(count)
    }

    private func note(_ line: LineBuffer.Line) {
        guard case .data(let data) = line, let entry = try? LineHead(from: ArchiveDecoder(text: data)) else { return }
        let key = ExactID(entry.id)
        let began = entry.began.map { JournalOrigin(began: $0, series: entry.series) }
        let origin = began ?? lastLines[key]?.current ?? JournalOrigin(began: entry.date, series: nil)
        lastLines[key, default: LastLines()].note(entry.line, at: entry.date, of: origin, in: fileNumber)
    }

    private static func encoded(_ line: JournalFileLine) throws(ArchiveError) -> Data {
        do {
            return try ArchiveEncoder.data(of: line) + Data("\n".utf8)
        } catch {
            throw .unwritableState(line.occurrence.source, underlyingError: error)
        }
    }
}

/// The identity of a journal among the journals of one id.
struct JournalOrigin: Hashable {
    let began: Date

    /// A random number; `nil` in journals and lines of earlier releases.
    let series: Int?

    /// Whether both identify the same journal, as far as is known.
    func isSame(as other: JournalOrigin) -> Bool {
        guard began == other.began else { return false }
        guard let series, let other = other.series else { return true }
        return series == other
    }
}

/// The last line of each journal of an id.
///
/// An id has several journals after a machine was deleted and created again. An old machine that is saved late appends
/// its lines after newer ones.
private struct LastLines {
    /// The number of the last line, the largest number and the latest date of each journal.
    ///
    /// The journal of the id's last line is at the end.
    private var numbers: [(origin: JournalOrigin, number: Int, largest: Int, date: Date)] = []

    /// The number of the file with the id's last line.
    private var fileNumber = 0

    /// The journal of the id's last line.
    var current: JournalOrigin? { numbers.last?.origin }

    private func index(of origin: JournalOrigin) -> Int? { numbers.lastIndex { $0.origin.isSame(as: origin) } }

    /// The last line of a journal, with the largest number and the latest date; `nil` if there is none.
    func last(of origin: JournalOrigin) -> (number: Int, largest: Int, date: Date)? {
        index(of: origin).map { (numbers[$0].number, numbers[$0].largest, numbers[$0].date) }
    }

    /// Whether the next line of a journal follows a line of the same journal in a file.
    func follows(_ origin: JournalOrigin, in fileNumber: Int) -> Bool {
        current?.isSame(as: origin) == true && self.fileNumber == fileNumber
    }

    /// Records a line of a journal as the last line of the id.
    mutating func note(_ number: Int, at date: Date, of origin: JournalOrigin, in fileNumber: Int) {
        let old = index(of: origin).map { numbers.remove(at: $0) }
        numbers.append((origin, number, max(number, old?.largest ?? number), max(date, old?.date ?? date)))
        self.fileNumber = fileNumber
    }
}

/// The keys that identify a line in the file.
private struct LineHead: Decodable {
    let id: String
    let line: Int
    let began: Date?
    let series: Int?
    let date: Date
}

extension StoredArchive {
    /// The journal in the archive; `nil` if there is none, or if the archive is unreadable.
    fileprivate var journal: Journal? {
        let container = try? ArchiveDecoder(text: archive).container(keyedBy: EnvelopeKey.self)
        return try? container?.decodeIfPresent(ArchivedJournal.self, forKey: .journal)?.journal(of: workflow)
    }
}
