extension JSONValue {
    /// The number of a text of JSON, in the form that keeps it exactly.
    init(number source: ArraySlice<UInt8>) {
        let text = String(decoding: source, as: UTF8.self)
        // Most are small; a zero may have a sign.
        if source.count < 18, let integer = Int(text), integer != 0 || source.count == 1 {
            self = .integer(integer)
            return
        }
        guard let digits = DecimalDigits(source) else {
            self = .decimal(text)
            return
        }
        if !digits.isNegative || !digits.digits.isEmpty {
            if let integer = digits.integer(as: Int.self) {
                self = .integer(integer)
                return
            }
            if let unsigned = digits.integer(as: UInt64.self) {
                self = .unsigned(unsigned)
                return
            }
        }
        if let number = Double(text), number.isFinite, DecimalDigits("\(number)".utf8) == digits {
            self = .number(number)
        } else {
            // As it will be written, so that it is equal to itself when it is read again.
            self = .decimal(digits.plainText ?? text)
        }
    }
}
