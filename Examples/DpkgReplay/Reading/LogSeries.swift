import Foundation

/// The logs to read, from the oldest to the newest.
struct LogSeries {
    /// A log that is to be read.
    struct Log {
        let path: String
        /// The first time in the log; `nil` if there is none.
        let begins: Timestamp?
        /// The open pipe, which cannot be opened again.
        fileprivate let source: ByteSource?

        init(_ path: String) throws(Refused) {
            self.path = path
            let source = try ByteSource(path)
            let beginning = try source.peek()
            if beginning.starts(with: [0xFD, 0x37, 0x7A]) || beginning.starts(with: [0x1F, 0x8B]) {
                throw Refused("\(path) is compressed: unpack it first.")
            }
            begins = Self.firstTime(in: beginning)
            self.source = ByteSource.isFile(path) ? nil : source
        }

        func open() throws(Refused) -> ByteSource {
            if let source { return source }
            return try ByteSource(path)
        }

        var isFile: Bool { source == nil }

        /// `3` for `dpkg.log.3.gz`, and 0 for the current log.
        fileprivate var rotation: Int {
            path.split(separator: ".").suffix(2).compactMap { Int($0) }.first ?? 0
        }

        private static func firstTime(in bytes: [UInt8]) -> Timestamp? {
            for line in bytes.split(separator: UInt8(ascii: "\n")) {
                let content = line.drop { $0 == 0 }
                if let time = Timestamp(bytes, content.indices) { return time }
            }
            return nil
        }
    }

    private(set) var logs: [Log]

    /// A note about the logs, for the report.
    private(set) var note: String?

    /// Whether lines may be missing before the first.
    private(set) var isBroken = false

    init(_ paths: [String]) throws(Refused) {
        var logs: [Log] = []
        for path in paths {
            guard !logs.contains(where: { $0.path == path }) else { throw Refused("\(path) is given twice.") }
            logs.append(try Log(path))
        }
        self.logs = Self.sorted(logs)
    }

    /// The log and its rotated files from `logrotate`.
    static func withRotated(_ path: String) -> [String] {
        let url = URL(fileURLWithPath: path)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: url.deletingLastPathComponent().path)) ?? []
        let prefix = url.lastPathComponent + "."
        let rotated = names.filter { name in
            guard name.hasPrefix(prefix) else { return false }
            let suffix = name.dropFirst(prefix.count)
            return Int(suffix.hasSuffix(".gz") ? suffix.dropLast(3) : suffix) != nil
        }
        return rotated.sorted().map { url.deletingLastPathComponent().appendingPathComponent($0).path } + [path]
    }

    private static func sorted(_ logs: [Log]) -> [Log] {
        // A log without a time is empty, and so the newest.
        logs.enumerated().sorted { left, right in
            let (old, new) = (left.element, right.element)
            guard let oldTime = old.begins, let newTime = new.begins else {
                return (old.begins == nil ? 1 : 0, left.offset) < (new.begins == nil ? 1 : 0, right.offset)
            }
            return (oldTime, -old.rotation, left.offset) < (newTime, -new.rotation, right.offset)
        }.map(\.element)
    }
}

// MARK: - Going on

extension LogSeries {
    /// Skips the lines of earlier runs, and finds the unread rest of a rotated log.
    ///
    /// The first log is then the one where reading stopped, or a later one.
    /// - Returns: Whether reading stopped in the first log.
    mutating func goOn(at position: LogPosition, archive: String) throws(Refused) -> Bool {
        guard position.lines > 0 else { return false }
        if try dropLogs(before: position) { return true }
        if logs.count == 1, let log = logs.first, log.isFile {
            var rotated = try LogSeries(Self.withRotated(log.path))
            if try rotated.dropLogs(before: position) {
                self = rotated
                return true
            }
        }
        // A pipe without a later beginning must be the same log again, which the end of reading shows.
        if logs.count == 1, let log = logs.first, !log.isFile, let begins = log.begins, begins <= position.time {
            return true
        }
        let later = logs.filter { $0.begins.map { $0 >= position.time } ?? true }
        guard let first = later.first else { throw Self.foreign(archive, logs.first?.path ?? "", position) }
        logs = later
        if first.begins != nil {
            isBroken = true
            note =
                "\(first.path) is not the log in which the archive stopped, but begins later. What was between is not "
                + "checked."
        }
        return false
    }

    /// Skips the logs before a position.
    /// - Returns: Whether a log contains the position.
    private mutating func dropLogs(before position: LogPosition) throws(Refused) -> Bool {
        for (index, log) in logs.enumerated().reversed() where log.isFile {
            var reader = LineReader(try log.open())
            if try reader.skip(to: position) {
                logs.removeFirst(index)
                return true
            }
        }
        return false
    }

    static func foreign(_ archive: String, _ log: String, _ position: LogPosition) -> Refused {
        Refused(
            "The archive \(archive) belongs to another log: \(log) does not have the line \(position.lines) at which it "
                + "stopped."
        )
    }
}

extension LineReader {
    /// Reads up to the position where reading stopped.
    /// - Returns: Whether the file still has that line.
    mutating func skip(to position: LogPosition) throws(Refused) -> Bool {
        var last: String?
        repeat {
            while offset < position.offset, let line = next() {
                if offset == position.offset { last = digest(line) }
            }
            if offset >= position.offset { break }
        } while try fill()
        if offset < position.offset, let line = half(), offset == position.offset { last = digest(line) }
        return offset == position.offset && last == position.digest
    }

    /// 64-bit FNV-1a, which distinguishes lines and protects no secret.
    func digest(_ line: Line) -> String {
        let hash = bytes[line.range.prefix(1_000)].reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3
        }
        return String(repeating: "0", count: 16 - String(hash, radix: 16).count) + String(hash, radix: 16)
    }
}
