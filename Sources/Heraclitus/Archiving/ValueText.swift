import HeraclitusEssentials

/// The description of a value for people.
///
/// It also describes invalid dates, for which Foundation stops the program. Only errors about unwritable values have
/// such dates.
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
    default: return hasIndescribableMember(value) ? textByMembers(of: value) : word(value)
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

/// Swift's description of a value, with valid texts for its dates.
private func textByMembers(of value: Any) -> String {
    let mirror = Mirror(reflecting: value)
    let members = mirror.children.map { (label: $0.label, text: textOfElement($0.value)) }
    func labelled(_ label: String?, _ text: String) -> String {
        // The members of an unnamed tuple have numbers as labels.
        label.flatMap { $0.hasPrefix(".") ? nil : "\($0): \(text)" } ?? text
    }
    switch mirror.displayStyle {
    case .optional: return "Optional(\(members.first?.text ?? ""))"
    case .collection: return "[\(members.map(\.text).joined(separator: ", "))]"
    case .set: return "Set([\(members.map(\.text).joined(separator: ", "))])"
    case .enum:
        guard let payload = members.first, let name = payload.label else { return "\(type(of: value))" }
        return name + (payload.text.hasPrefix("(") ? payload.text : "(\(payload.text))")
    default:
        let list = members.map { labelled($0.label, $0.text) }.joined(separator: ", ")
        return (mirror.displayStyle == .tuple ? "" : "\(type(of: value))") + "(\(list))"
    }
}

/// The text of an element or a member, in which Swift quotes texts.
private func textOfElement(_ element: Any) -> String { text(of: element) { String(reflecting: $0) } }

extension JSONValue {
    /// The value in Swift's own types, with an ellipsis below a number of levels.
    fileprivate func plain(levels: Int) -> Any {
        switch self {
        case .array where levels == 0, .object where levels == 0: "…"
        case .null: "nil"
        case .bool(let value): value
        case .integer(let value): value
        case .unsigned(let value): value
        case .number(let value): value
        case .decimal(let text), .string(let text): text
        case .array(let values): values.map { $0.plain(levels: levels - 1) }
        case .object(let values): values.mapValues { $0.plain(levels: levels - 1) }
        }
    }
}

private func isDescribable(_ date: Date) -> Bool {
    ArchivedDate.writable.contains(date.timeIntervalSinceReferenceDate)
}
