#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Many machines as JSON lines: an archive a line, one of them in memory at a time.
///
/// ```swift
/// try Archive.write(machines, to: file)
/// for try await line in Archive.lines(of: Order.self, in: file) {
///     switch line.result {
///     case .success(let machine): …
///     case .failure(let error): print("line \(line.number): \(error)")     // the others are not lost
///     }
/// }
/// ```
public enum Archive {
    /// How far a stream of archives has come.
    public struct Progress: Sendable, Hashable {
        /// The number of lines so far, blank ones included.
        public internal(set) var lines = 0

        /// The number of lines so far that were no archive of the workflow.
        public internal(set) var brokenLines = 0

        /// The number of bytes so far.
        public internal(set) var bytes = 0
    }

    /// A line of a stream of archives, restored.
    public struct Line<W: Workflow>: Sendable {
        /// The number of the line, from 1; blank ones are counted and left out.
        public let number: Int

        /// The machine, or what was wrong with its archive.
        public let result: Result<StateMachine<W>, ArchiveError>

        /// The machine.
        /// - Returns: The machine.
        /// - Throws: What was wrong with its archive.
        public func machine() throws(ArchiveError) -> StateMachine<W> { try result.get() }
    }

    /// Restores the machines of a file of JSON lines.
    ///
    /// The file is read while the sequence is iterated, on the thread that does it. A broken line is an element like the
    /// others; the sequence itself throws ``ArchiveError/inaccessibleFile(_:explanation:)``.
    /// - Parameters:
    ///   - workflow: The workflow of all of them.
    ///   - file: The file.
    ///   - limit: How many bytes a line may have; a longer one is a broken one, and is not kept in memory.
    ///   - progress: Called after about every 64 KiB, and at the end.
    /// - Returns: The machines, in the order of the lines.
    public static func lines<W: Workflow>(
        of workflow: W.Type,
        in file: URL,
        limit: Int = StateMachine<W>.archiveLimit,
        progress: (@Sendable (Progress) -> Void)? = nil
    ) -> some AsyncSequence<Line<W>, any Error> & Sendable {
        lines(of: workflow, in: FileChunks(path: file.path), limit: limit, progress: progress)
    }

    /// Restores the machines of JSON lines that arrive in chunks, from a network or a decompressor.
    /// - Parameters:
    ///   - workflow: The workflow of all of them.
    ///   - chunks: The bytes; a chunk may end anywhere.
    ///   - limit: How many bytes a line may have; a longer one is a broken one, and is not kept in memory.
    ///   - progress: Called after every chunk, and at the end.
    /// - Returns: The machines, in the order of the lines. It throws what the chunks do.
    public static func lines<W: Workflow, Chunks: AsyncSequence & Sendable>(
        of workflow: W.Type,
        in chunks: Chunks,
        limit: Int = StateMachine<W>.archiveLimit,
        progress: (@Sendable (Progress) -> Void)? = nil
    ) -> some AsyncSequence<Line<W>, any Error> & Sendable where Chunks.Element == Data {
        ArchivedLines<W, Chunks>(chunks: chunks, limit: limit, progress: progress)
    }

    /// Writes machines to a file of JSON lines, which takes the place of one that is there when it is complete.
    ///
    /// Whatever happens meanwhile, the old file is there or the new one.
    /// - Parameters:
    ///   - machines: The machines; one of them is needed at a time.
    ///   - file: The file.
    ///   - limit: How many bytes a line may have, as when they are read.
    ///   - progress: Called after every thousandth machine, and at the end.
    /// - Throws: ``ArchiveError``: `unwritableState`, `tooLarge` or `inaccessibleFile`; then the old file is untouched.
    public static func write<W: Workflow>(
        _ machines: some Sequence<StateMachine<W>>,
        to file: URL,
        limit: Int = StateMachine<W>.archiveLimit,
        progress: ((Progress) -> Void)? = nil
    ) throws(ArchiveError) {
        var output = try ReplacingFile(at: file.path)
        var state = Progress()
        for machine in machines {
            try output.write(machine, limit: limit, &state)
            if state.lines.isMultiple(of: 1_000) { progress?(state) }
        }
        try output.finish()
        progress?(state)
    }

    /// Writes machines that come one by one to a file of JSON lines, like ``write(_:to:limit:progress:)-(Sequence<StateMachine<W>>,_,_,_)``.
    /// - Parameters:
    ///   - machines: The machines; one of them is needed at a time.
    ///   - file: The file.
    ///   - limit: How many bytes a line may have, as when they are read.
    ///   - progress: Called after every thousandth machine, and at the end.
    /// - Throws: ``ArchiveError``, or what the sequence throws; then the old file is untouched.
    public static func write<W: Workflow>(
        _ machines: some AsyncSequence<StateMachine<W>, any Error>,
        to file: URL,
        limit: Int = StateMachine<W>.archiveLimit,
        progress: ((Progress) -> Void)? = nil
    ) async throws {
        var output = try ReplacingFile(at: file.path)
        var state = Progress()
        for try await machine in machines {
            try output.write(machine, limit: limit, &state)
            if state.lines.isMultiple(of: 1_000) { progress?(state) }
        }
        try output.finish()
        progress?(state)
    }
}

extension ReplacingFile {
    fileprivate mutating func write(
        _ machine: StateMachine<some Workflow>,
        limit: Int,
        _ progress: inout Archive.Progress
    ) throws(ArchiveError) {
        var line = try machine.archive(limit: limit)
        line.append(UInt8(ascii: "\n"))
        try write(line)
        progress.lines += 1
        progress.bytes += line.count
    }
}
