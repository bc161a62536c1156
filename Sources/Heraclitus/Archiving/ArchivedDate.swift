#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension JSONEncoder.DateEncodingStrategy {
    /// Writes dates as archives do: in ISO 8601 and UTC, with as many decimals of a second as needed to lose nothing.
    public static var archived: Self {
        .custom { date, encoder in
            var container = encoder.singleValueContainer()
            guard let text = ArchivedDate.text(of: date) else {
                // Whoever prints the error would describe the date itself, which may stop the program.
                throw EncodingError.invalidValue(
                    Heraclitus.text(of: date),
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
enum ArchivedDate {
    /// Years 1 to 9999, which ISO 8601 writes without an agreement between the parties; they begin with `Date.distantPast`.
    private static let writable = -63_114_076_800.0..<252_423_993_600.0

    static func text(of date: Date) -> String? {
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

    static func date(of text: String) -> Date? {
        guard let point = text.firstIndex(of: ".") else { return try? Date(text, strategy: .iso8601) }
        let digits = text[text.index(after: point)...].prefix { $0.isASCII && $0.isNumber }
        let zone = text[digits.endIndex...]
        guard !digits.isEmpty, let fraction = Double("0." + digits),
            let whole = try? Date(text[..<point] + zone, strategy: .iso8601)
        else { return nil }
        if whole.timeIntervalSinceReferenceDate == -1, fraction > 0, let missing = Double("0." + complement(digits)) {
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
