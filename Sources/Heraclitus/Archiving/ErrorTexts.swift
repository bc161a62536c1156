public import HeraclitusEssentials

extension ArchiveError: LocalizedError {
    /// The problem and its place.
    public var errorDescription: String? { description }
}
