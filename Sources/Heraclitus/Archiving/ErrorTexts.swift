public import HeraclitusEssentials

extension ArchiveError: LocalizedError {
    /// What is wrong with the archive, and where.
    public var errorDescription: String? { description }
}
