import HeraclitusEssentials

/// The written bytes of an encoder, with its bookkeeping.
package struct WriterState {
    /// A member of an incomplete object.
    struct Member {
        let key: String
        let isASCII: Bool
        var start: Int
    }

    var bytes: [UInt8] = []

    /// The members of all incomplete objects, the innermost last.
    var members: [Member] = []

    /// Where the outermost value lies in another one.
    var path: [any CodingKey] = []

    /// How deep values may lie within values, counted from the outermost value of all.
    var depthLimit = JSONValue.textDepthLimit

    var userInfo: [CodingUserInfoKey: Any] = [:]

    /// The encoder whose value is being written, which alone may write.
    var current: ObjectIdentifier?
}

/// Writes the syntax of JSON, independently of `Codable`.
package final class JSONWriter: UncheckedState<WriterState> {
    init() { super.init(WriterState()) }

    func append(_ byte: UInt8) { state.bytes.append(byte) }

    func write(plain text: String) { state.bytes.append(contentsOf: text.utf8) }

    func write(_ flag: Bool) { write(plain: flag ? "true" : "false") }

    func write(_ integer: some FixedWidthInteger) {
        if let digit = UInt8(exactly: integer), digit < 10 {
            state.bytes.append(UInt8(ascii: "0") + digit)
        } else {
            write(plain: String(integer))
        }
    }

    /// Writes a finite number.
    func write(_ number: some BinaryFloatingPoint & LosslessStringConvertible) {
        write(plain: number.description)
        if state.bytes.last == UInt8(ascii: "0"), state.bytes.dropLast().last == UInt8(ascii: ".") {
            state.bytes.removeLast(2)
        }
    }

    /// Writes a text, and returns whether it is plain ASCII.
    @discardableResult
    func write(_ text: String) -> Bool { state.bytes.append(quoted: text) }

    func beginMember(_ key: String) {
        let start = state.bytes.count
        state.members.append(WriterState.Member(key: key, isASCII: write(key), start: start))
        append(UInt8(ascii: ":"))
    }

    /// Sorts the members of the innermost object by the UTF-8 of their keys, and keeps the last of two with one key.
    /// - Returns: The keys of dropped members.
    func sortMembers(from first: Int) -> [String] {
        let members = state.members
        let count = members.count
        guard let start = first < count ? members[first].start : nil else { return [] }
        var index = first + 1
        while index < count, members[index].isASCII, members[index - 1].key < members[index].key { index += 1 }
        if index == count, members[first].isASCII { return [] }
        let order = Self.order(members[first...])
        var sorted: [UInt8] = []
        sorted.reserveCapacity(state.bytes.count - start)
        for member in order {
            if !sorted.isEmpty { sorted.append(UInt8(ascii: ",")) }
            let end = member + 1 < count ? members[member + 1].start - 1 : state.bytes.count
            sorted += state.bytes[members[member].start..<end]
        }
        state.bytes.replaceSubrange(start..., with: sorted)
        if order.count == count - first { return [] }
        let kept = Set(order)
        return (first..<count).filter { !kept.contains($0) }.map { members[$0].key }
    }

    /// The places of members in their written order.
    private static func order(_ members: ArraySlice<WriterState.Member>) -> [Int] {
        // ASCII texts compare like their bytes.
        guard members.allSatisfy(\.isASCII) else {
            let last = Dictionary(members.indices.map { (members[$0].key, $0) }) { $1 }
            return last.sorted { precedes($0.key, $1.key) }.map(\.value)
        }
        let order = members.indices.sorted { one, other in
            members[one].key == members[other].key ? one < other : members[one].key < members[other].key
        }
        return order.indices.filter { $0 + 1 == order.count || members[order[$0]].key != members[order[$0 + 1]].key }
            .map { order[$0] }
    }

    private static func precedes(_ one: String, _ other: String) -> Bool {
        one.utf8.lexicographicallyPrecedes(other.utf8)
    }

    /// Sorts groups of elements by their bytes.
    ///
    /// The elements begin at some places, and the last one ends with the bytes.
    func sortElements(at starts: [Int], by count: Int) {
        guard let start = starts.first else { return }
        let groups = stride(from: 0, to: starts.count, by: count).map { first in
            let next = first + count
            let end = next < starts.count ? starts[next] - 1 : state.bytes.count
            return (key: state.bytes[starts[first]..<end], end)
        }
        let sorted = groups.map(\.key).sorted { $0.lexicographicallyPrecedes($1) }
        state.bytes.replaceSubrange(start..., with: Array(sorted.joined(separator: [UInt8(ascii: ",")])))
    }
}

extension [UInt8] {
    /// Appends a text between quotes, and says whether it is ASCII without escapes.
    fileprivate mutating func append(quoted text: String) -> Bool {
        append(UInt8(ascii: "\""))
        let start = count
        append(contentsOf: text.utf8)
        var all: UInt8 = 0
        for place in start..<count {
            let byte = self[place]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                escape(from: place)
                all = 0x80
                break
            }
            all |= byte
        }
        append(UInt8(ascii: "\""))
        return all < 0x80
    }

    private mutating func escape(from start: Int) {
        let rest = self[start...]
        removeLast(rest.count)
        for byte in rest {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): self += [UInt8(ascii: "\\"), byte]
            case 0x08: self += "\\b".utf8
            case 0x09: self += "\\t".utf8
            case 0x0A: self += "\\n".utf8
            case 0x0C: self += "\\f".utf8
            case 0x0D: self += "\\r".utf8
            case ..<0x20: self += ((byte < 0x10 ? "\\u000" : "\\u00") + String(byte, radix: 16)).utf8
            default: append(byte)
            }
        }
    }
}

// MARK: - Values

extension JSONWriter {
    /// Writes a raw value.
    /// - Parameters:
    ///   - value: The value.
    ///   - depth: The depth of the value.
    ///   - path: The path of the value, for errors.
    /// - Throws: `EncodingError` for unreadable values.
    func write(_ value: JSONValue, at depth: Int, _ path: @autoclosure () -> [any CodingKey]) throws(EncodingError) {
        if depth > state.depthLimit { throw Self.tooDeep(state.depthLimit, path()) }
        switch value {
        case .null: write(plain: "null")
        case .bool(let flag): write(flag)
        case .integer(let integer): write(integer)
        case .unsigned(let unsigned): write(unsigned)
        case .number(let number):
            guard number.isFinite else { throw Self.noNumber(number, path()) }
            write(number)
        case .decimal(let digits):
            guard let number = DecimalDigits(digits.utf8) else { throw Self.noNumber(digits, path()) }
            write(plain: number.text)
        case .string(let text): write(text)
        case .array(let elements):
            append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { append(UInt8(ascii: ",")) }
                try write(element, at: depth + 1, path() + [JSONKey(index: index)])
            }
            append(UInt8(ascii: "]"))
        case .object(let object):
            append(UInt8(ascii: "{"))
            var isFirst = true
            for (key, member) in object.sorted(by: { Self.precedes($0.key, $1.key) }) {
                if !isFirst { append(UInt8(ascii: ",")) }
                isFirst = false
                write(key)
                append(UInt8(ascii: ":"))
                try write(member, at: depth + 1, path() + [JSONKey(key)])
            }
            append(UInt8(ascii: "}"))
        }
    }

    static func tooDeep(_ limit: Int, _ path: [any CodingKey]) -> EncodingError {
        .invalidValue(
            "a value",
            .init(codingPath: path, debugDescription: "\(tooDeep) \(limit) levels.")
        )
    }

    private static let tooDeep = "It could not be read again: This is deeper than"

    /// Whether an error is about a value that lies too deep.
    package static func isTooDeep(_ error: any Error) -> Bool {
        guard case EncodingError.invalidValue(_, let context) = error else { return false }
        return context.debugDescription.hasPrefix(tooDeep)
    }

    static func noNumber(_ number: Any, _ path: [any CodingKey]) -> EncodingError {
        .invalidValue(number, .init(codingPath: path, debugDescription: "This is not a number of JSON."))
    }
}

// MARK: - Pretty printing

extension JSONWriter {
    /// Splits JSON on one line into several lines.
    package static func prettyPrinted(_ json: [UInt8]) -> [UInt8] {
        var (printed, level, isText) = ([UInt8](), 0, false)
        func beginLine() {
            printed.append(UInt8(ascii: "\n"))
            printed.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * level))
        }
        for (place, byte) in json.enumerated() {
            switch byte {
            case UInt8(ascii: "\""):
                // A quote in a text follows an odd number of backslashes.
                let backslashes = json[..<place].reversed().prefix { $0 == UInt8(ascii: "\\") }
                if !isText || backslashes.count.isMultiple(of: 2) { isText.toggle() }
                printed.append(byte)
            case _ where isText: printed.append(byte)
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                level += 1
                printed.append(byte)
                let isEmpty = [UInt8(ascii: "]"), UInt8(ascii: "}")].contains(json[place + 1])
                if isEmpty { printed.append(UInt8(ascii: "\n")) } else { beginLine() }
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                level -= 1
                beginLine()
                printed.append(byte)
            case UInt8(ascii: ","):
                printed.append(byte)
                beginLine()
            case UInt8(ascii: ":"): printed.append(contentsOf: " : ".utf8)
            default: printed.append(byte)
            }
        }
        return printed
    }
}
