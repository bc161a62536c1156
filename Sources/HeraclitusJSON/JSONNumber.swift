extension JSONValue {
    /// The value of a JSON number in the first form with all its digits; `nil` if it is invalid or beyond all bounds.
    init?(number source: ArraySlice<UInt8>) {
        if let integer = Self.small(source) {
            self = .integer(integer)
            return
        }
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
    init?(number text: String) { self.init(number: Array(text.utf8)[...]) }

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
    private static func small(_ source: ArraySlice<UInt8>) -> Int? {
        guard source.count <= 18, let first = source.first else { return nil }
        let isNegative = first == UInt8(ascii: "-")
        var number = 0
        for byte in isNegative ? source.dropFirst() : source {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            number = number * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return isNegative ? (number == 0 ? nil : -number) : number
    }
}
