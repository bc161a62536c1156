public import HeraclitusEssentials

extension JSONEncoder.DateEncodingStrategy {
    /// Writes dates as archives do: in ISO 8601 and UTC, with as many decimals of a second as needed to lose nothing.
    public static var archived: Self {
        .custom { date, encoder in
            var container = encoder.singleValueContainer()
            guard let text = ArchivedDate.text(of: date) else {
                // Whoever prints the error would describe the date itself, which may stop the program.
                throw EncodingError.invalidValue(
                    HeraclitusJSON.text(of: date),
                    .init(codingPath: encoder.codingPath, debugDescription: "ISO 8601 cannot represent this date.")
                )
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

/// Dates as ISO 8601 text without loss: Foundation's format keeps milliseconds, a `Date` is finer.
///
/// In the second before the reference date it is finer than any number of seconds after another whole second; there decimals
/// are those of what is missing to the reference date, taken from one.
package enum ArchivedDate {
    /// Those that ISO 8601 writes without an agreement between the parties.
    static let writable = secondsOfFourDigitYears

    /// The number of bytes of `2026-01-01T12:00:00`, behind which decimals and a zone follow.
    private static let headLength = 19

    package static func text(of date: Date) -> String? {
        let seconds = date.timeIntervalSinceReferenceDate
        guard writable.contains(seconds) else { return nil }
        let whole = seconds.rounded(.down)
        let text = Date(timeIntervalSinceReferenceDate: whole).formatted(.iso8601)
        let decimals = whole == -1 ? decimals(of: -seconds).map(complement) : decimals(of: seconds - whole)
        guard let decimals else { return text }
        return text.dropLast() + "." + decimals + "Z"
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
        guard !decimals.isEmpty, let fraction = Double("0." + decimals) else { return nil }
        if whole.timeIntervalSinceReferenceDate == -1, fraction > 0, let missing = Double("0." + complement(decimals)) {
            return Date(timeIntervalSinceReferenceDate: -missing)
        }
        return Date(timeIntervalSinceReferenceDate: whole.timeIntervalSinceReferenceDate + fraction)
    }

    /// The decimals of one minus a fraction, given those of the fraction, of which not all are zero.
    private static func complement(_ decimals: some StringProtocol) -> String {
        let digits = decimals.utf8.map { Int($0) - 48 }
        guard let last = digits.lastIndex(where: { $0 != 0 }) else { return String(decimals) }
        return digits[...last].enumerated().map { index, digit in "\((index == last ? 10 : 9) - digit)" }.joined()
    }

    /// The shortest decimals that read back as the fraction; `nil` for none.
    private static func decimals(of fraction: Double) -> String? {
        guard fraction > 0, fraction < 1 else { return nil }
        // "0.25", or "1.2e-07" for what is less than a ten-thousandth.
        let parts = "\(fraction)".split(separator: "e")
        let digits = parts[0].filter(\.isNumber)
        guard parts.count == 2, let exponent = Int(parts[1]) else { return String(digits.dropFirst()) }
        let significant = digits.hasSuffix("0") && digits.count == 2 ? digits.dropLast() : digits[...]
        return String(repeating: "0", count: -exponent - 1) + significant
    }
}
