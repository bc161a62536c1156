extension JSONValue {
    /// The value of a JSON number in the first form with all its digits; `nil` if it is invalid or beyond all bounds.
    init?(number source: Span<UInt8>) {
        if let integer = Self.small(source) {
            self = .integer(integer)
            return
        }
        let source = source.indices.map { source[$0] }
        let text = String(decoding: source, as: UTF8.self)
        // A Double represents any fraction of up to 15 digits; integers have another form.
        if source.count <= 16, !source.contains(where: { $0 | 0x20 == UInt8(ascii: "e") }), let number = Double(text),
            number.rounded() != number
        {
            self = .number(number)
            return
        }
        guard let digits = DecimalDigits(source) else { return nil }
        self.init(digits)
    }

    /// The value of a text's number.
    init?(number text: String) {
        let source = Array(text.utf8)
        self.init(number: source.span)
    }

    private init(_ digits: DecimalDigits) {
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

    /// An integer of up to 18 characters, the common case; `nil` for a signed zero.
    private static func small(_ source: Span<UInt8>) -> Int? {
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
