import Heraclitus
import HeraclitusEssentials

/// The file of a machine: a header line, the archive, the waiting effects and the handled messages.
///
/// The header has all columns of the row. It also has the sizes of the parts after the archive, which may therefore
/// contain line breaks.
struct DirectoryFile {
    /// The revisions that every JSON reader keeps exactly.
    static let revisions = 1...(Int(exactly: UInt64(1) << 53) ?? .max)

    private static let lineBreak = UInt8(ascii: "\n")

    /// The content of the first line.
    private struct Header: Codable {
        var due: HeaderDate?

        /// The date from which the next effect may run.
        var effects: HeaderDate?

        /// The size of the effects in bytes; `nil` without effects, or if an earlier release has written them into the
        /// archive.
        var effectsSize: Int?
        var entered: HeaderDate?
        var handledSize: Int?
        let id: String
        var next: String?
        let revision: Int
        let state: String
        var values: [String: CodedValue]?
        var version: Int?
        var worker: String?
        let workflow: String
    }

    /// The row.
    ///
    /// After reading only the first line, its archive, effects' content and handled messages are empty.
    let row: StoredArchive

    /// Whether an earlier release has written effects into the archive.
    ///
    /// Their type is known after reading the whole file.
    let isFormer: Bool

    /// Reads the first line.
    init(firstLineOf content: Data, _ id: String) throws(StoreError) {
        self.init(try Self.header(of: content, id).header, archive: Data(), effects: Data(), handled: nil)
    }

    /// Reads the whole file.
    init(_ content: Data, _ id: String) throws(StoreError) {
        var (header, rest) = try Self.header(of: content, id)
        if rest.last == Self.lineBreak { rest = rest.dropLast() }
        func takePart(_ size: Int?) throws(StoreError) -> Data? {
            guard let size else { return nil }
            // A line break precedes each part.
            guard (0..<rest.count).contains(size), rest.dropLast(size).last == Self.lineBreak else {
                throw .damaged(id: id, explanation: "The file is shorter than its first line says.")
            }
            defer { rest = rest.dropLast(size + 1) }
            return Data(rest.suffix(size))
        }
        let handled = try takePart(header.handledSize)
        let effects = try takePart(header.effectsSize)
        let former = DirectoryFile(header, archive: Data(rest), effects: effects, handled: handled)
        if former.isFormer {
            self.init(try former.row.splittingOutbox())
        } else {
            self = former
        }
    }

    /// The file of a row.
    init(_ row: StoredArchive) { (self.row, isFormer) = (row, false) }

    private init(_ header: Header, archive: Data, effects: Data?, handled: Data?) {
        isFormer = header.effects != nil && header.effectsSize == nil
        row = StoredArchive(
            id: header.id,
            revision: header.revision,
            workflow: header.workflow,
            version: header.version,
            state: header.state,
            entered: header.entered?.date,
            due: header.due?.date,
            values: header.values?.mapValues(\.value) ?? [:],
            archive: archive,
            handled: handled,
            effects: effects.flatMap { content in
                header.effects.map {
                    WaitingEffects(content: content, next: header.next, date: $0.date, worker: header.worker)
                }
            }
        )
    }

    private static func header(of content: Data, _ id: String) throws(StoreError) -> (header: Header, rest: Data) {
        guard let end = content.firstIndex(of: lineBreak) else {
            throw .damaged(id: id, explanation: "The file does not have two lines.")
        }
        do {
            let header = try Header(from: ArchiveDecoder(text: content[..<end]))
            guard revisions.contains(header.revision) else {
                throw StoreError.damaged(id: id, explanation: "\(header.revision) is not a revision.")
            }
            return (header, content[(end + 1)...])
        } catch let error as StoreError {
            throw error
        } catch let problem as JSONProblem {
            throw .damaged(id: id, explanation: problem.description)
        } catch {
            throw .damaged(id: id, explanation: ArchiveError.explanation(of: error))
        }
    }

    /// The bytes of a row, up to a size.
    static func content(of row: StoredArchive, limit: Int) throws -> Data {
        guard revisions.contains(row.revision) else {
            throw StoreError.damaged(id: row.id, explanation: "There is no revision after \(row.revision &- 1).")
        }
        var header = Header(id: row.id, revision: row.revision, state: row.state, workflow: row.workflow)
        header.due = row.due.map(HeaderDate.init)
        header.effects = row.effects.map { HeaderDate($0.date) }
        header.effectsSize = row.effects?.content.count
        header.entered = row.entered.map(HeaderDate.init)
        header.handledSize = row.handled?.count
        header.next = row.effects?.next
        header.values = row.values.isEmpty ? nil : row.values.mapValues { CodedValue($0) }
        header.version = row.version
        header.worker = row.effects?.worker
        var content = try ArchiveEncoder.data(of: header)
        for part in [row.archive, row.effects?.content, row.handled] {
            guard let part else { continue }
            content.append(lineBreak)
            content.append(part)
        }
        content.append(lineBreak)
        guard content.count <= limit else { throw ArchiveError.tooLarge(content.count, limit: limit) }
        return content
    }
}

/// A date as in archives, or a number of seconds since 2001 where the text would lose precision.
private struct HeaderDate: Codable {
    let date: Date

    /// Nearer to 2001, dates differ by less than a nanosecond.
    private static let smallestExact = Double(1 << 23)

    init(_ date: Date) { self.date = date }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let text = try? container.decode(String.self) else {
            date = Date(timeIntervalSinceReferenceDate: try container.decode(Double.self))
            return
        }
        guard let date = ArchivedDate.date(of: text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "It is not a date in ISO 8601.")
        }
        self.date = date
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        let seconds = date.timeIntervalSinceReferenceDate
        if abs(seconds) >= Self.smallestExact, let text = ArchivedDate.text(of: date) {
            try container.encode(text)
        } else {
            try container.encode(seconds)
        }
    }
}
