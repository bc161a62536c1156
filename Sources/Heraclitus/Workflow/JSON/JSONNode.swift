/// A value of JSON: a place in a text of which nothing has been asked yet, or what somebody has made.
enum JSONNode: Sendable {
    case text(JSONText, Int)
    case content(JSONValue.Content)

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
        case .content(let content):
            switch content {
            case .null: "null"
            case .bool: "a bool"
            case .integer, .unsigned, .number, .decimal: "a number"
            case .string: "a text"
            case .array: "an array"
            case .object: "an object"
            }
        }
    }

    var isArray: Bool {
        switch self {
        case .text(let text, let index): text.nodes[index].kind == .array
        case .content(.array): true
        case .content: false
        }
    }

    var isObject: Bool {
        switch self {
        case .text(let text, let index): text.nodes[index].kind == .object
        case .content(.object): true
        case .content: false
        }
    }

    var isNumber: Bool {
        switch self {
        case .text(let text, let index): text.nodes[index].kind == .number
        case .content(.integer), .content(.unsigned), .content(.number), .content(.decimal): true
        case .content: false
        }
    }

    var isNull: Bool {
        switch self {
        case .text(let text, let index): text.nodes[index].kind == .null
        case .content(.null): true
        case .content: false
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
        case .content(.bool(let bool)): bool
        case .content: nil
        }
    }

    var string: String? {
        switch self {
        case .text(let text, let index):
            switch text.nodes[index].kind {
            case .plainString, .string: text.string(index)
            default: nil
            }
        case .content(.string(let string)): string
        case .content: nil
        }
    }

    /// The text of a number, in which no digit is lost.
    var number: String? {
        switch self {
        case .text(let text, let index):
            text.nodes[index].kind == .number ? String(decoding: text.source(index), as: UTF8.self) : nil
        case .content(.integer(let integer)): "\(integer)"
        case .content(.unsigned(let unsigned)): "\(unsigned)"
        case .content(.number(let number)): number.isFinite ? "\(number)" : nil
        case .content(.decimal(let digits)): DecimalDigits(digits.utf8) == nil ? nil : digits
        case .content: nil
        }
    }

    /// The value with all of its digits, for somebody who may keep it for long; `nil` if there are more levels in it.
    func value(levels: Int) -> JSONValue? {
        guard case .text(let text, let index) = self else { return JSONValue(self) }
        let node = text.nodes[index]
        guard node.height <= levels else { return nil }
        guard node.hasElements else { return JSONValue(content) }
        return JSONValue(text.part(index).map { .text($0, 0) } ?? self)
    }

    /// What it is, its elements or members each as they are.
    var content: JSONValue.Content {
        switch self {
        case .content(let content): return content
        case .text(let text, let index):
            switch text.nodes[index].kind {
            case .null: return .null
            case .no: return .bool(false)
            case .yes: return .bool(true)
            case .number: return JSONValue.Content(number: text.source(index))
            case .plainString, .string: return .string(text.string(index))
            case .array:
                var elements: [JSONValue] = []
                elements.reserveCapacity(text.count(of: index))
                text.forEachElement(of: index) { elements.append(JSONValue(.text(text, $0))) }
                return .array(elements)
            case .object:
                var members: [String: JSONValue] = Dictionary(minimumCapacity: text.count(of: index))
                text.forEachMember(of: index) { key, value in
                    let name = text.string(key)
                    // As in Foundation's reader the first of two stays.
                    if members[name] == nil { members[name] = JSONValue(.text(text, value)) }
                    return true
                }
                return .object(members)
            }
        }
    }

    /// The value for a key of an object.
    func member(_ key: String) -> JSONNode? {
        switch self {
        case .text(let text, let object):
            guard text.nodes[object].kind == .object else { return nil }
            let keys = text.hasMany(object) ? text.keptIndex(of: object) : nil
            return text.member(key, of: object, by: keys).map { .text(text, $0) }
        case .content(.object(let members)): return members[key]?.node
        case .content: return nil
        }
    }

    /// The element of an array at a place.
    func element(_ place: Int) -> JSONNode? {
        switch self {
        case .text(let text, let array):
            guard text.nodes[array].kind == .array, (0..<text.count(of: array)).contains(place) else { return nil }
            if text.hasMany(array) { return .text(text, Int(text.keptIndex(of: array)[place])) }
            var element = array + 2
            for _ in 0..<place { element = text.end(of: element) }
            return .text(text, element)
        case .content(.array(let elements)): return elements.indices.contains(place) ? elements[place].node : nil
        case .content: return nil
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
            (count, source) = (text.count(of: index), .text(text, next: index + 2))
        case .content(.array(let elements)): (count, source) = (elements.count, .values(elements))
        case .content: return nil
        }
    }

    /// The element that comes next; `nil` after the last.
    var current: JSONNode? {
        guard index < count else { return nil }
        return switch source {
        case .text(let text, let next): .text(text, next)
        case .values(let values): values[index].node
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
        switch node {
        case .text(let text, let index):
            guard text.nodes[index].kind == .object else { return nil }
            source = .text(text, object: index, keys: text.hasMany(index) ? text.index(of: index) : nil)
        case .content(.object(let values)): source = .values(values)
        case .content: return nil
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
        case .values(let values): values[key]?.node
        }
    }
}
