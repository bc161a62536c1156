import HeraclitusEssentials

/// Values that the caller of `fire` passes to every callback of the transition.
///
/// The user info is a dictionary literal of `Codable & Sendable` values, which are read with their types:
///
/// ```swift
/// try machine.fire.load(state, userInfo: ["attempt": 1])
/// transition.userInfo["attempt", as: Int.self]     // 1
/// ```
///
/// It is `Codable`. A decoded value is converted to the requested type on reading.
@frozen
public struct UserInfo: Sendable {
    /// The values; `nil` if there are none, as in most fires, so that passing them on is free.
    @usableFromInline private(set) var storage: Storage?

    @usableFromInline
    final class Storage: Sendable {
        /// The values.
        ///
        /// They change only when the single owner takes them out.
        private let contents: Lock<[String: Value]>

        /// The cause of an automatic event.
        let cause: Occurrence.Cause?

        /// The error of the failed work that fires the event.
        let failure: (any Error)?

        init(_ values: [String: Value], cause: Occurrence.Cause? = nil, failure: (any Error)? = nil) {
            contents = Lock(values)
            self.cause = cause
            self.failure = failure
        }

        var values: [String: Value] { contents.withLock { $0 } }

        /// Takes the values out, to change them without a copy.
        func takeValues() -> [String: Value] { contents.withLock { exchange(&$0, with: [:]) } }
    }

    var values: [String: Value] { storage?.values ?? [:] }

    /// Changes the values in place, unless another user info shares them.
    private mutating func changeValues(_ change: (inout [String: Value]) -> Void) {
        let isAlone = isKnownUniquelyReferenced(&storage)
        var values = (isAlone ? storage?.takeValues() : storage?.values) ?? [:]
        change(&values)
        storage = values.isEmpty ? nil : Storage(values)
    }

    /// Makes an empty user info.
    @inlinable
    init() { storage = nil }

    @inline(__always)
    init(storage: Storage?) { self.storage = storage }

    /// The user info of an automatic event.
    init(cause: Occurrence.Cause) { storage = Storage([:], cause: cause) }

    /// The user info of the event that follows failed work.
    init(failure error: any Error) {
        storage = Storage([:], cause: .failure(ownWords(of: error)), failure: error)
    }

    /// The user info without its cause, for passing it on.
    ///
    /// Automatic events have no values.
    var withoutCause: UserInfo { storage?.values.isEmpty == true ? UserInfo() : self }

    var cause: Occurrence.Cause? { storage?.cause }

    var due: Date? { if case .due(let date) = cause { date } else { nil } }

    var failure: (any Error)? { storage?.failure }

    /// Makes a user info from a dictionary.
    @usableFromInline
    package init(_ values: [String: any Codable & Sendable]) { storage = values.isEmpty ? nil : Storage(values) }

    /// Whether the user info has no values.
    package var isEmpty: Bool { storage?.values.isEmpty ?? true }

    /// The keys, sorted.
    public var keys: [String] { values.keys.sorted() }

    /// The stored value for a key; `nil` if it is missing.
    ///
    /// In a decoded user info the value is a ``JSONValue``. `userInfo[key, as: Type.self]` reads both forms.
    /// - Parameter key: The key.
    public subscript(key: String) -> (any Codable & Sendable)? {
        get { values[key] }
        set { changeValues { $0[key] = newValue } }
    }

    /// The value for a key as a type; `nil` if it is missing or of another type.
    ///
    /// A decoded value has every type that its JSON fits: `1` is an `Int` and a `Double`.
    /// - Parameters:
    ///   - key: The key.
    ///   - type: The type.
    public subscript<T: Decodable>(key: String, as type: T.Type) -> T? {
        guard let value = values[key] else { return nil }
        return value as? T ?? (value as? JSONValue).flatMap { try? $0.decoded(as: type) }
    }
}

extension UserInfo: ExpressibleByDictionaryLiteral {
    /// The keys of a literal; `UserInfo.Key` is a typed key.
    @_implements(ExpressibleByDictionaryLiteral,Key)
    public typealias LiteralKey = String

    /// Makes a user info from a literal.
    ///
    /// The last of several values for a key wins.
    /// - Parameter elements: Keys and values.
    @inlinable  // because every fire without a user info uses it
    public init(dictionaryLiteral elements: (String, any Codable & Sendable)...) {
        if elements.isEmpty { self.init() } else { self.init(Dictionary(elements) { $1 }) }
    }
}

extension UserInfo: CustomStringConvertible {
    /// The values in the order of their keys.
    ///
    /// Decoded values look like the encoded ones.
    public var description: String {
        "[" + keys.map { key in "\(key): \(values[key].map(text(of:)) ?? "")" }.joined(separator: ", ") + "]"
    }
}
