extension JSONValue {
    /// The value of a JSON number in the first form with all its digits; `nil` if it is invalid or beyond all bounds.
    init?(number text: String) {
        // A Double represents any fraction of up to 15 digits; integers have another form.
        if text.utf8.count <= 16, !text.utf8.contains(where: { $0 | 0x20 == UInt8(ascii: "e") }),
            let number = Double(text), number.rounded() != number
        {
            self = .number(number)
            return
        }
        guard let digits = DecimalDigits(text.utf8) else { return nil }
        if digits.isNegative, digits.digits.isEmpty {
            self = .number(-0.0)
        } else if let integer = digits.integer(as: Int.self) {
            self = .integer(integer)
        } else if let unsigned = digits.integer(as: UInt64.self) {
            self = .unsigned(unsigned)
        } else if let number = Double(digits.text), number.isFinite, DecimalDigits("\(number)".utf8) == digits {
            self = .number(number)
        } else {
            self = .decimal(digits.text)
        }
    }

    /// Whether a number has no fraction; `false` for other values.
    package var isWhole: Bool {
        switch self {
        case .integer, .unsigned: true
        case .number(let number): number.rounded() == number
        case .decimal(let text): DecimalDigits(text.utf8).map { $0.exponent >= 0 } ?? false
        default: false
        }
    }

    /// An integer of up to 18 characters, the common case; `nil` for a signed zero.
    static func small(_ source: Span<UInt8>) -> Int? {
        guard !source.isEmpty, source.count <= 18 else { return nil }
        let isNegative = source[0] == UInt8(ascii: "-")
        var number = 0
        for place in (isNegative ? 1 : 0)..<source.count {
            let digit = source[place] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            number = number * 10 + Int(digit)
        }
        return isNegative ? (number == 0 ? nil : -number) : number
    }
}
