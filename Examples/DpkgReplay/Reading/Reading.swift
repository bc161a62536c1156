/// Reads logs into a replay, and writes its archive now and then.
struct Reading {
    private(set) var replay: Replay
    private let archive: String?
    private let pace: Duration
    private var nextCheckpoint: ContinuousClock.Instant
    private var isSaved = true
    private var bar: ProgressBar
    /// The bytes of the logs that are done.
    private var done = 0

    /// Whether the last log ends in the middle of a line.
    private(set) var isHalf = false

    /// - Parameters:
    ///   - replay: Where the lines go.
    ///   - archive: The file for the archive, if there is to be one.
    ///   - pace: How often it is written.
    ///   - total: How many bytes there are, if that is known.
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
    ///   - isResumed: Whether to go on at the replay's position.
    ///   - isLast: Whether no log comes after it.
    ///   - left: How many lines may be read; those that were are subtracted.
    /// - Throws: ``Refused`` if it cannot be read, or is no log of dpkg.
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
                // Not at the very end, for there is much that is not dpkg's, and some of it is large.
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

    /// Writes the archive if it is time, or if it will be before there is more to read.
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
