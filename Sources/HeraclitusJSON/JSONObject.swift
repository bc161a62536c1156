/// The values of a JSON object by key.
///
/// It is used like a dictionary of ``JSONValue``, and `Dictionary(object)` makes one:
///
/// ```swift
/// if case .object(var settings) = data {
///     settings["attempts", default: 0] = 3
///     data = .object(settings)
/// }
/// ```
///
/// An object that was read stays a place in its text until it is changed; each value is made when somebody asks for it. Keys come in
/// no particular order.
public struct JSONObject: Sendable {
    private enum Storage: Sendable {
        case text(JSONText, Int)
        case values([String: JSONValue])
    }

    private var storage: Storage

    /// Makes an empty object.
    public init() { storage = .values([:]) }

    /// Makes an object of a dictionary.
    /// - Parameter members: The values by key.
    public init(_ members: [String: JSONValue]) { storage = .values(members) }

    /// The object at a place of a text.
    init(_ text: JSONText, _ index: Int) { storage = .text(text, index) }

    /// Where it is in a text; `nil` if it was made or changed.
    var place: (JSONText, Int)? { if case .text(let text, let index) = storage { (text, index) } else { nil } }

    var dictionary: [String: JSONValue] {
        switch storage {
        case .text(let text, let object):
            var values: [String: JSONValue] = Dictionary(minimumCapacity: text.count(of: object))
            text.forEachMember(of: object) { key, value in
                let name = text.string(key)
                // As in Foundation's reader the first of two stays.
                if values[name] == nil { values[name] = JSONNode.text(text, value).value }
                return true
            }
            return values
        case .values(let values): return values
        }
    }

    private mutating func change<Result>(_ body: (inout [String: JSONValue]) -> Result) -> Result {
        var values = dictionary
        // Let go of it, or changing it would be copying it.
        storage = .values([:])
        defer { storage = .values(values) }
        return body(&values)
    }
}

// MARK: - Looking and changing

extension JSONObject {
    /// The value for a key; `nil` if there is none.
    ///
    /// Setting `nil` removes the key.
    /// - Parameter key: The key.
    public subscript(key: String) -> JSONValue? {
        get {
            switch storage {
            case .text(let text, let object):
                text.member(key, of: object, by: text.indexIfMany(of: object)).map { JSONNode.text(text, $0).value }
            case .values(let values): values[key]
            }
        }
        set { change { $0[key] = newValue } }
    }

    /// The value for a key, or another one if there is none.
    /// - Parameters:
    ///   - key: The key.
    ///   - defaultValue: The value if there is none.
    public subscript(key: String, default defaultValue: @autoclosure () -> JSONValue) -> JSONValue {
        get { self[key] ?? defaultValue() }
        set { self[key] = newValue }
    }

    /// The keys.
    public var keys: Dictionary<String, JSONValue>.Keys { dictionary.keys }

    /// The values.
    public var values: Dictionary<String, JSONValue>.Values { dictionary.values }

    /// Sets the value for a key.
    /// - Parameters:
    ///   - value: The value.
    ///   - key: The key.
    /// - Returns: The value that there was; `nil` if there was none.
    @discardableResult
    public mutating func updateValue(_ value: JSONValue, forKey key: String) -> JSONValue? {
        change { $0.updateValue(value, forKey: key) }
    }

    /// Removes a key and its value.
    /// - Parameter key: The key.
    /// - Returns: The value that there was; `nil` if there was none.
    @discardableResult
    public mutating func removeValue(forKey key: String) -> JSONValue? { change { $0.removeValue(forKey: key) } }
}

// MARK: - One after the other

extension JSONObject: Collection {
    /// A key and its value.
    public typealias Element = (key: String, value: JSONValue)

    /// The place of a key and its value, until the object is changed.
    public struct Index: Comparable, Hashable, Sendable {
        fileprivate enum Place: Hashable, Sendable {
            /// The node of the key.
            case text(Int)
            case values(Dictionary<String, JSONValue>.Index)
        }

        fileprivate let place: Place

        /// Whether a place comes before another one of the same object.
        /// - Parameters:
        ///   - one: A place.
        ///   - other: Another one.
        /// - Returns: Whether it does.
        public static func < (one: Index, other: Index) -> Bool {
            switch (one.place, other.place) {
            case (.text(let one), .text(let other)): one < other
            case (.values(let one), .values(let other)): one < other
            case (.text, .values): true
            case (.values, .text): false
            }
        }
    }

    /// The place of the first key.
    public var startIndex: Index {
        switch storage {
        case .text(_, let object): Index(place: .text(object + 2))
        case .values(let values): Index(place: .values(values.startIndex))
        }
    }

    /// The place after the last key.
    public var endIndex: Index {
        switch storage {
        case .text(let text, let object): Index(place: .text(text.end(of: object)))
        case .values(let values): Index(place: .values(values.endIndex))
        }
    }

    /// How many keys there are.
    public var count: Int {
        switch storage {
        case .text:
            var count = 0
            var index = startIndex
            while index != endIndex {
                count += 1
                formIndex(after: &index)
            }
            return count
        case .values(let values): return values.count
        }
    }

    /// The place after another one.
    /// - Parameter index: A place that is not the end.
    /// - Returns: The next one.
    public func index(after index: Index) -> Index {
        switch (storage, index.place) {
        case (.text(let text, let object), .text(let place)) where place < text.end(of: object):
            var key = place
            repeat { key = text.end(of: key + 1) } while key < text.end(of: object) && !text.isFirst(key, of: object)
            return Index(place: .text(key))
        case (.values(let values), .values(let place)): return Index(place: .values(values.index(after: place)))
        default: preconditionFailure("The index is not one of this object, or the object has changed.")
        }
    }

    /// The key and the value at a place.
    /// - Parameter position: The place.
    public subscript(position: Index) -> Element {
        switch (storage, position.place) {
        case (.text(let text, let object), .text(let key)) where key < text.end(of: object):
            return (text.string(key), JSONNode.text(text, key + 1).value)
        case (.values(let values), .values(let place)): return values[place]
        default: preconditionFailure("The index is not one of this object, or the object has changed.")
        }
    }
}

extension JSONText {
    /// Whether a key is the first of all with its name, which stays of two, as in Foundation's reader.
    fileprivate func isFirst(_ key: Int, of object: Int) -> Bool {
        member(string(key), of: object, by: indexIfMany(of: object)) == key + 1
    }
}

// MARK: - Writing down, comparing, and showing

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Makes an object; the last of two values for one key is used.
    /// - Parameter elements: Keys and values.
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(Dictionary(elements) { $1 }) }
}

extension JSONObject: Hashable {
    /// Whether two objects have the same keys with equal values.
    /// - Parameters:
    ///   - one: An object.
    ///   - other: Another one.
    /// - Returns: Whether they have.
    public static func == (one: JSONObject, other: JSONObject) -> Bool { one.dictionary == other.dictionary }

    /// Hashes the keys and the values.
    /// - Parameter hasher: The hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(dictionary) }
}

extension JSONObject: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What a dictionary of the values says.
    public var description: String { dictionary.description }

    /// What a dictionary of the values says.
    public var debugDescription: String { dictionary.debugDescription }

    /// The keys and the values.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: dictionary, displayStyle: .dictionary) }
}

extension [String: JSONValue] {
    /// Makes a dictionary of an object.
    /// - Parameter object: The object.
    public init(_ object: JSONObject) { self = object.dictionary }
}
