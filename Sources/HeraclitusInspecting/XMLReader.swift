/// Reads the elements of a document in XML, strictly and in linear time.
///
/// It refuses a document type, whose entities can make a short document long. Texts between elements are white space here.
struct XMLReader {
    struct Element {
        let name: String
        let attributes: [String: String]
        let line: Int

        /// Whether the element is empty: `<final id="end"/>`.
        let isEmpty: Bool
    }

    enum Token {
        case start(Element)
        case end(name: String, line: Int)
        case text(line: Int)
    }

    struct Problem: Error {
        let line: Int
        let explanation: String
    }

    private let bytes: [UInt8]
    private var place = 0
    private var line = 1

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { place = 3 }
    }

    /// The next token; `nil` at the end of the document.
    mutating func next() throws(Problem) -> Token? {
        while place < bytes.count {
            let start = line
            guard bytes[place] == UInt8(ascii: "<") else {
                if let text = skipText() { return .text(line: text) }
                continue
            }
            if skip("<!--") {
                try skip(through: "-->", "A comment does not end.")
            } else if skip("<?") {
                try skip(through: "?>", "A processing instruction does not end.")
            } else if skip("<!") {
                throw Problem(line: line, explanation: "A document type or a section of characters cannot be read.")
            } else if skip("</") {
                let name = try name()
                skipSpace()
                try expect(">")
                return .end(name: name, line: start)
            } else {
                place += 1
                return .start(try element(start))
            }
        }
        return nil
    }

    private mutating func element(_ start: Int) throws(Problem) -> Element {
        let name = try name()
        var attributes: [String: String] = [:]
        while true {
            let hadSpace = skipSpace()
            if skip("/>") { return Element(name: name, attributes: attributes, line: start, isEmpty: true) }
            if skip(">") { return Element(name: name, attributes: attributes, line: start, isEmpty: false) }
            guard hadSpace else { throw Problem(line: line, explanation: "The element \(name) does not end.") }
            let key = try self.name()
            skipSpace()
            try expect("=")
            skipSpace()
            let value = try quoted(key)
            guard attributes.updateValue(value, forKey: key) == nil else {
                throw Problem(line: line, explanation: "The element \(name) has the attribute \(key) twice.")
            }
        }
    }

    /// A value between quotes.
    private mutating func quoted(_ key: String) throws(Problem) -> String {
        guard place < bytes.count, bytes[place] == UInt8(ascii: "\"") || bytes[place] == UInt8(ascii: "'") else {
            throw Problem(line: line, explanation: "The value of \(key) is not in quotes.")
        }
        let quote = bytes[place]
        place += 1
        var value: [UInt8] = []
        while place < bytes.count, bytes[place] != quote {
            switch bytes[place] {
            case UInt8(ascii: "<"): throw Problem(line: line, explanation: "The value of \(key) has a \"<\" in it.")
            case UInt8(ascii: "&"): value += try reference().utf8
            // As XML has it, white space in a value is a space.
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"):
                value.append(UInt8(ascii: " "))
                advance()
            default:
                value.append(bytes[place])
                place += 1
            }
        }
        guard place < bytes.count else { throw Problem(line: line, explanation: "The value of \(key) does not end.") }
        place += 1
        guard let text = String(validating: value, as: UTF8.self) else {
            throw Problem(line: line, explanation: "The value of \(key) is not UTF-8.")
        }
        return text
    }

    /// A character by its number or its name: `&#x20;`, `&amp;`.
    private mutating func reference() throws(Problem) -> String {
        guard let end = bytes[place...].prefix(12).firstIndex(of: UInt8(ascii: ";")) else {
            throw Problem(line: line, explanation: "An \"&\" begins no reference to a character.")
        }
        let name = String(decoding: bytes[(place + 1)..<end], as: UTF8.self)
        place = end + 1
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default:
            let number =
                name.hasPrefix("#x") ? UInt32(name.dropFirst(2), radix: 16) : UInt32(name.dropFirst(1), radix: 10)
            guard name.hasPrefix("#"), !name.contains("+"), let scalar = number.flatMap(Unicode.Scalar.init),
                scalar != "\0"
            else {
                throw Problem(line: line, explanation: "There is no character &\(name);.")
            }
            return String(scalar)
        }
    }

    // MARK: - Bytes

    private mutating func name() throws(Problem) -> String {
        let start = place
        while place < bytes.count, Self.isInName(bytes[place]) { place += 1 }
        guard place > start, let name = String(validating: bytes[start..<place], as: UTF8.self) else {
            throw Problem(line: line, explanation: "A name was expected.")
        }
        return name
    }

    private static func isInName(_ byte: UInt8) -> Bool {
        let character = Character(Unicode.Scalar(byte))
        return byte >= 0x80 || character.isLetter || character.isNumber || "_-.:".utf8.contains(byte)
    }

    /// Skips the text between elements.
    /// - Returns: The line of the first character that is not white space; `nil` without one.
    private mutating func skipText() -> Int? {
        var text: Int?
        while place < bytes.count, bytes[place] != UInt8(ascii: "<") {
            if text == nil, !Self.isSpace(bytes[place]) { text = line }
            advance()
        }
        return text
    }

    @discardableResult
    private mutating func skipSpace() -> Bool {
        let start = place
        while place < bytes.count, Self.isSpace(bytes[place]) { advance() }
        return place > start
    }

    private static func isSpace(_ byte: UInt8) -> Bool { " \t\n\r".utf8.contains(byte) }

    private mutating func advance() {
        if bytes[place] == UInt8(ascii: "\n") { line += 1 }
        place += 1
    }

    private mutating func skip(_ text: String) -> Bool {
        guard bytes[place...].starts(with: text.utf8) else { return false }
        place += text.utf8.count
        return true
    }

    private mutating func skip(through end: String, _ explanation: String) throws(Problem) {
        let start = line
        while place < bytes.count {
            if skip(end) { return }
            advance()
        }
        throw Problem(line: start, explanation: explanation)
    }

    private mutating func expect(_ text: String) throws(Problem) {
        if !skip(text) { throw Problem(line: line, explanation: "A \"\(text)\" was expected.") }
    }
}
