/// A value that a decoder reads.
enum DecodedValue {
    case inText(JSONText, Int)

    /// One that a migration has made.
    case made(JSONValue)

    /// The value; of an array or object in a text an empty one.
    var scalar: JSONValue {
        switch self {
        case .inText(let text, let node): text.scalar(node)
        case .made(let value): value
        }
    }

    var isNull: Bool {
        switch self {
        case .inText(let text, let node): text.sign(node) == UInt8(ascii: "n")
        case .made(let value): value.isNull
        }
    }

    var isObject: Bool {
        switch self {
        case .inText(let text, let node): text.sign(node) == UInt8(ascii: "{")
        case .made(let value): value.isObject
        }
    }

    /// The value with all of its digits.
    var json: JSONValue {
        switch self {
        case .inText(let text, let node): text.json(node)
        case .made(let value): value
        }
    }

    /// The elements of an array.
    var elements: [DecodedValue] {
        switch self {
        case .inText(let text, let node): text.nodes.children(of: node).map { .inText(text, $0) }
        case .made(let value): value.arrayValue?.map(DecodedValue.made) ?? []
        }
    }

    /// The keys of an object, all of which count as asked for.
    var keys: [String] {
        switch self {
        case .inText(let text, let node):
            text.noteAsked(node)
            return text.keys(of: node).map(text.text)
        case .made(let value): return value.objectValue.map { Array($0.keys) } ?? []
        }
    }

    /// The values by their keys of an object in a text that may have many.
    var manyMembers: [String: Int]? {
        guard case .inText(let text, let node) = self else { return nil }
        return text.manyMembers(of: node)
    }

    /// The value for a key, which counts as asked for.
    func member(_ key: String, _ places: [String: Int]?) -> DecodedValue? {
        switch self {
        case .inText(let text, let object):
            let node = if let places { places[key] } else { text.member(key, of: object) }
            guard let node else { return nil }
            text.noteAsked(node - 1)
            return .inText(text, node)
        case .made(let value): return value[key].map(DecodedValue.made)
        }
    }
}
