#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a value says of itself, for a text that people read.
///
/// Foundation stops the program that asks it to describe a date which is no number. No archive has such a date, so the texts about what
/// cannot be written meet it.
func text(of value: Any) -> String {
    guard let date = value as? Date, !describable.contains(date) else { return "\(value)" }
    return "a date \(date.timeIntervalSinceReferenceDate) s after 2001-01-01"
}

/// Years 1 to 9999.
private let describable =
    Date(timeIntervalSinceReferenceDate: -63_114_076_800)..<Date(timeIntervalSinceReferenceDate: 252_423_993_600)
