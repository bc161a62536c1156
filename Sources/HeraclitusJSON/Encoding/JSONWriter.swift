import HeraclitusEssentials

/// Writes values in the syntax of JSON.
struct JSONWriter: ~Copyable {
    private var bytes = ByteBuffer(capacity: 256)
    private let isPrettyPrinted: Bool
    private var level = 0

    init(isPrettyPrinted: Bool = false) { self.isPrettyPrinted = isPrettyPrinted }

    var data: Data { bytes.data }

    /// A value on one line.
    static func json(_ value: EncodedValue) -> Data {
        var writer = JSONWriter()
        writer.write(value)
        return writer.data
    }

    mutating func write(_ value: EncodedValue) {
        switch value {
        case .number(let text): write(plain: text)
        case .raw(let json): write(json)
        case .array(let elements): list(elements, "[", "]") { $0.write($1) }
        case .object(let members): list(members, "{", "}") { $0.write($1.key, $1.value) }
        }
    }

    private mutating func write(_ key: String, _ value: EncodedValue) {
        write(quoted: key)
        if isPrettyPrinted { write(plain: " : ") } else { bytes.append(UInt8(ascii: ":")) }
        write(value)
    }

    /// Writes a raw value, which has to be readable.
    private mutating func write(_ value: JSONValue) {
        switch value {
        case .null: write(plain: "null")
        case .bool(let flag): write(plain: flag ? "true" : "false")
        case .integer(let digit) where (0..<10).contains(digit): bytes.append(UInt8(ascii: "0") + UInt8(digit))
        case .integer(let integer): write(plain: String(integer))
        case .unsigned(let unsigned): write(plain: String(unsigned))
        case .number(let number): write(plain: number.json)
        case .decimal(let digits): write(plain: DecimalDigits(digits.utf8)?.text ?? digits)
        case .string(let text): write(quoted: text)
        case .array(let elements): list(elements, "[", "]") { $0.write($1) }
        case .object(let members):
            list(members.sorted { $0.key.precedes($1.key) }, "{", "}") { $0.write($1.key, .raw($1.value)) }
        }
    }

    /// Writes the elements or members of a list, pretty-printed as Foundation does.
    private mutating func list<Element>(
        _ elements: [Element],
        _ opening: Unicode.Scalar,
        _ closing: Unicode.Scalar,
        _ write: (inout JSONWriter, Element) -> Void
    ) {
        bytes.append(UInt8(ascii: opening))
        level += 1
        for index in elements.indices {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            beginLine()
            write(&self, elements[index])
        }
        level -= 1
        if isPrettyPrinted, elements.isEmpty { bytes.append(UInt8(ascii: "\n")) }
        beginLine()
        bytes.append(UInt8(ascii: closing))
    }

    private mutating func beginLine() {
        guard isPrettyPrinted else { return }
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(String(repeating: "  ", count: level))
    }

    private mutating func write(plain text: String) { bytes.append(text) }

    private mutating func write(quoted text: String) {
        bytes.append(UInt8(ascii: "\""))
        if !bytes.append(text, unless: Self.isEscaped) { escape(text) }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func escape(_ text: String) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): write(plain: "\\\"")
            case UInt8(ascii: "\\"): write(plain: "\\\\")
            case 0x08: write(plain: "\\b")
            case 0x09: write(plain: "\\t")
            case 0x0A: write(plain: "\\n")
            case 0x0C: write(plain: "\\f")
            case 0x0D: write(plain: "\\r")
            case ..<0x20: write(plain: (byte < 0x10 ? "\\u000" : "\\u00") + String(byte, radix: 16))
            default: bytes.append(byte)
            }
        }
    }
}

extension BinaryFloatingPoint where Self: LosslessStringConvertible {
    /// The text of a finite number, which stays the same when it is read and written as a `JSONValue`.
    var json: String {
        let text = description
        if text.hasSuffix(".0") { return String(text.dropLast(2)) }
        guard text.contains("e") else { return text }
        return switch JSONValue(number: text) {
        case .integer(let integer): "\(integer)"
        case .unsigned(let unsigned): "\(unsigned)"
        default: text
        }
    }
}

extension String {
    /// Whether the text is ASCII, so that only the same bytes are an equal text.
    var isASCII: Bool { utf8.count == utf16.count }

    /// The order of keys, which is that of their UTF-8.
    func precedes(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}
