public import Heraclitus
public import HeraclitusEssentials

extension Archive {
    /// Restores the machines of a file of JSON lines.
    ///
    /// Iterating reads the file on the iterating thread. A broken line is an element with an error. The sequence throws
    /// `ArchiveError.inaccessibleFile(_:explanation:)`.
    /// - Parameters:
    ///   - workflow: The workflow of all machines.
    ///   - file: The file.
    ///   - context: The runtime dependencies of the states; `nil` for a workflow without a `Workflow.Context`, and for
    ///     machines that get it later. A `DataWorkflow` needs it at once, and stops the program without it.
    ///   - limit: The maximum size of a line in bytes. A longer line is broken and takes no memory.
    ///   - progress: Gets the numbers of lines, blank ones included, and of bytes; after about every 64 KiB, and at the
    ///     end.
    /// - Returns: The machines or the errors of broken lines, with the numbers of the lines, from 1. Blank lines are counted
    ///   and skipped.
    public static func lines<W: Workflow>(
        of workflow: W.Type,
        in file: URL,
        context: W.Context? = nil,
        limit: Int = 64 << 20,
        progress: (@Sendable (_ lines: Int, _ bytes: Int) -> Void)? = nil
    ) -> some AsyncSequence<(number: Int, result: Result<StateMachine<W>, ArchiveError>), any Error> & Sendable {
        lines(of: workflow, in: FileChunks(path: file.path), context: context, limit: limit, progress: progress)
    }

    /// Restores the machines of JSON lines that arrive in chunks, from a network or a decompressor.
    /// - Parameters:
    ///   - workflow: The workflow of all machines.
    ///   - chunks: The bytes; a chunk may end anywhere.
    ///   - context: The runtime dependencies of the states; `nil` for a workflow without a `Workflow.Context`, and for
    ///     machines that get it later. A `DataWorkflow` needs it at once, and stops the program without it.
    ///   - limit: The maximum size of a line in bytes. A longer line is broken and takes no memory.
    ///   - progress: Gets the numbers of lines, blank ones included, and of bytes; after every chunk, and at the end.
    /// - Returns: The machines with the numbers of their lines, as from a file. The sequence rethrows errors of the chunks.
    public static func lines<W: Workflow, Chunks: AsyncSequence & Sendable>(
        of workflow: W.Type,
        in chunks: Chunks,
        context: W.Context? = nil,
        limit: Int = 64 << 20,
        progress: (@Sendable (_ lines: Int, _ bytes: Int) -> Void)? = nil
    ) -> some AsyncSequence<(number: Int, result: Result<StateMachine<W>, ArchiveError>), any Error> & Sendable
    where Chunks.Element == Data {
        let given = W.given(context)
        return ReadLines<StateMachine<W>, Chunks>(chunks: chunks, limit: limit, progress: progress) { data in
            Result { () throws(ArchiveError) in try StateMachine<W>(data, limit: limit, .system, given) }
        }
    }

    /// Writes machines to a file of JSON lines, which replaces an existing file when it is complete and synced.
    ///
    /// A crash leaves either the complete old file or the complete new one. A symbolic link is replaced itself; its
    /// target stays.
    /// - Parameters:
    ///   - machines: The machines. One of them is in memory at a time.
    ///   - file: The file.
    ///   - limit: The maximum size of a line in bytes, as for reading.
    ///   - progress: Gets the numbers of lines and of bytes, after every thousandth machine and at the end.
    /// - Throws: `ArchiveError`: `unwritableState`, `tooLarge` or `inaccessibleFile`. The old file then stays.
    public static func write<W: Workflow>(
        _ machines: some Sequence<StateMachine<W>>,
        to file: URL,
        limit: Int = 64 << 20,
        progress: ((_ lines: Int, _ bytes: Int) -> Void)? = nil
    ) throws(ArchiveError) {
        var output = try ReplacingFile(at: file.path)
        var done = (lines: 0, bytes: 0)
        for machine in machines {
            try output.write(machine, limit: limit, &done)
            if done.lines.isMultiple(of: 1_000) { progress?(done.lines, done.bytes) }
        }
        try output.finish()
        progress?(done.lines, done.bytes)
    }

    /// Writes an asynchronous sequence of machines to a file of JSON lines, like the function for a sequence.
    /// - Parameters:
    ///   - machines: The machines. One of them is in memory at a time.
    ///   - file: The file.
    ///   - limit: The maximum size of a line in bytes, as for reading.
    ///   - progress: Gets the numbers of lines and of bytes, after every thousandth machine and at the end.
    /// - Throws: `ArchiveError`, or the error of the sequence. The old file then stays.
    public static func write<W: Workflow>(
        _ machines: some AsyncSequence<StateMachine<W>, any Error>,
        to file: URL,
        limit: Int = 64 << 20,
        progress: ((_ lines: Int, _ bytes: Int) -> Void)? = nil
    ) async throws {
        var output = try ReplacingFile(at: file.path)
        var done = (lines: 0, bytes: 0)
        for try await machine in machines {
            try output.write(machine, limit: limit, &done)
            if done.lines.isMultiple(of: 1_000) { progress?(done.lines, done.bytes) }
        }
        try output.finish()
        progress?(done.lines, done.bytes)
    }
}

extension ReplacingFile {
    fileprivate mutating func write(
        _ machine: StateMachine<some Workflow>,
        limit: Int,
        _ done: inout (lines: Int, bytes: Int)
    ) throws(ArchiveError) {
        var line = try machine.archive(limit: limit)
        line.append(UInt8(ascii: "\n"))
        try write(line)
        done.lines += 1
        done.bytes += line.count
    }
}
