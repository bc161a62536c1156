import Foundation
import Heraclitus

/// The keys of JSON data, and the types of their values.
///
/// A key is a path such as `cart.items[].name`. A key has several types if its value is absent or `null` in some
/// samples.
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

    func union(_ other: JSONShape) -> JSONShape {
        var union = self
        union.types.merge(other.types) { $0.union($1) }
        return union
    }

    /// The outermost paths that another shape lacks.
    func paths(missingIn other: JSONShape) -> [String] {
        let missing = Set(types.keys.filter { other.types[$0] == nil && types[$0] != ["null"] })
        return missing.sorted().filter { !DataPath.paths(around: $0).contains(where: missing.contains) }
    }

    /// The paths beside a path, among some paths of another shape, with values of the same type.
    ///
    /// A single one that only the other shape has may be the other name of a renamed key.
    func paths(like path: String, among others: [String], of other: JSONShape) -> [String] {
        guard let code = DataPath(path) else { return [] }
        let type = types[path]?.subtracting(["null"])
        return others.filter {
            other.types[$0]?.subtracting(["null"]) == type && DataPath($0)?.isBeside(code) == true
        }
    }

    /// Whether a path leads into a value of a state's data, rather than to a member of the data itself.
    ///
    /// A machine within the data has data of its own.
    func isWithinValue(_ path: String) -> Bool {
        guard let parent = DataPath.paths(around: path).last(where: { types[$0] != nil }) else { return false }
        guard parent.hasSuffix(".data") else { return true }
        let archive = parent.dropLast(5)
        return !["format", "state", "version", "workflow"].allSatisfy { types["\(archive).\($0)"] != nil }
    }
}

extension JSONValue {
    /// Calls a body with this value and each value in it, each with its path; outer values come first.
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

    /// The value itself; for an object or a list, only whether it is empty.
    var withoutContent: JSONValue { isContainer && !isEmptyContainer ? [.string(typeName)] : self }

    /// Whether the value is an object or a list.
    var isContainer: Bool { arrayValue != nil || objectValue != nil }

    /// Whether the value is an empty object or an empty list.
    var isEmptyContainer: Bool { arrayValue?.isEmpty ?? objectValue?.isEmpty ?? false }

    /// The value reduced to the paths of a shape, with sorted lists, because a list's order may be that of a set.
    func comparable(in shape: JSONShape, at path: String) -> JSONValue {
        switch self {
        case .object(let members):
            var kept: [String: JSONValue] = [:]
            for (key, member) in members {
                let path = DataPath.path(path, then: key)
                if shape.types[path] != nil { kept[key] = member.comparable(in: shape, at: path) }
            }
            return .object(kept)
        case .array(let elements):
            return .array(elements.map { $0.comparable(in: shape, at: "\(path)[]") }.sorted { $0.text < $1.text })
        default: return self
        }
    }

    /// Whether equal values at two places are probably related.
    var isTelling: Bool {
        if let number = doubleValue { return !(0...1).contains(number) }
        return self != .null && boolValue == nil && self != "" && !isEmptyContainer
    }

    /// The values by path, with the value itself at the empty path, and without values in lists.
    var valuesByPath: [String: JSONValue] {
        var values: [String: JSONValue] = [:]
        forEachValue { path, value in if !path.contains("[]") { values[path] = value } }
        return values
    }

    /// The value as JSON.
    var text: String { (try? ArchiveEncoder.data(of: self)).map { String(decoding: $0, as: UTF8.self) } ?? typeName }

    /// The name of the value's type.
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

extension [String: JSONValue] {
    /// How many more keys come with each value than go when these values become others.
    func newKeys(in others: [String: JSONValue]) -> [JSONValue: Int] {
        var counts: [JSONValue: Int] = [:]
        for (path, value) in others where self[path] == nil { counts[value, default: 0] += 1 }
        for (path, value) in self where others[path] == nil { counts[value, default: 0] -= 1 }
        return counts
    }
}
