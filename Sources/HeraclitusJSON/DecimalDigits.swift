import HeraclitusEssentials

/// A decimal number of any size, which is equal for all texts of the number.
struct DecimalDigits: Equatable {
    /// Whether the number is negative, also for zero.
    let isNegative: Bool

    /// The digits in ASCII, without zeros at either end; empty for zero.
    let digits: ArraySlice<UInt8>

    /// The power of ten of the last digit.
    let exponent: Int

    /// A limit far beyond the numbers of all types.
    private static let powerLimit = 1_000_000_000_000

    /// Reads a JSON number; `nil` for an invalid one, or for an exponent of more than twelve digits.
    init?(_ text: some Collection<UInt8>) {
        let parts = text.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 | 0x20 == UInt8(ascii: "e") }
        isNegative = parts[0].first == UInt8(ascii: "-")
        let numerals = parts[0].dropFirst(isNegative ? 1 : 0)
            .split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        let ten = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard numerals.allSatisfy({ !$0.isEmpty && $0.allSatisfy { ten.contains($0) } }),
            let power = parts.count == 1 ? 0 : Int(String(decoding: parts[1], as: UTF8.self)),
            power.magnitude < 2 * Self.powerLimit
        else { return nil }
        let all = Array(numerals.joined())
        let significant = all.drop { $0 == UInt8(ascii: "0") }
        let end = significant.lastIndex { $0 != UInt8(ascii: "0") }.map { $0 + 1 } ?? significant.startIndex
        digits = significant[..<end]
        let decimals = numerals.count == 1 ? 0 : numerals[1].count
        exponent = digits.isEmpty ? 0 : power - decimals + significant.endIndex - end
        // A larger exponent would be rejected when the number is read again.
        guard exponent.magnitude < Self.powerLimit else { return nil }
    }

    /// The number as an integer type, if it is exact.
    func integer<T: FixedWidthInteger>(as type: T.Type) -> T? {
        guard exponent >= 0, digits.count + exponent <= 40 else { return nil }
        // Each type that parses a text by itself adds its own copy of the parser to every program.
        return isNegative ? Int128(text).flatMap { T(exactly: $0) } : UInt128(text).flatMap { T(exactly: $0) }
    }

    /// The number as a `Decimal`, if it holds all digits.
    var decimal: Decimal? {
        if digits.isEmpty { return 0 }
        guard digits.count <= 39, (-200...200).contains(exponent), let decimal = Decimal(string: scientificText),
            DecimalDigits("\(decimal)".utf8) == self
        else { return nil }
        return decimal
    }

    /// The text of the number, which is equal for all texts of the number.
    ///
    /// Numbers in the range of a `Decimal` have its form, without an exponent.
    var text: String {
        guard (-200...200).contains(exponent) else { return scientificText }
        let numeral = String(decoding: digits, as: UTF8.self)
        guard exponent < 0 else { return sign + (digits.isEmpty ? "0" : numeral + zeros(exponent)) }
        let padded = zeros(1 - exponent - digits.count) + numeral
        return sign + padded.dropLast(-exponent) + "." + padded.suffix(-exponent)
    }

    private var scientificText: String { sign + String(decoding: digits, as: UTF8.self) + "e\(exponent)" }

    private var sign: String { isNegative ? "-" : "" }

    private func zeros(_ count: Int) -> String { String(repeating: "0", count: max(0, count)) }
}
