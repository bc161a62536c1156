import HeraclitusEssentials

/// A decimal number of any size, which is equal for all texts of the number.
struct DecimalDigits: Equatable {
    /// Whether the number is negative, also for zero.
    let isNegative: Bool

    /// The digits from 0 to 9 without zeros at either end; empty for zero.
    let digits: ArraySlice<UInt8>

    /// The power of ten of the last digit.
    let exponent: Int

    /// A limit far beyond the numbers of all types.
    private static let powerLimit = 1_000_000_000_000

    /// Reads a JSON number; `nil` for an invalid one, or for an exponent of more than twelve digits.
    init?(_ text: some Sequence<UInt8>) {
        var digits: [UInt8] = []
        var exponent = 0
        var isNegative = false
        var hasPoint = false
        var hasDigits = false
        var rest = text.makeIterator()
        var next = rest.next()
        if next == UInt8(ascii: "-") {
            isNegative = true
            next = rest.next()
        }
        while let byte = next, byte != UInt8(ascii: "e"), byte != UInt8(ascii: "E") {
            if byte == UInt8(ascii: "."), !hasPoint, hasDigits {
                (hasPoint, hasDigits) = (true, false)
            } else if (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
                hasDigits = true
                digits.append(byte - UInt8(ascii: "0"))
                if hasPoint { exponent -= 1 }
            } else {
                return nil
            }
            next = rest.next()
        }
        guard hasDigits else { return nil }
        if next != nil {
            guard let power = Self.power(&rest) else { return nil }
            exponent += power
        }
        let significant = digits.drop { $0 == 0 }
        let end = significant.lastIndex { $0 != 0 }.map { $0 + 1 } ?? significant.startIndex
        self.isNegative = isNegative
        self.digits = significant[..<end]
        self.exponent = self.digits.isEmpty ? 0 : exponent + significant.endIndex - end
        // A larger exponent would be rejected when the number is read again.
        guard abs(self.exponent) < Self.powerLimit else { return nil }
    }

    /// The exponent after the `e`.
    private static func power(_ rest: inout some IteratorProtocol<UInt8>) -> Int? {
        var next = rest.next()
        let isNegative = next == UInt8(ascii: "-")
        if isNegative || next == UInt8(ascii: "+") { next = rest.next() }
        guard next != nil else { return nil }
        var power = 0
        while let byte = next {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            power = power * 10 + Int(byte - UInt8(ascii: "0"))
            guard power < 2 * Self.powerLimit else { return nil }
            next = rest.next()
        }
        return isNegative ? -power : power
    }

    static func == (one: DecimalDigits, other: DecimalDigits) -> Bool {
        one.isNegative == other.isNegative && one.exponent == other.exponent && one.digits.elementsEqual(other.digits)
    }

    /// The number as an integer type, if it is exact.
    func integer<T: FixedWidthInteger>(as type: T.Type) -> T? {
        guard exponent >= 0, digits.count + exponent <= 40 else { return nil }
        var number: T = 0
        for place in 0..<(digits.count + exponent) {
            let digit = place < digits.count ? digits[digits.startIndex + place] : 0
            let (tenfold, isTooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, isBeyond) =
                isNegative
                ? tenfold.subtractingReportingOverflow(T(digit)) : tenfold.addingReportingOverflow(T(digit))
            guard !isTooLarge, !isBeyond else { return nil }
            number = sum
        }
        return number
    }

    /// Whether a `Decimal` certainly holds all digits: it has 128 bits for them, and eight bits for the exponent.
    private var isDecimal: Bool { digits.count <= 38 && (-127...127).contains(exponent) }

    /// The number as a `Decimal`, if it holds all digits.
    var decimal: Decimal? {
        guard digits.count <= 39, (-200...200).contains(exponent) else { return nil }
        guard !digits.isEmpty else { return 0 }
        let text = (isNegative ? "-" : "") + String(decoding: digits.map { $0 + 48 }, as: UTF8.self) + "e\(exponent)"
        guard let decimal = Decimal(string: text), isDecimal || DecimalDigits("\(decimal)".utf8) == self else {
            return nil
        }
        return decimal
    }

    /// The text of the number, which is equal for all texts of the number.
    var text: String {
        plainText ?? (isNegative ? "-" : "") + String(decoding: digits.map { $0 + 48 }, as: UTF8.self) + "e\(exponent)"
    }

    /// The number in the form of a `Decimal`, without an exponent; `nil` for a number far beyond its range.
    var plainText: String? {
        guard (-200...200).contains(exponent) else { return nil }
        let zero = UInt8(ascii: "0")
        var text = isNegative ? [UInt8(ascii: "-")] : []
        if exponent >= 0 {
            text += digits.map { $0 + zero } + [UInt8](repeating: zero, count: digits.isEmpty ? 1 : exponent)
        } else {
            let decimals = -exponent
            let padding = max(0, decimals + 1 - digits.count)
            let padded = [UInt8](repeating: zero, count: padding) + digits.map { $0 + zero }
            text += padded.dropLast(decimals) + [UInt8(ascii: ".")] + padded.suffix(decimals)
        }
        return String(decoding: text, as: UTF8.self)
    }
}
