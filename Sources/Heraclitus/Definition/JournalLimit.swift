/// How much of what happens to a machine it keeps in its journal.
public struct JournalLimit: Hashable, Sendable {
    /// The maximum number of lines.
    public let count: Int

    /// Keeps the last lines, and drops those before.
    ///
    /// Each line makes the archive about 150 bytes longer, that of a rejection about 400.
    /// - Parameter count: The number of lines, at least 1.
    /// - Returns: The limit.
    public static func last(_ count: Int) -> JournalLimit { JournalLimit(count: max(1, count)) }
}
