#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension ArchiveError: LocalizedError {
    /// What is wrong with the archive, and where.
    public var errorDescription: String? { description }
}
