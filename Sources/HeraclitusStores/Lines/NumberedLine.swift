public import Heraclitus

/// A line of a file: of archives, or of a journal.
public struct NumberedLine<Value: Sendable>: Sendable {
    /// The number of the line, from 1; blank lines are counted and skipped.
    public let number: Int

    /// The machine or the journal's entry in the line, or the error of a damaged or incomplete line.
    public let result: Result<Value, ArchiveError>
}
