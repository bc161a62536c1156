/// Parses a JSON text without calling itself, so that a text of any depth needs no more of a thread's stack.
struct JSONParser {
    let bytes: [UInt8]
    private(set) var nodes: [JSONText.Node] = []

    private var position = 0

    /// The arrays and objects that are not complete, the innermost last.
    private var open: [Int] = []

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func parse() throws(JSONProblem) {
        // Places are kept in 32 bits.
        guard bytes.count < UInt32.max else { throw problem("It is larger than 4 GiB.") }
        let survey = JSONSurvey(bytes.span)
        nodes.reserveCapacity(survey.nodes)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        skipSpace()
        try value()
        while let innermost = open.last { try next(in: innermost) }
        skipSpace()
        guard position == bytes.count else { throw problem("Something follows the value.") }
    }

    /// Parses what comes next in an array or object: its end, or an element.
    private mutating func next(in innermost: Int) throws(JSONProblem) {
        let isObject = nodes[innermost].kind == .object
        skipSpace()
        if byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
            position += 1
            nodes[innermost + 1].number = UInt32(nodes.count)
            open.removeLast()
            if let outer = open.last { nodes[outer].raise(to: nodes[innermost].height + 1) }
            return
        }
        if nodes[innermost].number > 0 {
            try expect(UInt8(ascii: ","))
            skipSpace()
        }
        if isObject {
            guard byte == UInt8(ascii: "\"") else { throw problem("A key is missing.") }
            try string()
            skipSpace()
            try expect(UInt8(ascii: ":"))
            skipSpace()
        }
        nodes[innermost].number += 1
        nodes[innermost].raise(to: 1)
        try value()
    }

    private mutating func value() throws(JSONProblem) {
        guard let byte else { throw problem("It ends too early.") }
        switch byte {
        case UInt8(ascii: "{"): try begin(.object)
        case UInt8(ascii: "["): try begin(.array)
        case UInt8(ascii: "\""): try string()
        case UInt8(ascii: "t"): try word("true", .yes)
        case UInt8(ascii: "f"): try word("false", .no)
        case UInt8(ascii: "n"): try word("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number()
        default: throw problem("This is not a value.")
        }
    }

    private mutating func begin(_ kind: JSONText.Kind) throws(JSONProblem) {
        guard open.count < JSONText.depthLimit else {
            throw problem("This is deeper than \(JSONText.depthLimit) levels.")
        }
        open.append(nodes.count)
        position += 1
        nodes.append(JSONText.Node(kind, number: 0, note: 0))
        // What follows it, which is known when it is complete.
        nodes.append(JSONText.Node(.null, number: UInt32(nodes.count + 1), note: 0))
    }

    private mutating func word(_ word: String, _ kind: JSONText.Kind) throws(JSONProblem) {
        guard bytes[position...].starts(with: word.utf8) else { throw problem("This is not a value.") }
        position += word.utf8.count
        nodes.append(JSONText.Node(kind, number: UInt32(position), note: 0))
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
        try append(.number, from: start)
    }

    private mutating func digits() throws(JSONProblem) {
        let start = position
        while let byte, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        if position == start { throw problem("A digit is missing.") }
    }

    private mutating func string() throws(JSONProblem) {
        position += 1
        let start = position
        var kind = JSONText.Kind.plainString
        var isASCII = true
        while let byte, byte != UInt8(ascii: "\"") {
            position += 1
            if byte == UInt8(ascii: "\\") {
                kind = .string
                try escape()
            } else if byte < 0x20 {
                position -= 1
                throw problem("A text has a control character.")
            } else if byte >= 0x80 {
                (kind, isASCII) = (.string, false)
            }
        }
        guard position < bytes.count else { throw problem("A text does not end.") }
        if !isASCII, String(validating: bytes[start..<position], as: UTF8.self) == nil {
            position = start
            throw problem("A text is not UTF-8.")
        }
        try append(kind, from: start)
        position += 1
    }

    private mutating func escape() throws(JSONProblem) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 1
        case UInt8(ascii: "u"):
            position += 1
            let unit = try codeUnit()
            if UTF16.isTrailSurrogate(unit) { throw problem("A text has half a character.") }
            guard UTF16.isLeadSurrogate(unit) else { return }
            guard skip(UInt8(ascii: "\\")), skip(UInt8(ascii: "u")), UTF16.isTrailSurrogate(try codeUnit()) else {
                throw problem("A text has half a character.")
            }
        default: throw problem("This escape does not exist.")
        }
    }

    private mutating func codeUnit() throws(JSONProblem) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte, let digit = Self.hexadecimal(byte) else {
                throw problem("Four hexadecimal digits are missing.")
            }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }

    /// The value of a hexadecimal digit; `nil` for what is none.
    static func hexadecimal(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
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

    private mutating func append(_ kind: JSONText.Kind, from start: Int) throws(JSONProblem) {
        let length = position - start
        guard length <= JSONText.Node.largestNote else { throw problem("A text is larger than 512 MiB.") }
        nodes.append(JSONText.Node(kind, number: UInt32(start), note: UInt32(length)))
    }

    private func problem(_ explanation: String) -> JSONProblem {
        JSONProblem(offset: position, path: path, explanation: explanation)
    }

    /// The keys and indices that lead to where the parser is.
    private var path: [any CodingKey] {
        open.enumerated().compactMap { level, container in
            let node = nodes[container]
            if node.kind == .array { return JSONKey(index: max(0, Int(node.number) - 1)) }
            // The last key before the next container, or before the end.
            let end = level + 1 < open.count ? open[level + 1] : nodes.count
            var index = container + 2
            var key: Int?
            while index < end {
                key = index
                let value = index + 1
                index = value < end ? JSONText.end(of: value, in: nodes) : end
            }
            return key.map { JSONKey(self.text(of: nodes[$0])) }
        }
    }

    private func text(of key: JSONText.Node) -> String {
        String(decoding: bytes[key.range], as: UTF8.self)
    }
}

/// What can be said of a JSON text at a glance, without knowing whether it is one.
package struct JSONSurvey {
    /// It has no more nodes than this.
    private(set) var nodes = 2

    /// How deep values lie within values, if it is JSON.
    package private(set) var depth = 0

    /// Whether it has a capital letter outside of texts, which no value has but a `NaN` that an encoder wrote.
    package private(set) var hasNoNumber = false

    package init(_ bytes: Span<UInt8>) {
        var level = 0
        var isText = false
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "\"") {
                isText.toggle()
            } else if isText {
                if byte == UInt8(ascii: "\\") { index += 1 }
            } else {
                switch byte {
                case UInt8(ascii: ","), UInt8(ascii: ":"): nodes += 1
                case UInt8(ascii: "["), UInt8(ascii: "{"):
                    // The second node of its own, and the first element.
                    nodes += 2
                    level += 1
                    depth = max(depth, level)
                case UInt8(ascii: "]"), UInt8(ascii: "}"): level -= 1
                case UInt8(ascii: "N"): hasNoNumber = true
                default: break
                }
            }
        }
    }
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
