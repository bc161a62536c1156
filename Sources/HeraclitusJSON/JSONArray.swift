/// The elements of a JSON list.
///
/// It is used like an array of ``JSONValue``, and `Array(list)` makes one:
///
/// ```swift
/// if case .array(var steps) = data {
///     steps.append("done")
///     data = .array(steps)
/// }
/// ```
///
/// A list that was read stays a place in its text until it is changed; each element is made when somebody asks for it.
public struct JSONArray: Sendable {
    private enum Storage: Sendable {
        case text(JSONText, Int)
        case values([JSONValue])
    }

    private var storage: Storage

    /// Makes an empty list.
    public init() { storage = .values([]) }

    /// Makes a list of an array.
    /// - Parameter elements: The elements.
    public init(_ elements: [JSONValue]) { storage = .values(elements) }

    /// The array at a place of a text.
    init(_ text: JSONText, _ index: Int) { storage = .text(text, index) }

    /// Where it is in a text; `nil` if it was made or changed.
    var place: (JSONText, Int)? { if case .text(let text, let index) = storage { (text, index) } else { nil } }

    var values: [JSONValue] {
        switch storage {
        case .text(let text, let array):
            var values: [JSONValue] = []
            values.reserveCapacity(text.count(of: array))
            text.forEachElement(of: array) { values.append(JSONNode.text(text, $0).value) }
            return values
        case .values(let values): return values
        }
    }

    private mutating func change(_ body: (inout [JSONValue]) -> Void) {
        var values = values
        // Let go of it, or changing it would be copying it.
        storage = .values([])
        body(&values)
        storage = .values(values)
    }
}

extension JSONArray: RandomAccessCollection, MutableCollection, RangeReplaceableCollection {
    /// Gives the elements one after the other.
    public struct Iterator: IteratorProtocol, Sendable {
        fileprivate var elements: JSONElements

        /// The next element; `nil` after the last.
        /// - Returns: The element.
        public mutating func next() -> JSONValue? {
            guard let current = elements.current else { return nil }
            elements.advance()
            return current.value
        }
    }

    /// 0.
    public var startIndex: Int { 0 }

    /// The number of elements.
    public var endIndex: Int {
        switch storage {
        case .text(let text, let array): text.count(of: array)
        case .values(let values): values.count
        }
    }

    /// The element at a place, which there must be, as in an array.
    /// - Parameter position: The place, from 0.
    public subscript(position: Int) -> JSONValue {
        get {
            switch storage {
            case .text(let text, let array):
                precondition(indices.contains(position), "The list has no element \(position).")
                return JSONNode.text(text, text.element(position, of: array)).value
            case .values(let values): return values[position]
            }
        }
        set { change { $0[position] = newValue } }
    }

    /// Gives the elements one after the other.
    /// - Returns: What gives them.
    public func makeIterator() -> Iterator { Iterator(elements: JSONElements(self)) }

    /// Replaces some elements by others, as in an array.
    /// - Parameters:
    ///   - subrange: The places of the elements that go.
    ///   - newElements: The elements that come.
    public mutating func replaceSubrange(_ subrange: Range<Int>, with newElements: some Collection<JSONValue>) {
        change { $0.replaceSubrange(subrange, with: newElements) }
    }
}

extension JSONArray: ExpressibleByArrayLiteral {
    /// Makes a list.
    /// - Parameter elements: The elements.
    public init(arrayLiteral elements: JSONValue...) { self.init(elements) }
}

extension JSONArray: Hashable {
    /// Whether two lists have equal elements in the same order.
    /// - Parameters:
    ///   - one: A list.
    ///   - other: Another one.
    /// - Returns: Whether they have.
    public static func == (one: JSONArray, other: JSONArray) -> Bool {
        one.count == other.count && one.elementsEqual(other)
    }

    /// Hashes the elements.
    /// - Parameter hasher: The hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        for element in self { hasher.combine(element) }
    }
}

extension JSONArray: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What an array of the elements says.
    public var description: String { values.description }

    /// What an array of the elements says.
    public var debugDescription: String { values.debugDescription }

    /// The elements.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: values, displayStyle: .collection) }
}
