public import HeraclitusEssentials

extension JSONEncoder.DateEncodingStrategy {
    /// Writes dates like archives: ISO 8601 in UTC, to the nanosecond, without trailing zeros.
    public static var archived: Self {
        .custom { date, encoder in
            var container = encoder.singleValueContainer()
            guard let text = ArchivedDate.text(of: date) else {
                throw ArchivedDate.invalid(date, encoder.codingPath)
            }
            try container.encode(text)
        }
    }
}

extension JSONDecoder.DateDecodingStrategy {
    /// Reads the dates of archives and other ISO 8601 dates.
    public static var archived: Self {
        .custom { decoder in
            try ArchivedDate.date(from: try decoder.singleValueContainer())
        }
    }
}

/// Dates as ISO 8601 text with up to nine decimals of a second, because other readers reject more.
///
/// A date keeps its text when it is read and written again.
package enum ArchivedDate {
    /// Years 1 to 9999 in seconds after the reference date, which begin with `Date.distantPast`.
    ///
    /// ISO 8601 can write only these without an agreement between parties.
    package static let writable = -63_114_076_800.0..<252_423_993_600.0

    /// The number of bytes of `2026-01-01T12:00:00`, before decimals and zone.
    private static let headLength = 19

    package static func text(of date: Date) -> String? {
        let seconds = date.timeIntervalSinceReferenceDate
        guard writable.contains(seconds) else { return nil }
        var whole = seconds.rounded(.down)
        var nanoseconds = Int(((seconds - whole) * 1e9).rounded())
        let billion = 1_000_000_000
        if nanoseconds == billion { (whole, nanoseconds) = (whole + 1, 0) }
        let text = Date(timeIntervalSinceReferenceDate: whole).formatted(.iso8601)
        guard nanoseconds > 0 else { return text }
        var decimals = "\(billion + nanoseconds)".dropFirst()
        while decimals.last == "0" { decimals.removeLast() }
        return text.dropLast() + "." + decimals + "Z"
    }

    /// The error of a date that ISO 8601 cannot represent.
    static func invalid(_ date: Date, _ path: [any CodingKey]) -> EncodingError {
        // The error has the date as text, because describing the date itself may stop the program.
        .invalidValue(
            "a date \(date.timeIntervalSinceReferenceDate) s after 2001-01-01",
            .init(codingPath: path, debugDescription: "ISO 8601 cannot represent this date.")
        )
    }

    static func date(from container: any SingleValueDecodingContainer) throws -> Date {
        let text = try container.decode(String.self)
        if let date = date(of: text) { return date }
        throw DecodingError.corrupted("\"\(text.prefix(40))\" is not a date in ISO 8601.", at: container.codingPath)
    }

    /// The date of a text; `nil` for an invalid text, and for a date that would be written as another day.
    package static func date(of text: String) -> Date? {
        let head = String(decoding: text.utf8.prefix(headLength), as: UTF8.self)
        // Foundation reads February 31 as a day of March.
        guard let utc = wholeSeconds(of: head + "Z"), utc.formatted(.iso8601) == head + "Z" else { return nil }
        // The text is cut in UTF-8, because the first character after the head may combine with it.
        var zone = Substring(text.utf8.dropFirst(headLength))
        var decimals: Substring?
        if zone.first == "." {
            let digits = zone.dropFirst().prefix { $0.isASCII && $0.isNumber }
            (zone, decimals) = (zone[digits.endIndex...], digits)
        }
        guard let whole = zone == "Z" ? utc : date(head, in: zone), let exact = date(whole, with: decimals),
            writable.contains(exact.timeIntervalSinceReferenceDate)
        else { return nil }
        return exact
    }

    /// The date of a whole text without decimals; `nil` for trailing text.
    private static func wholeSeconds(of text: String) -> Date? {
        let all = text.startIndex..<text.endIndex
        let found = try? Date.ISO8601FormatStyle.iso8601.consuming(text, startingAt: all.lowerBound, in: all)
        guard let found, found.upperBound == all.upperBound else { return nil }
        return found.output
    }

    /// The date in a zone.
    ///
    /// Foundation checks only the hours of a zone and accepts decimals, so this function checks the rest.
    private static func date(_ head: String, in zone: Substring) -> Date? {
        let numbers = zone.split { !$0.isNumber }
        let afterHours = (numbers.first?.dropFirst(2) ?? "") + numbers.dropFirst().joined()
        let areInRange = afterHours.enumerated().allSatisfy { place, digit in place % 2 == 1 || digit < "6" }
        return areInRange && zone.first != "." ? wholeSeconds(of: head + zone) : nil
    }

    private static func date(_ whole: Date, with decimals: Substring?) -> Date? {
        guard let decimals else { return whole }
        // Older archives have up to 17 decimals.
        let digits = decimals.prefix(17)
        guard let number = Int(digits) else { return nil }
        let seconds = Int(whole.timeIntervalSinceReferenceDate)
        let unit = repeatElement(10, count: digits.utf8.count).reduce(1, *)
        // Below zero, decimals count from the next second backwards.
        let rest = "\(2 * unit - number)".dropFirst()
        // The number is parsed from one text, because a sum would be rounded twice.
        let text = seconds < 0 && number > 0 ? "-\(-seconds - 1).\(rest)" : "\(seconds).\(digits)"
        return Double(text).map(Date.init(timeIntervalSinceReferenceDate:))
    }
}
