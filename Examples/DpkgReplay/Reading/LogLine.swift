/// A parsed line of dpkg's log.
///
/// The fields are ranges of the buffer. Most lines have known packages and versions, and so need no new text.
struct LogLine {
    typealias Field = Range<Int>

    enum Content {
        /// A run of dpkg begins.
        case startup(Run.Purpose)
        case action(Action.Kind, package: Field, old: Field?, new: Field?)
        case status(Status, package: Field, version: Field?)
        /// dpkg asked the user about a configuration file.
        case conffile
    }

    let time: Timestamp
    let content: Content

    /// dpkg's own lines have a tenth of this length.
    private static let longest = 1 << 12

    /// Parses a line; `nil` for a line that dpkg does not write.
    init?(_ bytes: [UInt8], _ line: Range<Int>) {
        guard line.count <= Self.longest, let time = Timestamp(bytes, line) else { return nil }
        self.time = time
        let separator = line.lowerBound + Timestamp.length
        // The shortest field is a blank and a letter.
        guard line.upperBound > separator + 1, bytes[separator] == UInt8(ascii: " ") else { return nil }
        var fields = Fields(bytes, from: separator + 1, to: line.upperBound)
        guard let word = fields.next() else { return nil }
        switch word.count {
        case 6 where Self.statusWord.matches(bytes, word):
            guard let state = fields.next().flatMap({ Self.states.value(bytes, $0) }), let package = fields.next(),
                Self.isName(bytes, package), let version = fields.next(), !version.isEmpty, fields.isAtEnd
            else { return nil }
            content = .status(state, package: package, version: Self.version(bytes, version))
        case 7 where Self.startupWord.matches(bytes, word):
            guard let what = fields.next(), let purpose = fields.next(), fields.isAtEnd else { return nil }
            content = .startup(
                Self.archivesWord.matches(bytes, what)
                    ? .archives : Self.purposes.value(bytes, purpose) ?? .unknown
            )
        case 8 where Self.conffileWord.matches(bytes, word):
            guard fields.next() != nil, fields.next() != nil else { return nil }
            content = .conffile
        default:
            guard let kind = Self.actions.value(bytes, word), let package = fields.next(),
                Self.isName(bytes, package), let old = fields.next(), !old.isEmpty, let new = fields.next(),
                !new.isEmpty, fields.isAtEnd
            else { return nil }
            content = .action(
                kind,
                package: package,
                old: Self.version(bytes, old),
                new: Self.version(bytes, new)
            )
        }
    }

    private static let statusWord = Word("status")
    private static let startupWord = Word("startup")
    private static let archivesWord = Word("archives")
    private static let conffileWord = Word("conffile")
    private static let states = Words(Status.allCases.map { ($0.rawValue, $0) })
    private static let actions = Words(Action.Kind.allCases.map { ($0.rawValue, $0) })
    private static let purposes = Words<Run.Purpose>([
        ("configure", .configuration), ("triggers-only", .configuration), ("remove", .removal), ("purge", .removal),
    ])

    /// `<none>`, or its translation.
    private static func version(_ bytes: [UInt8], _ field: Field) -> Field? {
        bytes[field.lowerBound] == UInt8(ascii: "<") && bytes[field.upperBound - 1] == UInt8(ascii: ">") ? nil : field
    }

    /// Whether a field can be a package name, with or without an architecture.
    private static func isName(_ bytes: [UInt8], _ field: Field) -> Bool {
        guard !field.isEmpty else { return false }
        switch bytes[field.lowerBound] {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            return true
        default: return false
        }
    }
}

/// The text between single blanks.
private struct Fields {
    private let bytes: [UInt8]
    private var start: Int
    private let end: Int

    init(_ bytes: [UInt8], from start: Int, to end: Int) {
        self.bytes = bytes
        self.start = start
        self.end = end
    }

    var isAtEnd: Bool { start > end }

    mutating func next() -> Range<Int>? {
        guard start <= end else { return nil }
        var blank = start
        while blank < end, bytes[blank] != UInt8(ascii: " ") { blank += 1 }
        defer { start = blank + 1 }
        return start..<blank
    }
}

/// A word of the log.
private struct Word {
    private let bytes: [UInt8]

    init(_ text: String) { bytes = Array(text.utf8) }

    func matches(_ other: [UInt8], _ field: Range<Int>) -> Bool {
        guard field.count == bytes.count else { return false }
        for index in bytes.indices where other[field.lowerBound + index] != bytes[index] { return false }
        return true
    }
}

/// Words with their meanings.
private struct Words<Value: Sendable>: Sendable {
    private let words: [(word: Word, value: Value)]

    init(_ words: [(String, Value)]) { self.words = words.map { (Word($0), $1) } }

    func value(_ bytes: [UInt8], _ field: Range<Int>) -> Value? {
        for index in words.indices where words[index].word.matches(bytes, field) { return words[index].value }
        return nil
    }
}

extension Word: Sendable {}
