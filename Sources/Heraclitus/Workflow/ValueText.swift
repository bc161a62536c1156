#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a value says of itself, for a text that people read.
///
/// Foundation stops the program that asks it to describe a date which is no number. No archive has such a date, so the texts about what
/// cannot be written meet it.
///
/// The members of a dictionary come in the order of their keys, so that equal values have the same text in every process.
func text(of value: Any) -> String { text(of: value) { "\($0)" } }

/// A value's text; `word` describes one that has no elements.
private func text(of value: Any, word: (Any) -> String) -> String {
    /// As the collections of Swift describe them: a text is quoted.
    func text(ofElement element: Any) -> String { Heraclitus.text(of: element) { String(reflecting: $0) } }
    switch value {
    case let date as Date where !describable.contains(date):
        return "a date \(date.timeIntervalSinceReferenceDate) s after 2001-01-01"
    case let members as [AnyHashable: Any]:
        let texts = members.map { (text(ofElement: $0.key.base), text(ofElement: $0.value)) }.sorted { $0 < $1 }
        return texts.isEmpty ? "[:]" : "[\(texts.map { "\($0): \($1)" }.joined(separator: ", "))]"
    case let elements as [Any]: return "[\(elements.map(text(ofElement:)).joined(separator: ", "))]"
    case let json as JSONValue: return Heraclitus.text(of: json.plain, word: word)
    case let object as JSONObject: return Heraclitus.text(of: JSONValue.object(object), word: word)
    case let list as JSONArray: return Heraclitus.text(of: JSONValue.array(list), word: word)
    default: return word(value)
    }
}

extension JSONValue {
    /// A value of Swift's own that says the same.
    fileprivate var plain: Any {
        switch self {
        case .null: "nil"
        case .bool(let value): value
        case .integer(let value): value
        case .unsigned(let value): value
        case .number(let value): value
        case .decimal(let text), .string(let text): text
        case .array(let values): values.map(\.plain)
        case .object(let values): Dictionary(values.map { ($0.key, $0.value.plain) }) { $1 }
        }
    }
}

/// Years 1 to 9999.
private let describable =
    Date(timeIntervalSinceReferenceDate: -63_114_076_800)..<Date(timeIntervalSinceReferenceDate: 252_423_993_600)
