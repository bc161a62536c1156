/// Finds out whether a value holds something of a certain type, however deep: a machine in a state, an event in a property.
///
/// Values only: what another object holds is that object's own affair. Where the type alone decides, no value is looked at,
/// so that a list of a million numbers takes no longer than one of ten.
struct ValueSearch {
    private enum Answer {
        /// It is what is sought, or a list or an optional of it, perhaps empty now.
        case holds
        case cannotHold
        case mayHold
    }

    private static let maximalDepth = 8

    private let isSought: (Any.Type) -> Bool
    private var answers: [ObjectIdentifier: Answer] = [:]

    init(for isSought: @escaping (Any.Type) -> Bool) { self.isSought = isSought }

    /// The path to the first one in a value, empty if it is the value itself; `nil` if there is none.
    mutating func path(in value: Any) -> [String]? { path(in: value, depth: 0) }

    /// The path to the first one among the properties of an object.
    mutating func path(in object: Mirror) -> [String]? { path(in: object, depth: 0) }

    private mutating func path(in value: Any, depth: Int) -> [String]? {
        switch answer(for: type(of: value)) {
        case .holds: return []
        case .cannotHold: return nil
        case .mayHold: break
        }
        guard depth <= Self.maximalDepth else { return nil }
        guard let container = value as? any ValueContainer else {
            return path(in: Mirror(reflecting: value), depth: depth)
        }
        return container.firstPath { content, label in path(in: content, depth: depth + 1).map { [label] + $0 } }
    }

    private mutating func path(in mirror: Mirror, depth: Int) -> [String]? {
        for child in mirror.children {
            if let path = path(in: child.value, depth: depth + 1) { return [child.label ?? "[]"] + path }
        }
        return mirror.superclassMirror.flatMap { path(in: $0, depth: depth) }
    }

    private mutating func answer(for type: Any.Type) -> Answer {
        if let answer = answers[ObjectIdentifier(type)] { return answer }
        let answer = newAnswer(for: type)
        answers[ObjectIdentifier(type)] = answer
        return answer
    }

    private mutating func newAnswer(for type: Any.Type) -> Answer {
        if isSought(type) { return .holds }
        if type is AnyClass || type is any PlainValue.Type || isTrivial(type) { return .cannotHold }
        guard let container = type as? any ValueContainer.Type else { return .mayHold }
        let answers = container.contentTypes.map { answer(for: $0) }
        if answers.contains(.holds) { return .holds }
        return answers.contains(.mayHold) ? .mayHold : .cannotHold
    }
}

/// Whether values of a type refer to nothing: numbers, dates, and structs and enumerations of them.
private func isTrivial<Value>(_ type: Value.Type) -> Bool { _isPOD(type) }

/// A value with references of which none is to anything that is searched for.
protocol PlainValue {}

extension String: PlainValue {}
extension Substring: PlainValue {}
extension Character: PlainValue {}
extension JSONValue: PlainValue {}
extension JSONArray: PlainValue {}
extension JSONObject: PlainValue {}

/// A value that holds others whose types are its own type's parameters.
private protocol ValueContainer {
    static var contentTypes: [Any.Type] { get }

    /// Asks about each value in it, with what it is called, until there is an answer.
    func firstPath(_ path: (Any, String) -> [String]?) -> [String]?
}

extension ValueContainer where Self: Sequence {
    static var contentTypes: [Any.Type] { [Element.self] }

    func firstPath(_ path: (Any, String) -> [String]?) -> [String]? {
        for element in self {
            if let path = path(element, "[]") { return path }
        }
        return nil
    }
}

extension Array: ValueContainer {}
extension ArraySlice: ValueContainer {}
extension ContiguousArray: ValueContainer {}
extension Set: ValueContainer {}

extension Dictionary: ValueContainer {
    fileprivate static var contentTypes: [Any.Type] { [Key.self, Value.self] }

    fileprivate func firstPath(_ path: (Any, String) -> [String]?) -> [String]? {
        for (key, value) in self {
            if let path = path(key, "[].key") ?? path(value, "[].value") { return path }
        }
        return nil
    }
}

extension Optional: ValueContainer {
    fileprivate static var contentTypes: [Any.Type] { [Wrapped.self] }

    fileprivate func firstPath(_ path: (Any, String) -> [String]?) -> [String]? { flatMap { path($0, "some") } }
}
