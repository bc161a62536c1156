import Heraclitus

extension ArchiveError {
    /// What the system says is wrong with a file.
    static func file(_ path: String, _ error: SystemError) -> ArchiveError {
        .inaccessibleFile(path, explanation: error.explanation)
    }

    /// Does something with a file, with typed errors that name it.
    static func of<Result: ~Copyable>(
        _ path: String,
        _ body: () throws(SystemError) -> Result
    ) throws(ArchiveError) -> Result {
        do { return try body() } catch { throw .file(path, error) }
    }
}
