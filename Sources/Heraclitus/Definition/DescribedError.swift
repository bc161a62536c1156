package import HeraclitusEssentials

/// An error whose description is also its text for people.
package protocol DescribedError: LocalizedError, CustomStringConvertible {}

extension DescribedError {
    /// The description.
    public var errorDescription: String? { description }
}
