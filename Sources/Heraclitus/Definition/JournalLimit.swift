/// The size of a machine's journal.
public struct JournalLimit: Hashable, Sendable {
    /// The maximum number of lines.
    let count: Int

    /// Keeps the last lines, and drops earlier ones.
    ///
    /// Each line adds about 150 bytes to the archive, and a rejection about 400.
    /// - Parameter count: The number of lines, at least 1.
    /// - Returns: The limit.
    public static func last(_ count: Int) -> JournalLimit { JournalLimit(count: max(1, count)) }
}
