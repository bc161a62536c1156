/// Finds the values of a JSON text.
///
/// The parser does not call itself, so its stack does not grow with the depth.
struct JSONParser {
    /// Whether the first of two values for one key is read, as in Foundation's reader; otherwise, the second is an error.
    private let isLenient: Bool

    private var position: Int

    /// The values and keys so far, in the order of the text.
    private var nodes: [JSONNode] = []

    /// The innermost incomplete array or object; the `end` of each is the next outer one.
    private var open = 0

    private var depth = 0

    /// The last key of the innermost object; meaningless in an array.
    private var lastKey = 0

    init(at position: Int = 0, isLenient: Bool = false) {
        self.position = position
        self.isLenient = isLenient
    }

    mutating func parse(_ bytes: Span<UInt8>) throws(JSONProblem) -> [JSONNode] {
        guard bytes.count <= JSONNode.sizeLimit else { throw problem("This is larger than 4 GiB.", bytes) }
        if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { position = 3 }
        // An array that grows takes twice the memory for a moment.
        nodes.reserveCapacity(bytes.count > 1 << 12 ? Self.mostNodes(bytes) : bytes.count / 8 + 8)
        skipSpace(bytes)
        try value(bytes)
        while depth > 0 {
            if nodes[open].isObject { try nextMember(bytes) } else { try nextElement(bytes) }
        }
        skipSpace(bytes)
        guard position == bytes.count else { throw problem("Something follows the value.", bytes) }
        return nodes
    }

    /// An upper limit for the number of nodes, unless arrays and objects are empty.
    private static func mostNodes(_ bytes: Span<UInt8>) -> Int {
        var count = 1
        for place in bytes.indices {
            switch bytes[place] {
            case UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: ":"): count += 1
            default: break
            }
        }
        return count
    }

    // MARK: - Arrays and objects

    private mutating func begin(_ kind: JSONNode.Kind, _ bytes: Span<UInt8>) throws(JSONProblem) {
        guard depth < JSONValue.textDepthLimit else {
            throw problem("This is deeper than \(JSONValue.textDepthLimit) levels.", bytes)
        }
        nodes.append(position, open, kind)
        open = nodes.count - 1
        depth += 1
        position += 1
    }

    private mutating func end() {
        let outer = Int(nodes[open].end)
        nodes[open].end = UInt32(truncatingIfNeeded: nodes.count)
        lastKey = open - 1
        open = outer
        depth -= 1
        position += 1
    }

    /// Parses the next element of an array, or the array's end.
    @inline(__always)
    private mutating func nextElement(_ bytes: Span<UInt8>) throws(JSONProblem) {
        skipSpace(bytes)
        if next(bytes) == UInt8(ascii: "]") { return end() }
        try separate(bytes)
        try value(bytes)
    }

    /// Parses the next member of an object, or the object's end.
    @inline(__always)
    private mutating func nextMember(_ bytes: Span<UInt8>) throws(JSONProblem) {
        skipSpace(bytes)
        if next(bytes) == UInt8(ascii: "}") {
            if nodes[open].mayRepeatKey, !isLenient { try expectDistinctKeys(of: open, bytes) }
            return end()
        }
        let isFirst = nodes.count == open + 1
        try separate(bytes)
        guard next(bytes) == UInt8(ascii: "\"") else { throw problem("A key is missing.", bytes) }
        let key = nodes.count
        try text(bytes)
        if !isFirst, !nodes[lastKey].precedes(nodes[key], bytes) { nodes[open].mayRepeatKey = true }
        lastKey = key
        skipSpace(bytes)
        try expect(UInt8(ascii: ":"), bytes)
        skipSpace(bytes)
        try value(bytes)
    }

    /// Skips the comma before a part, unless it is the first one.
    @inline(__always)
    private mutating func separate(_ bytes: Span<UInt8>) throws(JSONProblem) {
        if nodes.count == open + 1 { return }
        try expect(UInt8(ascii: ","), bytes)
        skipSpace(bytes)
    }

    private mutating func expectDistinctKeys(of object: Int, _ bytes: Span<UInt8>) throws(JSONProblem) {
        var seen: Set<String> = []
        var key = object + 1
        while key < nodes.count {
            let name = nodes.text(key, in: bytes)
            guard seen.insert(name).inserted else {
                position = Int(nodes[key].start)
                nodes.removeLast(nodes.count - key - 1)
                throw problem("The key \"\(name.shortened)\" is there twice.", bytes, isDuplicate: true)
            }
            key = nodes.next(key + 1)
        }
    }

    // MARK: - Values

    @inline(__always)
    private mutating func value(_ bytes: Span<UInt8>) throws(JSONProblem) {
        guard let byte = next(bytes) else { throw problem("It ends too early.", bytes) }
        switch byte {
        case UInt8(ascii: "{"): try begin(.object, bytes)
        case UInt8(ascii: "["): try begin(.array, bytes)
        case UInt8(ascii: "\""): try text(bytes)
        case UInt8(ascii: "t"): try word("true", .bool(true), bytes)
        case UInt8(ascii: "f"): try word("false", .bool(false), bytes)
        case UInt8(ascii: "n"): try word("null", .null, bytes)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number(bytes)
        default: throw problem("This is not a value.", bytes)
        }
    }

    private mutating func word(_ word: String, _ kind: JSONNode.Kind, _ bytes: Span<UInt8>) throws(JSONProblem) {
        let start = position
        for letter in word.utf8 where !skip(letter, bytes) {
            position = start
            throw problem("This is not a value.", bytes)
        }
        nodes.append(start, position, kind)
    }

    private mutating func number(_ bytes: Span<UInt8>) throws(JSONProblem) {
        let start = position
        skip(UInt8(ascii: "-"), bytes)
        if !skip(UInt8(ascii: "0"), bytes) { try digits(bytes) }
        if skip(UInt8(ascii: "."), bytes) { try digits(bytes) }
        if skip(UInt8(ascii: "e"), bytes) || skip(UInt8(ascii: "E"), bytes) {
            if !skip(UInt8(ascii: "+"), bytes) { skip(UInt8(ascii: "-"), bytes) }
            try digits(bytes)
            guard DecimalDigits((start..<position).map { bytes[$0] }) != nil else {
                throw problem("The power of ten of a number is too large.", bytes)
            }
        }
        nodes.append(start, position, .number)
    }

    @inline(__always)
    private mutating func digits(_ bytes: Span<UInt8>) throws(JSONProblem) {
        let start = position
        while let byte = next(bytes), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        if position == start { throw problem("A digit is missing.", bytes) }
    }

    // MARK: - Texts

    /// Parses a text or a key; a `String` is made only of a text with escapes or other characters than ASCII.
    private mutating func text(_ bytes: Span<UInt8>) throws(JSONProblem) {
        let start = position
        position += 1
        skipPlain(bytes)
        if next(bytes) == UInt8(ascii: "\"") {
            position += 1
            nodes.append(start, position, .plainText)
        } else {
            position = start
            _ = try string(bytes)
            nodes.append(start, position, .text)
        }
    }

    /// Skips ASCII without escapes.
    @inline(__always)
    private mutating func skipPlain(_ bytes: Span<UInt8>) {
        var end = position
        while end < bytes.count {
            let byte = bytes[end]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte &- 0x20 >= 0x60 { break }
            end += 1
        }
        position = end
    }

    /// Parses one text.
    mutating func string(_ bytes: Span<UInt8>) throws(JSONProblem) -> String {
        position += 1
        let start = position
        skipPlain(bytes)
        var unescaped = (start..<position).map { bytes[$0] }
        while let byte = next(bytes), byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else { throw problem("A text has a control character.", bytes) }
            position += 1
            if byte == UInt8(ascii: "\\") { try escape(&unescaped, bytes) } else { unescaped.append(byte) }
        }
        guard position < bytes.count else { throw problem("A text does not end.", bytes) }
        guard let string = String(validating: unescaped, as: UTF8.self) else {
            position = start
            throw problem("A text is not UTF-8.", bytes)
        }
        position += 1
        return string
    }

    private mutating func escape(_ unescaped: inout [UInt8], _ bytes: Span<UInt8>) throws(JSONProblem) {
        guard let byte = next(bytes) else { return }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): unescaped.append(byte)
        case UInt8(ascii: "b"): unescaped.append(0x08)
        case UInt8(ascii: "f"): unescaped.append(0x0C)
        case UInt8(ascii: "n"): unescaped.append(0x0A)
        case UInt8(ascii: "r"): unescaped.append(0x0D)
        case UInt8(ascii: "t"): unescaped.append(0x09)
        case UInt8(ascii: "u"):
            var code = UInt32(try codeUnit(bytes))
            if code >> 10 == 0x36 {
                guard skip(UInt8(ascii: "\\"), bytes), skip(UInt8(ascii: "u"), bytes) else {
                    throw halfCharacter(bytes)
                }
                let trail = UInt32(try codeUnit(bytes))
                guard trail >> 10 == 0x37 else { throw halfCharacter(bytes) }
                code = 0x10000 + (code & 0x3FF) << 10 + trail & 0x3FF
            }
            guard let scalar = Unicode.Scalar(code) else { throw halfCharacter(bytes) }
            unescaped.append(contentsOf: UTF8.encode(scalar) ?? .init())
        default:
            position -= 1
            throw problem("This escape does not exist.", bytes)
        }
    }

    private func halfCharacter(_ bytes: Span<UInt8>) -> JSONProblem { problem("A text has half a character.", bytes) }

    private mutating func codeUnit(_ bytes: Span<UInt8>) throws(JSONProblem) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = next(bytes), let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
                throw problem("Four hexadecimal digits are missing.", bytes)
            }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }

    // MARK: -

    @inline(__always)
    private func next(_ bytes: Span<UInt8>) -> UInt8? { position < bytes.count ? bytes[position] : nil }

    @inline(__always)
    private mutating func skipSpace(_ bytes: Span<UInt8>) {
        // Most texts have none.
        while let byte = next(bytes), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            position += 1
        }
    }

    @inline(__always) @discardableResult
    private mutating func skip(_ expected: UInt8, _ bytes: Span<UInt8>) -> Bool {
        guard next(bytes) == expected else { return false }
        position += 1
        return true
    }

    @inline(__always)
    private mutating func expect(_ expected: UInt8, _ bytes: Span<UInt8>) throws(JSONProblem) {
        if skip(expected, bytes) { return }
        throw missing(expected, bytes)
    }

    // Code for errors makes the code around it slower.
    @inline(never)
    private func missing(_ expected: UInt8, _ bytes: Span<UInt8>) -> JSONProblem {
        problem(position == bytes.count ? "It ends too early." : "\"\(Unicode.Scalar(expected))\" is missing.", bytes)
    }

    private func problem(_ explanation: String, _ bytes: Span<UInt8>, isDuplicate: Bool = false) -> JSONProblem {
        JSONProblem(offset: position, path: path(bytes), explanation: explanation, isDuplicate: isDuplicate)
    }

    /// The path of the parser's position.
    private func path(_ bytes: Span<UInt8>) -> [any CodingKey] {
        var path: [any CodingKey] = []
        var (container, end) = (open, nodes.count)
        for _ in 0..<depth {
            let children = nodes.children(of: container, before: end)
            if !nodes[container].isObject {
                path.append(JSONKey(index: children.count))
            } else if let last = children.last {
                // A key may have no value yet.
                path.append(JSONKey(nodes.text(children.count.isMultiple(of: 2) ? last - 1 : last, in: bytes)))
            }
            (container, end) = (Int(nodes[container].end), container)
        }
        return path.reversed()
    }
}

/// The error of an invalid JSON text.
package struct JSONProblem: Error {
    /// The place in the text, in bytes.
    package let offset: Int

    /// The path of the place.
    package let path: [any CodingKey]

    package let explanation: String

    /// Whether the only problem is a repeated key.
    package let isDuplicate: Bool

    /// The problem and its place.
    package var description: String { "\(explanation) (byte \(offset))" }
}

/// Any key or index of JSON.
package enum JSONKey: CodingKey {
    case key(String)
    case index(Int)

    package init(_ key: String) { self = .key(key) }

    package init(index: Int) { self = .index(index) }

    package init(stringValue: String) { self = .key(stringValue) }

    package init(intValue: Int) { self = .index(intValue) }

    // The text of an index is made only for errors.
    package var stringValue: String {
        switch self {
        case .key(let key): key
        case .index(let index): "Index \(index)"
        }
    }

    package var intValue: Int? { if case .index(let index) = self { index } else { nil } }
}
