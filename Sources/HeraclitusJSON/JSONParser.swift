/// Parses a JSON text without calling itself, so that a text of any depth needs no more of a thread's stack.
struct JSONParser {
    private let bytes: [UInt8]

    /// Whether a key may be there twice: the first counts then, as in Foundation's reader.
    private let isLenient: Bool

    private var position = 0

    /// The complete values of all arrays and objects that are not, the innermost last.
    private var values: [JSONValue] = []

    /// The keys of all objects that are not complete; the last one's value may be missing.
    private var keys: [String] = []

    /// The arrays and objects that are not complete, the innermost last.
    private var open: [Container] = []

    private struct Container {
        let isObject: Bool
        let firstValue: Int
        let firstKey: Int
    }

    init(_ bytes: [UInt8], isLenient: Bool) {
        self.bytes = bytes
        self.isLenient = isLenient
    }

    mutating func parse() throws(JSONProblem) -> JSONValue {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        // An array that grows takes twice the memory for a moment.
        values.reserveCapacity(bytes.count > 1 << 12 ? bytes.count { $0 == UInt8(ascii: ",") } + 1 : 16)
        keys.reserveCapacity(16)
        open.reserveCapacity(8)
        skipSpace()
        try value()
        while let innermost = open.last { try next(in: innermost) }
        skipSpace()
        guard position == bytes.count, let value = values.last else { throw problem("Something follows the value.") }
        return value
    }

    /// Parses what comes next in an array or object: its end, or an element.
    private mutating func next(in innermost: Container) throws(JSONProblem) {
        skipSpace()
        if byte == (innermost.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
            let value = innermost.isObject ? try object(innermost) : .array(Array(values[innermost.firstValue...]))
            position += 1
            open.removeLast()
            values.removeLast(values.count - innermost.firstValue)
            values.append(value)
            return
        }
        if values.count > innermost.firstValue {
            try expect(UInt8(ascii: ","))
            skipSpace()
        }
        if innermost.isObject {
            guard byte == UInt8(ascii: "\"") else { throw problem("A key is missing.") }
            keys.append(try string())
            skipSpace()
            try expect(UInt8(ascii: ":"))
            skipSpace()
        }
        try value()
    }

    private mutating func value() throws(JSONProblem) {
        guard let byte else { throw problem("It ends too early.") }
        switch byte {
        case UInt8(ascii: "{"): try begin(isObject: true)
        case UInt8(ascii: "["): try begin(isObject: false)
        case UInt8(ascii: "\""): values.append(.string(try string()))
        case UInt8(ascii: "t"): try word("true", .bool(true))
        case UInt8(ascii: "f"): try word("false", .bool(false))
        case UInt8(ascii: "n"): try word("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number()
        default: throw problem("This is not a value.")
        }
    }

    private mutating func begin(isObject: Bool) throws(JSONProblem) {
        guard open.count < JSONValue.textDepthLimit else {
            throw problem("This is deeper than \(JSONValue.textDepthLimit) levels.")
        }
        open.append(Container(isObject: isObject, firstValue: values.count, firstKey: keys.count))
        position += 1
    }

    /// The members of an object that is complete.
    private mutating func object(_ object: Container) throws(JSONProblem) -> JSONValue {
        let count = keys.count - object.firstKey
        var members: [String: JSONValue] = Dictionary(minimumCapacity: count)
        for index in 0..<count {
            let key = keys[object.firstKey + index]
            guard let first = members.updateValue(values[object.firstValue + index], forKey: key) else { continue }
            guard isLenient else {
                keys.removeLast(count - index - 1)
                throw problem("The key \"\(key.shortened)\" is there twice.", isDuplicate: true)
            }
            members[key] = first
        }
        keys.removeLast(count)
        return .object(members)
    }

    private mutating func word(_ word: String, _ value: JSONValue) throws(JSONProblem) {
        guard bytes[position...].starts(with: word.utf8) else { throw problem("This is not a value.") }
        position += word.utf8.count
        values.append(value)
    }

    private mutating func number() throws(JSONProblem) {
        let start = position
        skip(UInt8(ascii: "-"))
        if !skip(UInt8(ascii: "0")) { try digits() }
        if skip(UInt8(ascii: ".")) { try digits() }
        if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
            if !skip(UInt8(ascii: "+")) { skip(UInt8(ascii: "-")) }
            try digits()
        }
        guard let number = JSONValue(number: bytes[start..<position]) else {
            throw problem("The power of ten of a number is too large.")
        }
        values.append(number)
    }

    private mutating func digits() throws(JSONProblem) {
        let start = position
        while let byte, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        if position == start { throw problem("A digit is missing.") }
    }

    // MARK: - Texts

    private mutating func string() throws(JSONProblem) -> String {
        position += 1
        let start = position
        var all: UInt8 = 0
        while let byte, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
            all |= byte
            position += 1
        }
        if byte == UInt8(ascii: "\"") {
            if all >= 0x80 { return try text(bytes[start..<position], from: start) }
            position += 1
            return String(decoding: bytes[start..<position - 1], as: UTF8.self)
        }
        var unescaped = Array(bytes[start..<position])
        while let byte, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else { throw problem("A text has a control character.") }
            position += 1
            if byte == UInt8(ascii: "\\") { try escape(&unescaped) } else { unescaped.append(byte) }
        }
        return try text(unescaped[...], from: start)
    }

    /// The text of bytes, at the end of which the position is.
    private mutating func text(_ text: ArraySlice<UInt8>, from start: Int) throws(JSONProblem) -> String {
        guard position < bytes.count else { throw problem("A text does not end.") }
        guard let text = String(validating: text, as: UTF8.self) else {
            position = start
            throw problem("A text is not UTF-8.")
        }
        position += 1
        return text
    }

    private mutating func escape(_ text: inout [UInt8]) throws(JSONProblem) {
        guard let byte else { return }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            var code = UInt32(try codeUnit())
            if code >> 10 == 0x36 {
                guard skip(UInt8(ascii: "\\")), skip(UInt8(ascii: "u")) else { throw halfCharacter }
                let trail = UInt32(try codeUnit())
                guard trail >> 10 == 0x37 else { throw halfCharacter }
                code = 0x10000 + (code & 0x3FF) << 10 + trail & 0x3FF
            }
            guard let scalar = Unicode.Scalar(code) else { throw halfCharacter }
            text.append(contentsOf: UTF8.encode(scalar) ?? .init())
        default:
            position -= 1
            throw problem("This escape does not exist.")
        }
    }

    private var halfCharacter: JSONProblem { problem("A text has half a character.") }

    private mutating func codeUnit() throws(JSONProblem) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte, let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
                throw problem("Four hexadecimal digits are missing.")
            }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }

    // MARK: -

    private var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    @discardableResult
    private mutating func skip(_ expected: UInt8) -> Bool {
        guard byte == expected else { return false }
        position += 1
        return true
    }

    private mutating func expect(_ expected: UInt8) throws(JSONProblem) {
        if skip(expected) { return }
        throw problem(byte == nil ? "It ends too early." : "\"\(Unicode.Scalar(expected))\" is missing.")
    }

    private func problem(_ explanation: String, isDuplicate: Bool = false) -> JSONProblem {
        JSONProblem(offset: position, path: path, explanation: explanation, isDuplicate: isDuplicate)
    }

    /// The keys and indices that lead to where the parser is.
    private var path: [any CodingKey] {
        open.indices.compactMap { level in
            let next = level + 1 < open.count ? open[level + 1] : nil
            guard open[level].isObject else {
                return JSONKey(index: max(0, (next?.firstValue ?? values.count) - open[level].firstValue))
            }
            let end = next?.firstKey ?? keys.count
            return end > open[level].firstKey ? JSONKey(keys[end - 1]) : nil
        }
    }
}

/// Why a text is no JSON.
package struct JSONProblem: Error {
    /// Where in the text, in bytes.
    package let offset: Int

    /// The keys and indices that lead there.
    package let path: [any CodingKey]

    package let explanation: String

    /// Whether it is JSON, in which one key is there twice.
    package let isDuplicate: Bool

    /// What is wrong, and where in the text.
    package var description: String { "\(explanation) (byte \(offset))" }
}

/// A key or an index of JSON, whatever it is.
package struct JSONKey: CodingKey {
    package let stringValue: String
    package let intValue: Int?

    package init(_ key: String) { (stringValue, intValue) = (key, nil) }

    package init(index: Int) { (stringValue, intValue) = ("Index \(index)", index) }

    package init(stringValue: String) { self.init(stringValue) }

    package init(intValue: Int) { self.init(index: intValue) }
}
