#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A JSON text that has been parsed: its values in one flat list, each of them a place in the text.
///
/// Nothing is converted before somebody asks for it, so that no digit of a number is lost on the way, and what nobody asks for
/// costs sixteen bytes. Parsing takes time and memory in proportion to the text, at any depth.
final class JSONText: Sendable {
    enum Kind: UInt8 {
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

    struct Node {
        /// Where the text of a number begins, or what is between the quotes of a string.
        var start: UInt32

        /// Where that ends; the number of elements of an array, and of members of an object.
        var end: UInt32

        /// The number of the first node that is not within this one.
        var next: UInt32

        let kind: Kind
    }

    /// How deep values may lie within values, as in Foundation's reader.
    static let depthLimit = 512

    /// The text in UTF-8.
    let bytes: [UInt8]

    /// The values in the order of the text.
    ///
    /// Elements follow their array; a member is its key and then its value.
    let nodes: [Node]

    /// Parses a text.
    init(_ data: Data) throws(JSONProblem) {
        var parser = JSONParser([UInt8](data))
        try parser.parse()
        (bytes, nodes) = (parser.bytes, parser.nodes)
    }

    /// The text of a number, or what is between the quotes of a string.
    func source(_ node: Node) -> ArraySlice<UInt8> { bytes[Int(node.start)..<Int(node.end)] }

    /// A string, or the key of a member.
    func string(_ index: Int) -> String {
        let node = nodes[index]
        let source = source(node)
        guard node.kind == .string, source.contains(UInt8(ascii: "\\")) else {
            return String(decoding: source, as: UTF8.self)
        }
        return Self.unescaped(source)
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
struct JSONProblem: Error {
    /// Where in the text, in bytes.
    let offset: Int

    /// The keys and indices that lead there.
    let path: [any CodingKey]

    let explanation: String

    /// What is wrong, and where in the text.
    var description: String { "\(explanation) (byte \(offset))" }
}
