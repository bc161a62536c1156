/// The place of a value or a key in a parsed text.
///
/// The parts of an array or object follow it, and each key comes before its value.
struct JSONNode {
    /// The first byte, which tells the kind of the value.
    let start: UInt32

    /// The place after the last byte; of an array or object, the number of the node after its parts.
    var end: UInt32

    let isContainer: Bool

    /// Whether it is an ASCII text without escapes.
    let isPlain: Bool

    static let sizeLimit = Int(UInt32.max)

    var bytes: Range<Int> { Int(start)..<Int(end) }

    /// The bytes between the quotes of a text.
    var content: Range<Int> { Int(start) + 1..<Int(end) - 1 }
}

extension [JSONNode] {
    mutating func append(_ start: Int, _ end: Int, isContainer: Bool = false, isPlain: Bool = false) {
        let (start, end) = (UInt32(truncatingIfNeeded: start), UInt32(truncatingIfNeeded: end))
        append(JSONNode(start: start, end: end, isContainer: isContainer, isPlain: isPlain))
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
    func text(_ node: Int, in bytes: [UInt8]) -> String {
        if self[node].isPlain { return String(decoding: bytes[self[node].content], as: UTF8.self) }
        var parser = JSONParser(bytes, at: Int(self[node].start))
        return (try? parser.string()) ?? ""
    }
}

/// A parsed text, whose values are made on request.
final class JSONText {
    let bytes: [UInt8]
    let nodes: [JSONNode]

    /// The keys whose values a decoder has read, and the values all parts of which it has read.
    private var read: [Bool]

    /// Parses a text; a repeated key is an error unless the first of two values is to count.
    init(_ bytes: [UInt8], isLenient: Bool = false) throws(JSONProblem) {
        var parser = JSONParser(bytes, isLenient: isLenient)
        self.bytes = bytes
        nodes = try parser.parse()
        // `Array(repeating:count:)` asks the runtime for its type, which takes longer.
        read = nodes.map { _ in false }
    }

    /// The first byte of a node.
    func sign(_ node: Int) -> UInt8 { bytes[Int(nodes[node].start)] }

    func text(_ node: Int) -> String { nodes.text(node, in: bytes) }

    /// The value; of an array or object an empty one.
    func scalar(_ node: Int) -> JSONValue {
        switch sign(node) {
        case UInt8(ascii: "{"): .object([:])
        case UInt8(ascii: "["): .array([])
        case UInt8(ascii: "\""): .string(text(node))
        case UInt8(ascii: "t"): .bool(true)
        case UInt8(ascii: "f"): .bool(false)
        case UInt8(ascii: "n"): .null
        default: JSONValue(number: bytes[nodes[node].bytes]) ?? .null
        }
    }

    /// The value with all its parts.
    func json(_ root: Int) -> JSONValue {
        // Parts come before their value, so the stack does not grow with the depth.
        var values: [JSONValue] = []
        for node in (root..<nodes.next(root)).reversed() {
            switch sign(node) {
            case UInt8(ascii: "["):
                let elements = Array(values.suffix(nodes.children(of: node).count).reversed())
                values.removeLast(elements.count)
                values.append(.array(elements))
            case UInt8(ascii: "{"):
                let count = nodes.children(of: node).count / 2
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

    /// The keys of an object, each of which its value follows.
    func keys(of object: Int) -> [Int] {
        let children = nodes.children(of: object)
        return stride(from: 0, to: children.count, by: 2).map { children[$0] }
    }

    /// The value of an object for a key.
    func member(_ key: String, of object: Int) -> Int? {
        let (nodes, size) = (nodes, key.utf8.count)
        let end = nodes.next(object)
        var node = object + 1
        while node < end {
            if !nodes[node].isPlain || nodes[node].content.count == size, text(node) == key { return node + 1 }
            node = nodes.next(node + 1)
        }
        return nil
    }

    /// The values of an object for some ASCII keys, which count as read; 0 for missing ones.
    func members(_ keys: [[UInt8]], of object: Int) -> [Int] {
        // `Array(repeating:count:)` asks the runtime for its type, which takes longer than the search.
        var members = keys.map { _ in 0 }
        // One change in place of one for each key, because the runtime checks each.
        var read: [Bool] = []
        swap(&read, &self.read)
        defer { self.read = read }
        let end = nodes.next(object)
        var node = object + 1
        while node < end {
            let name = nodes[node].isPlain ? bytes[nodes[node].content] : Array(text(node).utf8)[...]
            if let place = keys.firstIndex(where: { $0.count == name.count && name.elementsEqual($0) }),
                members[place] == 0
            {
                members[place] = node + 1
                read[node] = true
            }
            node = nodes.next(node + 1)
        }
        return members
    }

    /// The values by key of an object that may have many; a few keys are compared faster than hashed.
    func manyMembers(of object: Int) -> [String: Int]? {
        guard nodes.next(object) - object > 64 else { return nil }
        return Dictionary(keys(of: object).map { (text($0), $0 + 1) }) { first, _ in first }
    }

    func noteRead(_ node: Int) { read[node] = true }

    /// The members of an object that no decoder has read.
    func unread(of object: Int) -> [String: JSONValue] {
        if read[object] { return [:] }
        var unread: [String: JSONValue] = [:]
        var key = object + 1
        while key < nodes.next(object) {
            if !read[key] { unread[text(key)] = json(key + 1) }
            key = nodes.next(key + 1)
        }
        return unread
    }
}
