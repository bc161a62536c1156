/// The value of a decoder: in a text, or raw.
///
/// Raw values are decoded as they are, because a copy as text would double the memory of a migration.
enum DecodedValue {
    case inText(JSONText, Int)
    case raw(JSONValue)

    /// The value; for an array or object in a text, an empty one.
    var scalar: JSONValue {
        switch self {
        case .inText(let text, let node): text.scalar(node)
        case .raw(let value): value
        }
    }

    var isNull: Bool {
        switch self {
        case .inText(let text, let node): if case .null = text.state[node].kind { true } else { false }
        case .raw(let value): value.isNull
        }
    }

    var isObject: Bool {
        switch self {
        case .inText(let text, let node): if case .object = text.state[node].kind { true } else { false }
        case .raw(let value): value.isObject
        }
    }

    /// The value with all of its digits.
    var json: JSONValue {
        switch self {
        case .inText(let text, let node): text.json(node)
        case .raw(let value): value
        }
    }

    /// The values that types may read from the decoder of a text.
    var userInfo: [CodingUserInfoKey: Any] { if case .inText(let text, _) = self { text.userInfo } else { [:] } }

    /// The elements of an array.
    var elements: [DecodedValue] {
        switch self {
        case .inText(let text, let node): text.elements(of: node).map { .inText(text, $0) }
        case .raw(let value): value.arrayValue?.map(DecodedValue.raw) ?? []
        }
    }

    /// The keys of an object.
    var keys: [String] {
        switch self {
        case .inText(let text, let node): text.keys(of: node).map(text.text)
        case .raw(let value): value.objectValue.map { Array($0.keys) } ?? []
        }
    }

    /// Marks all parts of the value as read.
    func noteRead() {
        if case .inText(let text, let node) = self { text.noteRead(node) }
    }

    /// The values by key, if an object in a text may have many.
    var manyMembers: [String: Int]? {
        guard case .inText(let text, let node) = self else { return nil }
        return text.manyMembers(of: node)
    }

    /// The value for a key, which counts as read.
    func member(_ key: String, _ places: [String: Int]?) -> DecodedValue? {
        switch self {
        case .inText(let text, let object):
            let node = if let places { places[key] } else { text.member(key, of: object) }
            guard let node else { return nil }
            text.noteRead(node - 1)
            return .inText(text, node)
        case .raw(let value): return value[key].map(DecodedValue.raw)
        }
    }
}
