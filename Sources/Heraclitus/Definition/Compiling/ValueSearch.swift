import HeraclitusEssentials

/// Searches a value for values of certain types at any depth: a machine in a state, an event in a property.
///
/// The search follows values and stops at other objects. Where the type decides, values are skipped, so a list of a
/// million numbers takes no longer than one of ten.
struct ValueSearch {
    private enum Answer {
        /// The type is sought, or is a list or optional of it, which may be empty.
        case holds
        case cannotHold
        case mayHold
    }

    /// Deeper than any value that Swift can release.
    ///
    /// Only a mirror that shows its own value gets here.
    private static let maximalDepth = 100_000

    private let isSought: (Any.Type) -> Bool
    private var answers: [ObjectIdentifier: Answer] = [:]

    init(for isSought: @escaping (Any.Type) -> Bool) { self.isSought = isSought }

    /// The matches among the properties of an object, depth first, with their paths.
    ///
    /// The walk is iterative, because a list of a thousand indirect cases would overflow a thread's stack.
    /// - Parameters:
    ///   - object: The object.
    ///   - limit: The number of matches that are enough.
    /// - Returns: The matches. A list or optional of the sought type has no value, because it may be empty; its elements
    ///   follow.
    mutating func matches(in object: Mirror, limit: Int = .max) -> [(path: [String], value: Any?)] {
        var found: [(path: [String], value: Any?)] = []
        var open = [Self.contents(of: object)]
        var path: [String] = []
        while found.count < limit, let innermost = open.last {
            guard let (label, value) = innermost.next() else {
                open.removeLast()
                _ = path.popLast()
                continue
            }
            let answer = answer(for: type(of: value))
            if answer == .cannotHold { continue }
            if isSought(type(of: value)) {
                found.append((path + [label], value))
                continue
            }
            if answer == .holds { found.append((path + [label], nil)) }
            if path.count == Self.maximalDepth {
                fatalError("A mirror of \(fullName(of: type(of: value))) shows nested values without end.")
            }
            open.append(Self.contents(of: value))
            path.append(label)
        }
        return found
    }

    private static func contents(of value: Any) -> ValueContents {
        (value as? any ValueContainer)?.contents ?? contents(of: Mirror(reflecting: value))
    }

    private static func contents(of mirror: Mirror) -> ValueContents {
        let mirrors = sequence(first: mirror, next: \.superclassMirror)
        return ValueContents(
            mirrors.lazy.flatMap(\.children).map { ($0.label.map(unmarked) ?? "[]", $0.value) }.makeIterator()
        )
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

/// Whether values of a type contain no references: numbers, dates, and structs and enumerations of them.
private func isTrivial<Value>(_ type: Value.Type) -> Bool { _isPOD(type) }

/// A value whose references never lead to a sought value.
protocol PlainValue {}

extension String: PlainValue {}
extension Substring: PlainValue {}
extension Character: PlainValue {}
extension JSONValue: PlainValue {}
// Foundation's values that states often keep in large numbers. They hold neither machines nor events.
extension Data: PlainValue {}
extension URL: PlainValue {}

/// The values in a value with their labels.
private typealias ValueContents = AnyIterator<(label: String, value: Any)>

/// A container that reflection shows incompletely, or whose type tells the types of its content.
private protocol ValueContainer {
    static var contentTypes: [Any.Type] { get }

    var contents: ValueContents { get }
}

extension ValueContainer where Self: Sequence {
    static var contentTypes: [Any.Type] { [Element.self] }

    var contents: ValueContents { ValueContents(lazy.map { ("[]", $0) }.makeIterator()) }
}

extension Array: ValueContainer {}
extension ArraySlice: ValueContainer {}
extension ContiguousArray: ValueContainer {}
extension Set: ValueContainer {}

extension Dictionary: ValueContainer {
    fileprivate static var contentTypes: [Any.Type] { [Key.self, Value.self] }

    fileprivate var contents: ValueContents {
        ValueContents(lazy.flatMap { [("[].key", $0 as Any), ("[].value", $1 as Any)] }.makeIterator())
    }
}

extension Optional: ValueContainer {
    fileprivate static var contentTypes: [Any.Type] { [Wrapped.self] }

    fileprivate var contents: ValueContents {
        ValueContents(map { [("some", $0)] }?.makeIterator() ?? [].makeIterator())
    }
}

/// A user info keeps its values in a private object.
extension UserInfo: ValueContainer {
    fileprivate static var contentTypes: [Any.Type] { [Value.self] }

    fileprivate var contents: ValueContents {
        ValueContents(values.sorted { $0.key < $1.key }.lazy.map { ($0.key, $0.value) }.makeIterator())
    }
}
