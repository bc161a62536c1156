import Heraclitus

/// Which keys JSON data has, and of which types their values are.
///
/// A key is a path such as `cart.items[].name`. A value that is absent or `null` in some samples is one of several types.
struct JSONShape: Codable, Equatable {
    /// The types at each path.
    private(set) var types: [String: Set<String>] = [:]

    init(of samples: [JSONValue]) {
        for sample in samples { add(sample, at: "") }
    }

    init(from decoder: any Decoder) throws {
        types = try [String: [String]](from: decoder).mapValues(Set.init)
    }

    func encode(to encoder: any Encoder) throws { try types.mapValues { $0.sorted() }.encode(to: encoder) }

    private mutating func add(_ value: JSONValue, at path: String) {
        if !path.isEmpty { types[path, default: []].insert(value.typeName) }
        switch value {
        case .object(let members):
            for (key, member) in members { add(member, at: path.isEmpty ? key : "\(path).\(key)") }
        case .array(let elements):
            for element in elements { add(element, at: "\(path)[]") }
        default: break
        }
    }

    /// The paths that this has and another one has not, the outer ones only.
    func paths(missingIn other: JSONShape) -> [String] {
        let missing = types.keys.filter { path in
            other.types[path] == nil && types[path] != ["null"]
        }.sorted()
        return missing.filter { path in
            !missing.contains { path != $0 && (path.hasPrefix("\($0).") || path.hasPrefix("\($0)[]")) }
        }
    }
}

extension JSONValue {
    /// What type of value it is, in a word.
    var typeName: String {
        switch self {
        case .null: "null"
        case .bool: "bool"
        case .integer, .unsigned, .number, .decimal: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }
}
