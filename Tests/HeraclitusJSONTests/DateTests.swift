import Foundation
import HeraclitusJSON
import Testing

@Suite("Dates") struct DateTests {
    /// A date of any magnitude, before or after the reference date or near it.
    private static func date(_ source: inout some RandomNumberGenerator) -> Date {
        let range: Range<Double> =
            switch Int.random(in: 0..<5, using: &source) {
            case 0: -63_114_076_800..<252_423_993_600
            case 1: -2..<2
            case 2: 700_000_000..<900_000_000
            case 3: -1..<0
            default: -1_000_000..<1_000_000
            }
        return Date(timeIntervalSinceReferenceDate: .random(in: range, using: &source))
    }

    @Test("A date has at most nine decimals, and keeps its text when it is read")
    func decimals() throws {
        var source = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            let date = Self.date(&source)
            let text = try #require(ArchivedDate.text(of: date))
            let read = try #require(ArchivedDate.date(of: text))
            #expect(ArchivedDate.text(of: read) == text)
            #expect(abs(read.timeIntervalSince(date)) <= 1e-9)
            let decimals = text.split(separator: ".").dropFirst().first?.dropLast() ?? ""
            #expect(decimals.count <= 9 && decimals.last != "0", "\(text)")
            // Fractions of a nanosecond are representable only near the reference date.
            if abs(date.timeIntervalSinceReferenceDate) > 10_000_000 { #expect(read == date) }
        }
    }

    @Test("Whole nanoseconds are read as the nearest Date")
    func nanoseconds() throws {
        for (text, seconds) in [
            ("2001-01-01T00:00:00.000000001Z", 1e-9), ("2000-12-31T23:59:59.999999999Z", -1e-9),
            ("2000-12-31T23:59:59.5Z", -0.5), ("2000-12-31T23:59:58.9Z", -1.1),
            ("2001-01-01T00:00:09.000001Z", 9.000_001),
            ("2001-01-01T00:00:00.3Z", 0.3),
        ] {
            #expect(ArchivedDate.date(of: text)?.timeIntervalSinceReferenceDate == seconds)
            #expect(ArchivedDate.text(of: Date(timeIntervalSinceReferenceDate: seconds)) == text)
        }
        #expect(ArchivedDate.text(of: Date(timeIntervalSinceReferenceDate: 0.999_999_999_9)) == "2001-01-01T00:00:01Z")
        #expect(ArchivedDate.text(of: Date(timeIntervalSinceReferenceDate: -1e-12)) == "2001-01-01T00:00:00Z")
    }

    @Test(
        "Dates of older archives are read with any number of decimals",
        arguments: [
            ("2026-03-01T12:00:00Z", 794_059_200), ("2026-03-01T12:00:00.5Z", 794_059_200.5),
            ("2026-03-01T12:00:00.10000002384185791Z", 794_059_200.100_000_02),
            ("2001-01-01T00:00:00.12345678901234567Z", 0.123_456_789_012_345_67),
            ("2001-01-01T02:00:00.25+02:00", 0.25), ("2026-03-01T12:00:00.000000000000Z", 794_059_200),
            ("2000-12-31T23:59:58.12345678901234567Z", -1.876_543_210_987_654_33),
            ("2000-12-31T23:59:59.9999999999Z", -0.000_000_000_1), ("2000-12-31T23:59:59.00000000000Z", -1),
            ("1969-12-31T23:59:59.1234567891Z", -978_307_200.876_543_210_9),
        ] as [(String, Double)]
    )
    func older(text: String, seconds: Double) {
        #expect(ArchivedDate.date(of: text)?.timeIntervalSinceReferenceDate == seconds)
    }

    @Test("Foundation reads written dates")
    func foundation() throws {
        var source = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            let text = try #require(ArchivedDate.text(of: Self.date(&source)))
            #expect(throws: Never.self, "\(text)") {
                try Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains(".")))
            }
        }
    }
}
