/// A value of JSON: a place in a text of which nothing has been asked yet, or what somebody has made.
package enum JSONNode: Sendable {
    case text(JSONText, Int)
    case value(JSONValue)

    /// A list or an object that was read is its place in the text.
    package init(_ value: JSONValue) {
        switch value {
        case .array(let array): self = array.place.map { .text($0, $1) } ?? .value(value)
        case .object(let object): self = object.place.map { .text($0, $1) } ?? .value(value)
        default: self = .value(value)
        }
    }

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
            case .number(let number) where !number.isFinite: "what is no number (\(number))"
            case .decimal(let digits) where DecimalDigits(digits.utf8) == nil: "what is no number (\(digits))"
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
        case .value(.null): true
        case .value: false
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
        case .value(.bool(let bool)): bool
        case .value: nil
        }
    }

    var string: String? {
        switch self {
        case .text(let text, let index):
            switch text.nodes[index].kind {
            case .plainString, .string: text.string(index)
            default: nil
            }
        case .value(.string(let string)): string
        case .value: nil
        }
    }

    /// The text of a number, in which no digit is lost.
    var number: String? {
        switch self {
        case .text(let text, let index):
            text.nodes[index].kind == .number ? String(decoding: text.source(index), as: UTF8.self) : nil
        case .value(.integer(let integer)): "\(integer)"
        case .value(.unsigned(let unsigned)): "\(unsigned)"
        case .value(.number(let number)): number.isFinite ? "\(number)" : nil
        case .value(.decimal(let digits)): DecimalDigits(digits.utf8) == nil ? nil : digits
        case .value: nil
        }
    }

    /// The value; an array or an object stays a place in the text.
    var value: JSONValue {
        switch self {
        case .value(let value): value
        case .text(let text, let index):
            switch text.nodes[index].kind {
            case .null: .null
            case .no: .bool(false)
            case .yes: .bool(true)
            case .number: JSONValue(number: text.source(index))
            case .plainString, .string: .string(text.string(index))
            case .array: .array(JSONArray(text, index))
            case .object: .object(JSONObject(text, index))
            }
        }
    }

    /// The value if it is an array or an object; nothing else is made of the text.
    fileprivate var container: JSONValue? {
        guard case .text(let text, let index) = self else { return value }
        return text.nodes[index].hasElements ? value : nil
    }

    /// The value, for somebody who may keep it for long; `nil` if there are more levels in it.
    package func value(levels: Int) -> JSONValue? {
        guard case .text(let text, let index) = self else { return value }
        let node = text.nodes[index]
        guard node.height <= levels else { return nil }
        guard node.hasElements, let part = text.part(index) else { return value }
        return JSONNode.text(part, 0).value
    }
}

/// The elements of an array, one after the other.
struct JSONElements: Sendable {
    private enum Source: Sendable {
        case text(JSONText, next: Int)
        case values([JSONValue])
    }

    let count: Int
    private(set) var index = 0
    private var source: Source

    /// The elements of what is an array.
    init?(_ node: JSONNode) {
        guard case .array(let array) = node.container else { return nil }
        self.init(array)
    }

    init(_ array: JSONArray) {
        count = array.count
        source = array.place.map { .text($0, next: $1 + 2) } ?? .values(array.values)
    }

    /// The element that comes next; `nil` after the last.
    var current: JSONNode? {
        guard index < count else { return nil }
        return switch source {
        case .text(let text, let next): .text(text, next)
        case .values(let values): JSONNode(values[index])
        }
    }

    mutating func advance() {
        index += 1
        if case .text(let text, let next) = source { source = .text(text, next: text.end(of: next)) }
    }
}

/// The members of an object by key; of two with one key the first.
struct JSONMembers {
    private enum Source {
        case text(JSONText, object: Int, keys: [UInt32]?)
        case values([String: JSONValue])
    }

    private let source: Source

    /// The members of what is an object.
    init?(_ node: JSONNode) {
        guard case .object(let object) = node.container else { return nil }
        if let (text, index) = object.place {
            source = .text(text, object: index, keys: text.hasMany(index) ? text.index(of: index) : nil)
        } else {
            source = .values(object.dictionary)
        }
    }

    /// The keys, in no order.
    var keys: [String] {
        switch source {
        case .text(let text, let object, let index):
            var keys: [String] = []
            keys.reserveCapacity(text.count(of: object))
            text.forEachMember(of: object) { key, value in
                let name = text.string(key)
                if text.member(name, of: object, by: index) == value { keys.append(name) }
                return true
            }
            return keys
        case .values(let values): return Array(values.keys)
        }
    }

    subscript(key: String) -> JSONNode? {
        switch source {
        case .text(let text, let object, let keys): text.member(key, of: object, by: keys).map { .text(text, $0) }
        case .values(let values): values[key].map(JSONNode.init)
        }
    }
}
