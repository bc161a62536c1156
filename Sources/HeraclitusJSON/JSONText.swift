/// Where a value or a key is in a text that has been parsed.
///
/// What is in an array or object follows it, and each key comes before its value.
struct JSONNode {
    /// The first byte, which says what the value is.
    let start: UInt32

    /// The place after the last byte; of an array or object the number of the node after all in it.
    var end: UInt32

    let isContainer: Bool

    /// Whether it is a text whose bytes are what it says.
    let isPlain: Bool

    /// Whether somebody has asked for the value of the key, or for all that is in the value.
    var isAsked = false

    static let sizeLimit = Int(UInt32.max)

    var bytes: Range<Int> { Int(start)..<Int(end) }

    /// What is between the quotes of a text.
    var content: Range<Int> { Int(start) + 1..<Int(end) - 1 }
}

extension [JSONNode] {
    mutating func append(_ start: Int, _ end: Int, isContainer: Bool = false, isPlain: Bool = false) {
        let (start, end) = (UInt32(truncatingIfNeeded: start), UInt32(truncatingIfNeeded: end))
        append(JSONNode(start: start, end: end, isContainer: isContainer, isPlain: isPlain))
    }

    /// The node after one and all in it.
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

/// The bytes of a text, and where its values are.
struct ParsedBytes {
    let bytes: [UInt8]
    var nodes: [JSONNode]
}

/// A text that has been parsed: its values are made when somebody asks for them.
final class JSONText: UncheckedState<ParsedBytes> {
    /// Parses a text, in which no key may be there twice unless the first of two is to count.
    convenience init(_ bytes: [UInt8], isLenient: Bool = false) throws(JSONProblem) {
        var parser = JSONParser(bytes, isLenient: isLenient)
        self.init(ParsedBytes(bytes: bytes, nodes: try parser.parse()))
    }

    private var bytes: [UInt8] { state.bytes }

    private var nodes: [JSONNode] { state.nodes }

    private func sign(_ node: Int) -> UInt8 { bytes[Int(nodes[node].start)] }

    func text(_ node: Int) -> String { nodes.text(node, in: bytes) }

    func isNull(_ node: Int) -> Bool { sign(node) == UInt8(ascii: "n") }

    func isObject(_ node: Int) -> Bool { sign(node) == UInt8(ascii: "{") }

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

    /// The value with all that is in it.
    func json(_ root: Int) -> JSONValue {
        // What is in a value comes before it, so that no depth needs more of a thread's stack.
        var values: [JSONValue] = []
        for node in (root..<nodes.next(root)).reversed() {
            switch sign(node) {
            case UInt8(ascii: "["):
                let elements = Array(values.suffix(children(of: node).count).reversed())
                values.removeLast(elements.count)
                values.append(.array(elements))
            case UInt8(ascii: "{"):
                let count = children(of: node).count / 2
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

    /// The elements of an array, or the keys and values of an object in turn.
    func children(of node: Int) -> [Int] { nodes.children(of: node) }

    /// The keys of an object, each of which its value follows.
    func keys(of object: Int) -> [Int] {
        let children = children(of: object)
        return stride(from: 0, to: children.count, by: 2).map { children[$0] }
    }

    /// The value of an object for a key.
    func member(_ key: String, of object: Int) -> Int? {
        let (nodes, size) = (nodes, key.utf8.count + 2)
        let end = nodes.next(object)
        var node = object + 1
        while node < end {
            let name = nodes[node]
            if !name.isPlain || Int(name.end - name.start) == size, text(node) == key { return node + 1 }
            node = nodes.next(node + 1)
        }
        return nil
    }

    /// The values of an object that may have many by their keys: to compare a few keys takes less than to hash them.
    func manyMembers(of object: Int) -> [String: Int]? {
        guard nodes.next(object) - object > 64 else { return nil }
        return Dictionary(keys(of: object).map { (text($0), $0 + 1) }) { first, _ in first }
    }

    func noteAsked(_ node: Int) { state.nodes[node].isAsked = true }

    /// The members of an object that nobody has asked for.
    func unread(of object: Int) -> [String: JSONValue] {
        let nodes = nodes
        if nodes[object].isAsked { return [:] }
        var unread: [String: JSONValue] = [:]
        var key = object + 1
        while key < nodes.next(object) {
            if !nodes[key].isAsked { unread[text(key)] = json(key + 1) }
            key = nodes.next(key + 1)
        }
        return unread
    }
}
