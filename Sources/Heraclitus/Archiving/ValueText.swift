import HeraclitusEssentials

/// The description of a value for people.
///
/// It also describes invalid dates, for which Foundation stops the program. A value with such a date has only the name of
/// its type.
///
/// The members of a dictionary are sorted by their keys, so equal values have equal texts in every process.
package func text(of value: Any) -> String { text(of: value) { "\($0)" } }

/// The text of a value; `word` describes a value without elements.
private func text(of value: Any, word: (Any) -> String) -> String {
    switch value {
    case let date as Date where !isDescribable(date):
        return "a date \(date.timeIntervalSinceReferenceDate) s after 2001-01-01"
    case let members as [AnyHashable: Any]:
        let texts = members.map { (textOfElement($0.key.base), textOfElement($0.value)) }.sorted { $0 < $1 }
        return texts.isEmpty ? "[:]" : "[\(texts.map { "\($0): \($1)" }.joined(separator: ", "))]"
    case let elements as [Any]: return "[\(elements.map(textOfElement).joined(separator: ", "))]"
    case let json as JSONValue: return text(of: json.plain(levels: JSONValue.depthLimit), word: word)
    default: return hasIndescribableMember(value) ? "\(type(of: value))(…)" : word(value)
    }
}

/// Whether Swift's description of a value would reach an invalid date.
///
/// Swift describes a value by its members, unless the value describes itself.
private func hasIndescribableMember(_ value: Any) -> Bool {
    if let date = value as? Date { return !isDescribable(date) }
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .struct where value is any CustomStringConvertible || value is any CustomDebugStringConvertible: return false
    case .enum where value is any CustomStringConvertible || value is any CustomDebugStringConvertible: return false
    case .struct, .enum, .tuple, .optional, .collection, .set, .dictionary:
        return mirror.children.contains { hasIndescribableMember($0.value) }
    default: return false
    }
}

/// The text of an element or a member, in which Swift quotes texts.
private func textOfElement(_ element: Any) -> String { text(of: element) { String(reflecting: $0) } }

/// A text without quotes.
private struct BareText: CustomStringConvertible {
    let description: String
}

extension JSONValue {
    /// The value in Swift's own types, with an ellipsis below a number of levels.
    fileprivate func plain(levels: Int) -> Any {
        switch self {
        case .array where levels == 0, .object where levels == 0: BareText(description: "…")
        case .null: BareText(description: "nil")
        case .bool(let value): value
        case .integer(let value): value
        case .unsigned(let value): value
        case .number(let value): value
        case .decimal(let text): BareText(description: text)
        case .string(let text): text
        case .array(let values): values.map { $0.plain(levels: levels - 1) }
        case .object(let values): values.mapValues { $0.plain(levels: levels - 1) }
        }
    }
}

private func isDescribable(_ date: Date) -> Bool {
    ArchivedDate.writable.contains(date.timeIntervalSinceReferenceDate)
}
