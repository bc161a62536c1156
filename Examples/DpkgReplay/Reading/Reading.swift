/// Reads logs into a replay, and writes its archive at intervals.
struct Reading {
    private(set) var replay: Replay
    private let archive: String?
    private let pace: Duration
    private var nextCheckpoint: ContinuousClock.Instant
    private var isSaved = true
    private var bar: ProgressBar
    /// The bytes of the completed logs.
    private var done = 0

    /// Whether the last log ends in the middle of a line.
    private(set) var isHalf = false

    /// - Parameters:
    ///   - replay: Where the lines go.
    ///   - archive: The file for the archive, if one is wanted.
    ///   - pace: The interval between two archives.
    ///   - total: The number of bytes, if it is known.
    init(into replay: Replay, archive: String?, every pace: Duration, total: Int?) {
        self.replay = replay
        self.archive = archive
        self.pace = pace
        nextCheckpoint = .now + pace
        bar = ProgressBar(total: total)
    }

    /// Reads a log to its end.
    /// - Parameters:
    ///   - log: The log.
    ///   - isResumed: Whether reading continues at the replay's position.
    ///   - isLast: Whether this is the last log.
    ///   - left: The number of lines that may still be read, which this subtracts from.
    /// - Throws: ``Refused`` if the log cannot be read, or was not written by dpkg.
    mutating func read(
        _ log: LogSeries.Log,
        isResumed: Bool,
        isLast: Bool,
        atMost left: inout Int
    ) throws(Refused) {
        let source = try log.open()
        var reader = LineReader(source)
        replay.log = log.path
        if isResumed {
            guard try reader.skip(to: replay.progress.position) else {
                throw LogSeries.foreign(archive ?? "", log.path, replay.progress.position)
            }
        } else if log.begins != nil {
            replay.progress.position = LogPosition()
        }
        let strange = replay.progress.notUnderstood
        var count = 0
        repeat {
            var last: LineReader.Line?
            while left > 0, let line = reader.next() {
                replay.read(reader.bytes, line.range, isBehindHole: line.isBehindHole, isCut: line.isTooLong)
                (last, left, count) = (line, left - 1, count + 1)
                // The check stops early, because the input may be large and not dpkg's at all.
                if count == 100, !isResumed { try requireUnderstood(log, count, strange) }
            }
            note(reader, last)
            bar.show(bytes: done + reader.offset, lines: replay.progress.lines)
            if left == 0 { break }
            try checkpoint(before: source)
        } while try reader.fill()
        if left > 0, let line = reader.half() {
            if isLast {
                isHalf = true
            } else {
                replay.read(reader.bytes, line.range, isBehindHole: line.isBehindHole, isCut: line.isTooLong)
                note(reader, line)
                left -= 1
            }
        }
        if isHalf || count > 0, left > 0, !isResumed { try requireUnderstood(log, count, strange) }
        done += reader.offset
    }

    /// Writes the archive for good.
    mutating func finish() throws(Refused) {
        bar.clear()
        if let archive { try ReplayArchive.write(replay, to: archive) }
    }

    private mutating func note(_ reader: borrowing LineReader, _ last: LineReader.Line?) {
        guard let last else { return }
        replay.progress.position.offset = reader.offset
        replay.progress.position.digest = reader.digest(last)
        isSaved = false
    }

    /// Writes the archive if it is due, or will be due before more bytes arrive.
    private mutating func checkpoint(before source: ByteSource) throws(Refused) {
        guard let archive, !isSaved else { return }
        let now = ContinuousClock.now
        guard now >= nextCheckpoint || !source.isReady(within: now.duration(to: nextCheckpoint)) else { return }
        try ReplayArchive.write(replay, to: archive)
        isSaved = true
        nextCheckpoint = .now + pace
    }

    private func requireUnderstood(_ log: LogSeries.Log, _ count: Int, _ strange: Int) throws(Refused) {
        guard count == replay.progress.notUnderstood - strange else { return }
        throw Refused("\(log.path) is no log of dpkg: it does not begin with lines that dpkg writes.")
    }
}
