#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension InvalidTransition: LocalizedError {
    /// What was tried, and where.
    public var errorDescription: String? { attempt + "." }

    /// Why it was refused.
    public var failureReason: String? { explanation }

    /// What would be allowed.
    public var recoverySuggestion: String? { suggestion }
}

extension InvalidAction: LocalizedError {
    /// What was tried, and where.
    public var errorDescription: String? { attempt + "." }

    /// Why it was refused.
    public var failureReason: String? { explanation }

    /// What would lead to where it is allowed.
    public var recoverySuggestion: String? { suggestion }
}

extension ArchiveError: LocalizedError {
    /// What is wrong with the archive, and where.
    public var errorDescription: String? { description }
}
