/// A value of JSON that is read from a text, or that a migration has made.
enum JSONNode {
    case text(JSONText, Int)
    case value(JSONValue)

    /// What it is, for errors.
    var kind: String {
        switch self {
        case .text(let text, let index):
            switch text.nodes[index].kind {
            case .null: "null"
            case .no, .yes: "a bool"
            case .number: "a number"
            case .plainString, .string: "a text"
            case .array: "an array"
            case .object: "an object"
            }
        case .value(let value):
            switch value {
            case .null: "null"
            case .bool: "a bool"
            case .integer, .unsigned, .number, .decimal: "a number"
            case .string: "a text"
            case .array: "an array"
            case .object: "an object"
            }
        }
    }

    var isNull: Bool {
        switch self {
        case .text(let text, let index): text.nodes[index].kind == .null
        case .value(let value): value == .null
        }
    }

    var bool: Bool? {
        switch self {
        case .text(let text, let index):
            switch text.nodes[index].kind {
            case .no: false
            case .yes: true
            default: nil
            }
        case .value(let value): value.boolValue
        }
    }

    var string: String? {
        switch self {
        case .text(let text, let index):
            switch text.nodes[index].kind {
            case .plainString, .string: text.string(index)
            default: nil
            }
        case .value(let value): value.stringValue
        }
    }

    /// The text of a number, in which no digit is lost.
    var number: String? {
        switch self {
        case .text(let text, let index):
            let node = text.nodes[index]
            return node.kind == .number ? String(decoding: text.source(node), as: UTF8.self) : nil
        case .value(let value):
            switch value {
            case .integer(let integer): return "\(integer)"
            case .unsigned(let unsigned): return "\(unsigned)"
            case .number(let number): return number.isFinite ? "\(number)" : nil
            case .decimal(let digits): return DecimalDigits(digits.utf8) == nil ? nil : digits
            default: return nil
            }
        }
    }

    /// The value with all of its digits; `nil` if there are more levels in it.
    func value(levels: Int) -> JSONValue? {
        switch self {
        case .text(let text, let index): JSONValue(text, index, levels: levels)
        case .value(let value): value
        }
    }
}

/// The elements of an array, one after the other.
struct JSONElements {
    private enum Source {
        case text(JSONText, next: Int)
        case values([JSONValue])
    }

    let count: Int
    private(set) var index = 0
    private var source: Source

    /// The elements of what is an array.
    init?(_ node: JSONNode) {
        switch node {
        case .text(let text, let index):
            guard text.nodes[index].kind == .array else { return nil }
            (count, source) = (Int(text.nodes[index].end), .text(text, next: index + 1))
        case .value(let value):
            guard case .array(let elements) = value else { return nil }
            (count, source) = (elements.count, .values(elements))
        }
    }

    /// The element that comes next; `nil` after the last.
    var current: JSONNode? {
        guard index < count else { return nil }
        return switch source {
        case .text(let text, let next): .text(text, next)
        case .values(let values): .value(values[index])
        }
    }

    mutating func advance() {
        index += 1
        if case .text(let text, let next) = source { source = .text(text, next: Int(text.nodes[next].next)) }
    }
}

/// The members of an object by key; of two with one key the first.
struct JSONMembers {
    private enum Source {
        case few(JSONText, object: Int)
        case many(JSONText, [String: Int])
        case values([String: JSONValue])
    }

    /// Up to how many members looking at each is faster than a table.
    private static let few = 12

    private let source: Source

    /// The members of what is an object.
    init?(_ node: JSONNode) {
        switch node {
        case .text(let text, let index):
            guard text.nodes[index].kind == .object else { return nil }
            let count = Int(text.nodes[index].end)
            guard count > Self.few else {
                source = .few(text, object: index)
                return
            }
            var table: [String: Int] = Dictionary(minimumCapacity: count)
            text.forEachMember(of: index) { key, value in
                let name = text.string(key)
                if table[name] == nil { table[name] = value }
                return true
            }
            source = .many(text, table)
        case .value(let value):
            guard case .object(let values) = value else { return nil }
            source = .values(values)
        }
    }

    /// The keys, in no order.
    var keys: [String] {
        switch source {
        case .few(let text, let object):
            var keys: [String] = []
            text.forEachMember(of: object) { key, _ in
                let name = text.string(key)
                if !keys.contains(name) { keys.append(name) }
                return true
            }
            return keys
        case .many(_, let table): return Array(table.keys)
        case .values(let values): return Array(values.keys)
        }
    }

    subscript(key: String) -> JSONNode? {
        switch source {
        case .few(let text, let object):
            var found: JSONNode?
            text.forEachMember(of: object) { index, value in
                guard text.isKey(index, key) else { return true }
                found = .text(text, value)
                return false
            }
            return found
        case .many(let text, let table): return table[key].map { .text(text, $0) }
        case .values(let values): return values[key].map { .value($0) }
        }
    }
}

extension JSONText {
    /// Calls for the key and the value of each member of an object, until the answer is `false`.
    fileprivate func forEachMember(of object: Int, _ body: (_ key: Int, _ value: Int) -> Bool) {
        var key = object + 1
        for _ in 0..<nodes[object].end {
            guard body(key, key + 1) else { return }
            key = Int(nodes[key + 1].next)
        }
    }

    fileprivate func isKey(_ index: Int, _ key: String) -> Bool {
        let node = nodes[index]
        return node.kind == .plainString ? source(node).elementsEqual(key.utf8) : string(index) == key
    }
}
