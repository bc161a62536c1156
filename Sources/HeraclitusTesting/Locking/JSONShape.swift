import Foundation
import Heraclitus

/// Which keys JSON data has, and of which types their values are.
///
/// A key is a path such as `cart.items[].name`. A value that is absent or `null` in some samples is one of several types.
struct JSONShape: Codable, Equatable {
    /// The types at each path.
    private(set) var types: [String: Set<String>] = [:]

    init(of samples: [JSONValue]) {
        for sample in samples {
            sample.forEachValue { path, value in
                if !path.isEmpty { types[path, default: []].insert(value.typeName) }
            }
        }
    }

    init(from decoder: any Decoder) throws {
        types = try [String: [String]](from: decoder).mapValues(Set.init)
    }

    func encode(to encoder: any Encoder) throws { try types.mapValues { $0.sorted() }.encode(to: encoder) }

    mutating func add(_ other: JSONShape) { types.merge(other.types) { $0.union($1) } }

    /// The paths that this has and another one has not, the outer ones only.
    func paths(missingIn other: JSONShape) -> [String] {
        outermost(types.keys.filter { other.types[$0] == nil && types[$0] != ["null"] })
    }

    /// The paths that both have, with values of no type in common, the outer ones only.
    func paths(ofOtherTypesIn other: JSONShape) -> [String] {
        outermost(
            types.keys.filter { path in
                guard let now = other.types[path]?.subtracting(["null"]), !now.isEmpty else { return false }
                let before = types[path, default: []].subtracting(["null"])
                return !before.isEmpty && before.isDisjoint(with: now)
            }
        )
    }

    private func outermost(_ paths: [String]) -> [String] {
        let paths = paths.sorted()
        return paths.filter { path in
            !paths.contains { path != $0 && (path.hasPrefix("\($0).") || path.hasPrefix("\($0)[]")) }
        }
    }
}

extension JSONValue {
    /// Calls a body with each value in this one and its path, this one first.
    func forEachValue(at path: String = "", _ body: (_ path: String, JSONValue) -> Void) {
        body(path, self)
        switch self {
        case .object(let members):
            for (key, member) in members { member.forEachValue(at: DataPath.path(path, then: key), body) }
        case .array(let elements):
            for element in elements { element.forEachValue(at: "\(path)[]", body) }
        default: break
        }
    }

    /// The value itself; of an object or a list, whether it is empty.
    var withoutContent: JSONValue {
        switch self {
        case .object(let members): members.isEmpty ? self : ["": .null]
        case .array(let elements): elements.isEmpty ? self : [.null]
        default: self
        }
    }

    /// Whether it is an object or a list.
    var isContainer: Bool {
        switch self {
        case .object, .array: true
        default: false
        }
    }

    /// The value as JSON.
    var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? typeName
    }

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

/// A path of a shape as code that leads to the value; none for one that leads into a list.
struct DataPath: CustomStringConvertible {
    private let keys: [String]

    init?(_ path: String) {
        // A point or a bracket in a key has a backslash before it.
        var keys = [""]
        var isEscaped = false
        for character in path {
            switch character {
            case _ where isEscaped:
                keys[keys.count - 1].append(character)
                isEscaped = false
            case "\\": isEscaped = true
            case ".": keys.append("")
            case "[": return nil
            default: keys[keys.count - 1].append(character)
            }
        }
        self.keys = keys
    }

    /// A path with one more key.
    static func path(_ path: String, then key: String) -> String {
        let escaped = key.reduce(into: "") { text, character in
            if "\\.[".contains(character) { text.append("\\") }
            text.append(character)
        }
        return path.isEmpty ? escaped : "\(path).\(escaped)"
    }

    var description: String { "archive.data" + keys.map { "[\($0.debugDescription)]" }.joined(separator: "?") }
}
