/// Finds the values of a JSON text.
///
/// The parser does not call itself, so its stack does not grow with the depth.
struct JSONParser {
    private let bytes: [UInt8]

    /// Whether the first of two values for one key is read, as in Foundation's reader; otherwise, the second is an error.
    private let isLenient: Bool

    private var position: Int

    /// The values and keys so far, in the order of the text.
    private var nodes: [JSONNode] = []

    /// The incomplete arrays and objects, the innermost last.
    private var open: [Int] = []

    init(_ bytes: [UInt8], at position: Int = 0, isLenient: Bool = false) {
        self.bytes = bytes
        self.position = position
        self.isLenient = isLenient
    }

    mutating func parse() throws(JSONProblem) -> [JSONNode] {
        guard bytes.count <= JSONNode.sizeLimit else { throw problem("This is larger than 4 GiB.") }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        // An array that grows takes twice the memory for a moment.
        nodes.reserveCapacity(bytes.count > 1 << 12 ? mostNodes : bytes.count / 8 + 8)
        open.reserveCapacity(8)
        skipSpace()
        try value()
        while let innermost = open.last { try next(in: innermost) }
        skipSpace()
        guard position == bytes.count else { throw problem("Something follows the value.") }
        return nodes
    }

    /// An upper limit for the number of nodes, unless arrays and objects are empty.
    private var mostNodes: Int {
        let signs: [UInt8] = [UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: ":")]
        return bytes.count { signs.contains($0) } + 1
    }

    /// Parses the next element or member of a container, or its end.
    private mutating func next(in container: Int) throws(JSONProblem) {
        skipSpace()
        let isObject = isObject(container)
        if byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
            if isObject, !isLenient { try expectDistinctKeys(container) }
            position += 1
            open.removeLast()
            nodes[container].end = UInt32(truncatingIfNeeded: nodes.count)
            return
        }
        if nodes.count > container + 1 {
            try expect(UInt8(ascii: ","))
            skipSpace()
        }
        if isObject {
            guard byte == UInt8(ascii: "\"") else { throw problem("A key is missing.") }
            try text()
            skipSpace()
            try expect(UInt8(ascii: ":"))
            skipSpace()
        }
        try value()
    }

    private func isObject(_ node: Int) -> Bool { bytes[Int(nodes[node].start)] == UInt8(ascii: "{") }

    private mutating func value() throws(JSONProblem) {
        guard let byte else { throw problem("It ends too early.") }
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["): try begin()
        case UInt8(ascii: "\""): try text()
        case UInt8(ascii: "t"): try word("true")
        case UInt8(ascii: "f"): try word("false")
        case UInt8(ascii: "n"): try word("null")
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number()
        default: throw problem("This is not a value.")
        }
    }

    private mutating func begin() throws(JSONProblem) {
        guard open.count < JSONValue.textDepthLimit else {
            throw problem("This is deeper than \(JSONValue.textDepthLimit) levels.")
        }
        open.append(nodes.count)
        nodes.append(position, position, isContainer: true)
        position += 1
    }

    private mutating func expectDistinctKeys(_ object: Int) throws(JSONProblem) {
        // An archive's keys are sorted.
        var (last, key) = (object + 1, object + 1)
        while key < nodes.count, key == last || precedes(last, key) {
            (last, key) = (key, nodes.next(key + 1))
        }
        if key >= nodes.count { return }
        var seen: Set<String> = []
        key = object + 1
        while key < nodes.count {
            let name = nodes.text(key, in: bytes)
            guard seen.insert(name).inserted else {
                nodes.removeLast(nodes.count - key - 1)
                throw problem("The key \"\(name.shortened)\" is there twice.", isDuplicate: true)
            }
            key = nodes.next(key + 1)
        }
    }

    /// Whether two plain keys are in order.
    private func precedes(_ one: Int, _ other: Int) -> Bool {
        let (one, other) = (nodes[one], nodes[other])
        return one.isPlain && other.isPlain && bytes[one.content].lexicographicallyPrecedes(bytes[other.content])
    }

    private mutating func word(_ word: String) throws(JSONProblem) {
        let start = position
        for letter in word.utf8 where !skip(letter) {
            position = start
            throw problem("This is not a value.")
        }
        nodes.append(start, position)
    }

    private mutating func number() throws(JSONProblem) {
        let start = position
        skip(UInt8(ascii: "-"))
        if !skip(UInt8(ascii: "0")) { try digits() }
        if skip(UInt8(ascii: ".")) { try digits() }
        if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
            if !skip(UInt8(ascii: "+")) { skip(UInt8(ascii: "-")) }
            try digits()
            guard DecimalDigits(bytes[start..<position]) != nil else {
                throw problem("The power of ten of a number is too large.")
            }
        }
        nodes.append(start, position)
    }

    private mutating func digits() throws(JSONProblem) {
        let start = position
        while let byte, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        if position == start { throw problem("A digit is missing.") }
    }

    // MARK: - Texts

    /// Parses a text or a key; a `String` is made only of a text with escapes or other characters than ASCII.
    private mutating func text() throws(JSONProblem) {
        let start = position
        position += 1
        skipPlain()
        let isPlain = byte == UInt8(ascii: "\"")
        if isPlain {
            position += 1
        } else {
            position = start
            _ = try string()
        }
        nodes.append(start, position, isPlain: isPlain)
    }

    /// Skips ASCII without escapes.
    private mutating func skipPlain() {
        let bytes = bytes
        var end = position
        while end < bytes.count {
            let byte = bytes[end]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte &- 0x20 >= 0x60 { break }
            end += 1
        }
        position = end
    }

    mutating func string() throws(JSONProblem) -> String {
        position += 1
        let start = position
        skipPlain()
        var unescaped = Array(bytes[start..<position])
        while let byte, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else { throw problem("A text has a control character.") }
            position += 1
            if byte == UInt8(ascii: "\\") { try escape(&unescaped) } else { unescaped.append(byte) }
        }
        guard position < bytes.count else { throw problem("A text does not end.") }
        guard let text = String(validating: unescaped, as: UTF8.self) else {
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

    @inline(__always)
    private mutating func skipSpace() {
        // Most texts have none.
        if let byte, byte > 0x20 { return }
        while let byte, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    @inline(__always) @discardableResult
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

    /// The path of the parser's position.
    private var path: [any CodingKey] {
        open.indices.compactMap { level in
            let end = level + 1 < open.count ? open[level + 1] : nodes.count
            let children = nodes.children(of: open[level], before: end)
            guard isObject(open[level]) else { return JSONKey(index: children.count) }
            // A key may have no value yet.
            return children.last.map { JSONKey(nodes.text(children.count.isMultiple(of: 2) ? $0 - 1 : $0, in: bytes)) }
        }
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
