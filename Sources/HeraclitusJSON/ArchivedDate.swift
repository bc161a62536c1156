public import HeraclitusEssentials

extension JSONEncoder.DateEncodingStrategy {
    /// Writes dates as archives do: in ISO 8601 and UTC, to the nanosecond, without decimals at the end that are zero.
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
    /// Reads dates as archives have them, and any other ISO 8601.
    public static var archived: Self {
        .custom { decoder in
            try ArchivedDate.date(from: try decoder.singleValueContainer())
        }
    }
}

/// Dates as ISO 8601 text with up to nine decimals of a second, more than which other readers refuse.
///
/// A date that was read has the same text when it is written again.
package enum ArchivedDate {
    /// Those that ISO 8601 writes without an agreement between the parties.
    static let writable = secondsOfFourDigitYears

    /// The number of bytes of `2026-01-01T12:00:00`, behind which decimals and a zone follow.
    private static let headLength = 19

    package static func text(of date: Date) -> String? {
        let seconds = date.timeIntervalSinceReferenceDate
        guard writable.contains(seconds) else { return nil }
        var whole = seconds.rounded(.down)
        var nanoseconds = Int(((seconds - whole) * 1e9).rounded())
        if nanoseconds == billion { (whole, nanoseconds) = (whole + 1, 0) }
        let text = Date(timeIntervalSinceReferenceDate: whole).formatted(.iso8601)
        guard nanoseconds > 0 else { return text }
        var decimals = decimals(of: nanoseconds)
        while decimals.last == "0" { decimals.removeLast() }
        return text.dropLast() + "." + decimals + "Z"
    }

    private static let billion = 1_000_000_000

    /// Nine digits.
    private static func decimals(of nanoseconds: Int) -> Substring { "\(billion + nanoseconds)".dropFirst() }

    /// The error of a date without a text.
    static func invalid(_ date: Date, _ path: [any CodingKey]) -> EncodingError {
        // Whoever prints the error would describe the date itself, which may stop the program.
        .invalidValue(
            HeraclitusJSON.text(of: date),
            .init(codingPath: path, debugDescription: "ISO 8601 cannot represent this date.")
        )
    }

    static func date(from container: any SingleValueDecodingContainer) throws -> Date {
        let text = try container.decode(String.self)
        if let date = date(of: text) { return date }
        throw DecodingError.dataCorruptedError(
            in: container,
            debugDescription: "\"\(text.prefix(40))\" is not a date in ISO 8601."
        )
    }

    /// The date of a text; `nil` for one that is none, or that would be another day when it is written again.
    package static func date(of text: String) -> Date? {
        let head = String(decoding: text.utf8.prefix(headLength), as: UTF8.self)
        // Foundation reads the 31st of February as a day of March.
        guard let utc = wholeSeconds(of: head + "Z"), utc.formatted(.iso8601) == head + "Z" else { return nil }
        // By its UTF-8: what follows the head may belong to the same character.
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

    /// The date of a text without decimals; `nil` also if something follows it.
    private static func wholeSeconds(of text: String) -> Date? {
        let all = text.startIndex..<text.endIndex
        let found = try? Date.ISO8601FormatStyle.iso8601.consuming(text, startingAt: all.lowerBound, in: all)
        guard let found, found.upperBound == all.upperBound else { return nil }
        return found.output
    }

    /// The date in a zone, of which Foundation checks the hours, but neither minutes nor seconds; and it takes decimals.
    private static func date(_ head: String, in zone: Substring) -> Date? {
        let numbers = zone.split { !$0.isNumber }
        let afterHours = (numbers.first?.dropFirst(2) ?? "") + numbers.dropFirst().joined()
        let areInRange = afterHours.enumerated().allSatisfy { place, digit in place % 2 == 1 || digit < "6" }
        return areInRange && zone.first != "." ? wholeSeconds(of: head + zone) : nil
    }

    private static func date(_ whole: Date, with decimals: Substring?) -> Date? {
        guard let decimals else { return whole }
        let seconds = whole.timeIntervalSinceReferenceDate
        guard decimals.utf8.count <= 9 else {
            // Archives had up to 17.
            return Double("0." + decimals).map { Date(timeIntervalSinceReferenceDate: seconds + $0) }
        }
        guard let number = Int(decimals) else { return nil }
        let nanoseconds = repeatElement(10, count: 9 - decimals.utf8.count).reduce(number, *)
        // The number that is nearest to the text: a sum would be rounded twice.
        let text =
            seconds < 0 && nanoseconds > 0
            ? "-\(Int(-seconds) - 1).\(Self.decimals(of: billion - nanoseconds))"
            : "\(Int(seconds)).\(Self.decimals(of: nanoseconds))"
        return Double(text).map(Date.init(timeIntervalSinceReferenceDate:))
    }
}
