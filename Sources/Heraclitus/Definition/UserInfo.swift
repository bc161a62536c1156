import HeraclitusEssentials

/// Values that the caller of `fire` passes to every callback of that transition.
///
/// A dictionary literal of values that are `Codable & Sendable`, read back with their type:
///
/// ```swift
/// try machine.fire.load(state, userInfo: ["attempt": 1])
/// transition.userInfo["attempt", as: Int.self]     // 1
/// ```
///
/// It is `Codable`. A decoded value is converted to the requested type when it is read.
@frozen
public struct UserInfo: Sendable {
    /// A value of a user info.
    public typealias Value = any Codable & Sendable

    /// Where the values are; `nil` for none, which is what most fires pass along and what costs nothing to hand on.
    @usableFromInline private(set) var storage: Storage?

    @usableFromInline
    final class Storage: Sendable {
        /// They change only when they are taken out, by the one user info that has this storage.
        private let contents: Lock<[String: Value]>

        /// Why the event fires by itself, if it does.
        let cause: FiringCause?

        init(_ values: [String: Value], cause: FiringCause? = nil) {
            contents = Lock(values)
            self.cause = cause
        }

        var values: [String: Value] { contents.withLock { $0 } }

        /// Takes the values out, so that they can be changed without a copy.
        func takeValues() -> [String: Value] {
            contents.withLock { contents in
                var taken: [String: Value] = [:]
                swap(&taken, &contents)
                return taken
            }
        }
    }

    var values: [String: Value] { storage?.values ?? [:] }

    /// Changes the values in place, unless another user info has them, too.
    private mutating func changeValues(_ change: (inout [String: Value]) -> Void) {
        let isAlone = isKnownUniquelyReferenced(&storage)
        var values = (isAlone ? storage?.takeValues() : storage?.values) ?? [:]
        change(&values)
        storage = values.isEmpty ? nil : Storage(values)
    }

    /// Makes an empty user info.
    @inlinable
    public init() { storage = nil }

    /// That of an event that fires by itself.
    init(cause: FiringCause) { storage = Storage([:], cause: cause) }

    /// The same without why the event has fired by itself, for somebody who may pass it on: what has fired by itself has no values.
    var withoutCause: UserInfo { storage?.values.isEmpty == true ? UserInfo() : self }

    var cause: FiringCause? { storage?.cause }

    var due: Date? { if case .due(let date) = cause { date } else { nil } }

    var failure: (any Error)? { if case .failure(let error) = cause { error } else { nil } }

    /// What is stored in an object, which a transition has been lent.
    init(storedIn object: AnyObject?) { storage = object as? Storage }

    /// Makes a user info from a dictionary.
    /// - Parameter values: The values by key.
    public init(_ values: [String: any Codable & Sendable]) { storage = values.isEmpty ? nil : Storage(values) }

    /// The number of values.
    public var count: Int { values.count }

    /// Whether there is no value.
    public var isEmpty: Bool { storage?.values.isEmpty ?? true }

    /// The keys, sorted.
    public var keys: [String] { values.keys.sorted() }

    /// The value for a key as it is stored, or `nil`.
    ///
    /// In a decoded user info this is a ``JSONValue``; `userInfo[key, as: Type.self]` reads both alike.
    /// - Parameter key: The key.
    public subscript(key: String) -> Value? {
        get { values[key] }
        set { changeValues { $0[key] = newValue } }
    }

    /// The value for a key as a type; `nil` if there is none, or if it is of another type.
    ///
    /// A decoded value is of every type that its JSON can be read as: `1` is an `Int` and a `Double`.
    /// - Parameters:
    ///   - key: The key.
    ///   - type: The type to read it as.
    public subscript<T: Decodable>(key: String, as type: T.Type) -> T? {
        guard let value = values[key] else { return nil }
        return value as? T ?? (value as? JSONValue).flatMap { try? $0.decoded(as: type) }
    }

    /// Merges two user infos.
    /// - Parameter other: Its values are used where both have a key.
    /// - Returns: The values of both.
    public func merging(_ other: UserInfo) -> UserInfo {
        UserInfo(values.merging(other.values) { $1 })
    }
}

extension UserInfo: ExpressibleByDictionaryLiteral {
    /// The keys of a literal; `UserInfo.Key` is a typed one.
    @_implements(ExpressibleByDictionaryLiteral,Key)
    public typealias LiteralKey = String

    /// Makes a user info from a literal; the last of two values for one key is used.
    /// - Parameter elements: Keys and values.
    @inlinable  // for it is what every fire without a user info says
    public init(dictionaryLiteral elements: (String, any Codable & Sendable)...) {
        if elements.isEmpty { self.init() } else { self.init(Dictionary(elements) { $1 }) }
    }
}

extension UserInfo: CustomStringConvertible {
    /// The values in the order of their keys; decoded ones as those are that were encoded.
    public var description: String {
        "[" + keys.map { key in "\(key): \(values[key].map(text(of:)) ?? "")" }.joined(separator: ", ") + "]"
    }
}
