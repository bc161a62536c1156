import HeraclitusEssentials

/// The place of a value or a key in a parsed text.
///
/// The parts of an array or object follow it, and each key comes before its value.
package struct JSONNode {
    enum Kind {
        case null
        case bool(Bool)
        case number
        case text
        /// An ASCII text without escapes.
        case plainText
        case array
        case object
    }

    /// The place of the first byte.
    let start: UInt32

    /// The place after the last byte.
    ///
    /// An array or object has the number of the node after its parts, and during the parsing that of its outer one.
    var end: UInt32

    let kind: Kind

    /// Whether the order of an object's keys leaves open that one is repeated.
    var mayRepeatKey = false

    /// Whether a decoder has read the value after this key, or all parts of this value.
    var isRead = false

    static let sizeLimit = Int(UInt32.max)

    var isObject: Bool { if case .object = kind { true } else { false } }

    var isContainer: Bool { if case .array = kind { true } else { isObject } }

    var isPlain: Bool { if case .plainText = kind { true } else { false } }

    var bytes: Range<Int> { Int(start)..<Int(end) }

    /// The bytes between the quotes of a text.
    var content: Range<Int> { Int(start) + 1..<Int(end) - 1 }

    /// Whether two plain texts are in order.
    func precedes(_ other: JSONNode, _ bytes: Span<UInt8>) -> Bool {
        guard isPlain, other.isPlain else { return false }
        let (one, other) = (bytes.extracting(content), bytes.extracting(other.content))
        for place in 0..<min(one.count, other.count) where one[place] != other[place] {
            return one[place] < other[place]
        }
        return one.count < other.count
    }
}

extension [JSONNode] {
    mutating func append(_ start: Int, _ end: Int, _ kind: JSONNode.Kind) {
        let (start, end) = (UInt32(truncatingIfNeeded: start), UInt32(truncatingIfNeeded: end))
        append(JSONNode(start: start, end: end, kind: kind))
    }

    /// The node after a node and its parts.
    func next(_ node: Int) -> Int { self[node].isContainer ? Int(self[node].end) : node + 1 }

    /// The elements of an array, or the keys and values of an object in turn.
    func children(of container: Int, before end: Int? = nil) -> [Int] {
        var children: [Int] = []
        var child = container + 1
        let end = end ?? next(container)
        while child < end {
            children.append(child)
            child = next(child)
        }
        return children
    }

    /// The text of a node.
    func text(_ node: Int, in bytes: Span<UInt8>) -> String {
        var parser = JSONParser(at: Int(self[node].start))
        return (try? parser.string(bytes)) ?? ""
    }
}

/// A parsed text, whose values are made on request; the state is its nodes.
///
/// A decoder marks the keys whose values it has read, and the values all parts of which it has read.
package final class JSONText: UncheckedState<[JSONNode]> {
    private let bytes: ByteBuffer

    /// The values that types may read from a decoder of the text.
    let userInfo: [CodingUserInfoKey: Any]

    /// Parses a text; a repeated key is an error unless the first of two values is to count.
    init(
        _ text: Data,
        isLenient: Bool = false,
        userInfo: [CodingUserInfoKey: Any] = [:]
    ) throws(JSONProblem) {
        var parser = JSONParser(isLenient: isLenient)
        let bytes = ByteBuffer(text)
        let nodes = try bytes.withSpan { bytes throws(JSONProblem) in try parser.parse(bytes) }
        self.bytes = bytes
        self.userInfo = userInfo
        super.init(nodes)
    }

    func text(_ node: Int) -> String {
        state[node].isPlain ? bytes.text(state[node].content) : bytes.withSpan { state.text(node, in: $0) }
    }

    /// The value; of an array or object an empty one.
    func scalar(_ node: Int) -> JSONValue {
        switch state[node].kind {
        case .null: .null
        case .bool(let flag): .bool(flag)
        case .number: number(state[node].bytes)
        case .text, .plainText: .string(text(node))
        case .array: .array([])
        case .object: .object([:])
        }
    }

    private func number(_ places: Range<Int>) -> JSONValue {
        if let small = bytes.withSpan({ JSONValue.small($0.extracting(places)) }) { return .integer(small) }
        return JSONValue(number: bytes.text(places)) ?? .null
    }

    /// The value with all its parts.
    func json(_ root: Int) -> JSONValue {
        // Parts come before their value, so the stack does not grow with the depth.
        var values: [JSONValue] = []
        for node in (root..<state.next(root)).reversed() {
            switch state[node].kind {
            case .array:
                let elements = Array(values.suffix(state.children(of: node).count).reversed())
                values.removeLast(elements.count)
                values.append(.array(elements))
            case .object:
                let count = state.children(of: node).count / 2
                var members: [String: JSONValue] = Dictionary(minimumCapacity: count)
                for _ in 0..<count {
                    let (key, value) = (values.removeLast().stringValue ?? "", values.removeLast())
                    if members[key] == nil { members[key] = value }
                }
                values.append(.object(members))
            default: values.append(scalar(node))
            }
        }
        return values.last ?? .null
    }

    /// The elements of an array.
    func elements(of array: Int) -> [Int] { state.children(of: array) }

    /// The keys of an object, each of which its value follows.
    func keys(of object: Int) -> [Int] {
        let children = state.children(of: object)
        return stride(from: 0, to: children.count, by: 2).map { children[$0] }
    }

    /// The value of an object for a key.
    func member(_ key: String, of object: Int) -> Int? {
        let size = key.utf8.count
        var node = object + 1
        while node < state.next(object) {
            if !state[node].isPlain || state[node].content.count == size, text(node) == key { return node + 1 }
            node = state.next(node + 1)
        }
        return nil
    }

    /// The values of an object for some ASCII keys, which count as read; an array or object is empty.
    func members(_ keys: [[UInt8]], of object: Int) -> [JSONValue?] {
        var members: [JSONValue?] = keys.map { _ in nil }
        var node = object + 1
        while node < state.next(object) {
            let key = state[node]
            let escaped = key.isPlain ? nil : Array(text(node).utf8)
            if let place = keys.firstIndex(where: { name in
                escaped.map { $0 == name } ?? bytes.equal(name, at: key.content)
            }) {
                members[place] = scalar(node + 1)
                state[node].isRead = true
            }
            node = state.next(node + 1)
        }
        return members
    }

    /// The values by key of an object that may have many; a few keys are compared faster than hashed.
    func manyMembers(of object: Int) -> [String: Int]? {
        guard state.next(object) - object > 64 else { return nil }
        return Dictionary(keys(of: object).map { (text($0), $0 + 1) }) { first, _ in first }
    }

    func noteRead(_ node: Int) { state[node].isRead = true }

    /// The members of an object that no decoder has read.
    func unread(of object: Int) -> [String: JSONValue] {
        if state[object].isRead { return [:] }
        var unread: [String: JSONValue] = [:]
        var key = object + 1
        while key < state.next(object) {
            if !state[key].isRead { unread[text(key)] = json(key + 1) }
            key = state.next(key + 1)
        }
        return unread
    }
}
