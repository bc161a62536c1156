import Heraclitus

extension ArchiveError {
    /// A system error with the path of its file.
    static func file(_ path: String, _ error: SystemError) -> ArchiveError {
        .inaccessibleFile(path, explanation: error.explanation)
    }

    /// Calls a body, and converts its system error to an error with the path.
    static func of<Result: ~Copyable>(
        _ path: String,
        _ body: () throws(SystemError) -> Result
    ) throws(ArchiveError) -> Result {
        do { return try body() } catch { throw .file(path, error) }
    }
}
