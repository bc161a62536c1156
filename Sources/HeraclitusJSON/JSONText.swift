import Synchronization

/// A JSON text that has been parsed: its values in one flat list, each of them a place in the text.
///
/// Nothing is converted before somebody asks for it, so that no digit of a number is lost on the way, and what nobody asks for
/// costs eight bytes, or sixteen for an array or an object. Parsing takes time and memory in proportion to the text, at any depth.
package final class JSONText: Sendable {
    package enum Kind: UInt8 {
        case null
        case no
        case yes
        case number
        /// ASCII without escapes.
        case plainString
        case string
        case array
        case object
    }

    /// A value, or a key; arrays and objects have a second one, whose number is that of the first node that is not within them.
    package struct Node {
        /// Where the text of a number begins, or what is between the quotes of a string; the number of elements of an array, and
        /// of members of an object.
        var number: UInt32

        /// The kind in three bits; in the others how long that text is, or how many levels of values lie within an array or
        /// object.
        private var packed: UInt32

        static let largestNote = 1 << 29 - 1

        init(_ kind: Kind, number: UInt32, note: UInt32) {
            self.number = number
            packed = note << 3 | UInt32(kind.rawValue)
        }

        package var kind: Kind { Kind(rawValue: UInt8(packed & 7)) ?? .null }

        package var range: Range<Int> { Int(number)..<Int(number) + Int(packed >> 3) }

        /// How many levels of values lie within.
        var height: Int { hasElements ? Int(packed >> 3) : 0 }

        var hasElements: Bool { packed & 7 >= UInt32(Kind.array.rawValue) }

        mutating func raise(to height: Int) { packed = max(packed, UInt32(height) << 3 | packed & 7) }
    }

    /// How deep values may lie within values, as in Foundation's reader.
    package static let depthLimit = 512

    /// The text in UTF-8.
    let bytes: [UInt8]

    /// The values in the order of the text.
    ///
    /// Elements follow the two nodes of their array; a member is its key and then its value.
    package let nodes: [Node]

    /// How many bytes may still be spent on copies of parts.
    private let allowance: Atomic<Int>

    /// Where the elements of large arrays and the keys of large objects are, of those that somebody has asked for one by one.
    private let indexes = Mutex<[Int: [UInt32]]>([:])

    /// Written by each holder of the mutex, whose slow path the thread sanitizer does not see: without it, it reports races.
    private let noted = Atomic<UInt8>(0)

    /// Parses a text.
    package convenience init(_ bytes: [UInt8]) throws(JSONProblem) {
        var parser = JSONParser(bytes)
        try parser.parse()
        self.init(parser.bytes, parser.nodes)
    }

    private init(_ bytes: [UInt8], _ nodes: [Node]) {
        (self.bytes, self.nodes) = (bytes, nodes)
        allowance = Atomic(Self.size(bytes.count, nodes.count) / 2)
    }

    /// Calls a body with what was found out of containers, while no other thread does.
    func withIndexes<Result: Sendable>(_ body: (inout sending [Int: [UInt32]]) -> Result) -> Result {
        indexes.withLock { indexes in
            _ = noted.load(ordering: .acquiring)
            defer { noted.store(0, ordering: .releasing) }
            return body(&indexes)
        }
    }

    private static func size(_ bytes: Int, _ nodes: Int) -> Int { bytes + nodes * MemoryLayout<Node>.stride }

    /// The number of the first node that is not within one.
    package func end(of index: Int) -> Int { Self.end(of: index, in: nodes) }

    static func end(of index: Int, in nodes: [Node]) -> Int {
        nodes[index].hasElements ? Int(nodes[index + 1].number) : index + 1
    }

    /// The text of a number, or what is between the quotes of a string.
    func source(_ index: Int) -> ArraySlice<UInt8> { bytes[nodes[index].range] }

    /// A string, or the key of a member.
    package func string(_ index: Int) -> String {
        let source = source(index)
        guard nodes[index].kind == .string, source.contains(UInt8(ascii: "\\")) else {
            return String(decoding: source, as: UTF8.self)
        }
        return Self.unescaped(source)
    }

    /// A text of an array or object alone, so that who keeps it does not keep all of this one; `nil` if it is most of this one, or if
    /// the copies together would become larger than half of it.
    func part(_ index: Int) -> JSONText? {
        let end = end(of: index)
        let rest = allowance.load(ordering: .relaxed)
        guard Self.size(0, end - index) < rest else { return nil }
        var part = Array(nodes[index..<end])
        var texts = 0..<0
        var place = 0
        while place < part.count {
            switch part[place].kind {
            case .array, .object:
                part[place + 1].number -= UInt32(index)
                place += 1
            case .number, .plainString, .string:
                let range = part[place].range
                if texts.isEmpty { texts = range }
                texts = texts.lowerBound..<max(texts.upperBound, range.upperBound)
                part[place].number -= UInt32(texts.lowerBound)
            case .null, .no, .yes: break
            }
            place += 1
        }
        // With what each object and each list of the runtime takes besides.
        let size = Self.size(texts.count, part.count) + 200
        guard allowance.subtract(size, ordering: .relaxed).newValue >= 0 else {
            allowance.add(size, ordering: .relaxed)
            return nil
        }
        return JSONText(Array(bytes[texts]), part)
    }

    private static func unescaped(_ source: ArraySlice<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(source.count)
        var rest = source
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
                text.append(byte)
                continue
            }
            switch escape {
            case UInt8(ascii: "b"): text.append(0x08)
            case UInt8(ascii: "f"): text.append(0x0C)
            case UInt8(ascii: "n"): text.append(0x0A)
            case UInt8(ascii: "r"): text.append(0x0D)
            case UInt8(ascii: "t"): text.append(0x09)
            case UInt8(ascii: "u"):
                var code = codeUnit(rest.prefix(4))
                rest = rest.dropFirst(4)
                if UTF16.isLeadSurrogate(UInt16(code)) {
                    code = 0x10000 + (code - 0xD800) << 10 + (codeUnit(rest.dropFirst(2).prefix(4)) - 0xDC00)
                    rest = rest.dropFirst(6)
                }
                // The parser has seen that it is one.
                text.append(contentsOf: Unicode.Scalar(code).map { Array(String($0).utf8) } ?? [])
            default: text.append(escape)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The number that four hexadecimal digits are.
    private static func codeUnit(_ digits: ArraySlice<UInt8>) -> UInt32 {
        digits.reduce(0) { $0 << 4 | UInt32(JSONParser.hexadecimal($1) ?? 0) }
    }
}

/// Why a text is no JSON.
package struct JSONProblem: Error {
    /// Where in the text, in bytes.
    package let offset: Int

    /// The keys and indices that lead there.
    package let path: [any CodingKey]

    package let explanation: String

    /// What is wrong, and where in the text.
    package var description: String { "\(explanation) (byte \(offset))" }
}
