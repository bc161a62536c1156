package import HeraclitusEssentials

/// The progress of an encoder with its value.
package struct EncoderState {
    /// The kind of the value, which its first request for a container decides.
    fileprivate enum Form: Equatable {
        case nothing, single, array, object
    }

    fileprivate var form = Form.nothing

    /// The value of a single-value container.
    fileprivate var single = EncodedValue.object([])

    fileprivate var elements: [EncodedValue] = []
    fileprivate var members: [EncodedValue.Member] = []

    /// The requested containers by key.
    fileprivate var containers: [String: ArchiveEncoder] = [:]

    /// The encoders of elements or members that their type may add to after later ones, with their places.
    fileprivate var later: [(place: Int, encoder: ArchiveEncoder)] = []

    /// Whether the value is incomplete, and no value within it is being encoded.
    fileprivate var isOpen = true

    /// The first error of a call that cannot throw.
    fileprivate var failure: (any Error)?

    fileprivate var limits: EncoderLimits
}

/// The settings of an encoder, which nested values inherit.
private struct EncoderLimits {
    /// The maximum depth of nested values, counted from the outermost value.
    var depth: Int

    var userInfo: [CodingUserInfoKey: Any]
}

/// Encodes one value.
///
/// Its JSON is that of Foundation's encoder with sorted keys, plus the promises of archives:
/// - Numbers keep every digit.
/// - Sets have a fixed order.
/// - Unreadable values are errors.
/// - A failed value leaves no output, even if its error is caught.
package final class ArchiveEncoder: UncheckedState<EncoderState>, Encoder {
    /// The number of keys and indices that lead to the value.
    private let depth: Int

    private let type: Any.Type

    /// The encoder of the outer value, and the key of this value in it.
    private let parent: ArchiveEncoder?
    private let key: (any CodingKey)?

    /// The path of a value without a parent.
    private let path: [any CodingKey]

    private init(
        _ type: Any.Type,
        under parent: ArchiveEncoder? = nil,
        _ key: (any CodingKey)? = nil,
        at path: [any CodingKey] = [],
        depth: Int,
        _ limits: EncoderLimits
    ) {
        (self.type, self.parent, self.key, self.path, self.depth) = (type, parent, key, path, depth)
        super.init(EncoderState(limits: limits))
    }

    /// The JSON of a value.
    /// - Parameters:
    ///   - value: The value.
    ///   - path: The path of the value in an outer value, in which it is read.
    ///   - depthLimit: The maximum depth of nested values.
    ///   - userInfo: The values that types may read from the encoder.
    ///   - isPrettyPrinted: Whether to write several lines.
    /// - Returns: JSON, on one line unless `isPrettyPrinted`.
    /// - Throws: The error of the value; `EncodingError` for unreadable values.
    package static func data<T: Encodable>(
        of value: T,
        at path: [any CodingKey] = [],
        depthLimit: Int = JSONValue.textDepthLimit,
        userInfo: [CodingUserInfoKey: Any] = [:],
        prettyPrinted isPrettyPrinted: Bool = false
    ) throws -> Data {
        let limits = EncoderLimits(depth: depthLimit, userInfo: userInfo)
        let encoder = ArchiveEncoder(T.self, at: path, depth: path.count, limits)
        var writer = JSONWriter(isPrettyPrinted: isPrettyPrinted)
        if let known = try encoder.known(value, under: nil) {
            writer.write(known)
        } else {
            try value.encode(to: encoder)
            writer.write(try encoder.finish())
        }
        return writer.data
    }

    package var userInfo: [CodingUserInfoKey: Any] { state.limits.userInfo }

    package var codingPath: [any CodingKey] {
        var keys: [any CodingKey] = []
        var encoder = self
        while let parent = encoder.parent {
            if let key = encoder.key { keys.append(key) }
            encoder = parent
        }
        return encoder.path + keys.reversed()
    }

    package func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        begin(.object)
        state.members.reserveCapacity(8)
        return KeyedEncodingContainer(ArchiveKeyedEncoding<Key>(encoder: self))
    }

    package func unkeyedContainer() -> any UnkeyedEncodingContainer {
        begin(.array)
        return ArchiveUnkeyedEncoding(encoder: self)
    }

    package func singleValueContainer() -> any SingleValueEncodingContainer { self }

    private func begin(_ form: EncoderState.Form) {
        if state.form == .nothing, state.isOpen, depth < JSONValue.textDepthLimit {
            state.form = form
        } else if depth >= JSONValue.textDepthLimit {
            state.failure = state.failure ?? EncodingError.tooDeep(JSONValue.textDepthLimit, codingPath)
        } else if state.form != form {
            state.failure = invalid("The value is already something else.")
        }
    }

    private func invalid(_ explanation: String) -> EncodingError {
        .invalidValue("a value", .init(codingPath: codingPath, debugDescription: explanation))
    }

    /// Throws unless the value may change now.
    private func expectOpen() throws {
        if let failure = state.failure { throw failure }
        if !state.isOpen { throw invalid("The value is complete, or another one within it is not.") }
    }

    private func expectRoom(for key: some CodingKey) throws {
        try expectOpen()
        if depth >= state.limits.depth { throw EncodingError.tooDeep(state.limits.depth, codingPath + [key]) }
    }
}

// MARK: - Elements and members

extension ArchiveEncoder {
    /// Adds members that the value has not written itself, also to an object from a single-value container.
    /// - Throws: `EncodingError` if the value is no object.
    package func complete(with members: [String: JSONValue]) throws {
        if state.form == .single {
            switch state.single {
            case .object(let own): (state.members, state.form) = (own, .object)
            case .raw(.object(let own)):
                (state.members, state.form) = (own.map { .init(key: $0.key, value: .raw($0.value)) }, .object)
            default: break
            }
        }
        let own = Set(state.members.map(\.key))
        begin(.object)
        for (key, value) in members where !own.contains(key) {
            // Another type may read the value, so it may lie as deep as typed values.
            try value.expectReadable(at: depth + 1, state.limits.depth, codingPath + [JSONKey(key)])
            try member(JSONKey(key), .raw(value))
        }
    }

    /// The keys of the members that a value writes; `nil` if it asks for another container than a keyed one.
    package static func keys(
        of value: some Encodable,
        userInfo: [CodingUserInfoKey: Any]
    ) throws -> Set<String>? {
        let limits = EncoderLimits(depth: JSONValue.textDepthLimit, userInfo: userInfo)
        let encoder = ArchiveEncoder(Void.self, depth: 0, limits)
        try value.encode(to: encoder)
        _ = try encoder.finish()
        return [.nothing, .object].contains(encoder.state.form) ? Set(encoder.state.members.map(\.key)) : nil
    }

    /// The number of elements.
    var count: Int { state.elements.count }

    /// The index of the next element.
    var index: JSONKey { JSONKey(index: count) }

    /// Adds a member, unless its value throws.
    func member(_ key: some CodingKey, _ value: @autoclosure () throws -> EncodedValue) throws {
        try expectRoom(for: key)
        let value = try value()
        state.members.append(EncodedValue.Member(key: key.stringValue, value: value))
    }

    /// Adds an element, unless it throws.
    func element(_ value: @autoclosure () throws -> EncodedValue) throws {
        try expectRoom(for: index)
        let value = try value()
        state.elements.append(value)
    }

    /// The encoder of the container at a key.
    ///
    /// Repeated calls return the same encoder, because a class and its subclass may both ask for it.
    func container(_ key: some CodingKey) -> ArchiveEncoder {
        if let container = state.containers[key.stringValue] { return container }
        let container = laterMember(key)
        state.containers[key.stringValue] = container
        return container
    }

    /// The encoder of a member that may be encoded after later members.
    func laterMember(_ key: some CodingKey) -> ArchiveEncoder {
        later(key, at: state.members.count) { try member(key, .null) }
    }

    /// The encoder of an element that may be encoded after later elements.
    func laterElement() -> ArchiveEncoder { later(index, at: count) { try element(.null) } }

    private func later(_ key: some CodingKey, at place: Int, _ keepPlace: () throws -> Void) -> ArchiveEncoder {
        // The encoder has a path in place of a parent, because the parent refers to the encoder.
        let path = state.failure == nil ? codingPath + [key] : []
        let encoder = ArchiveEncoder(Void.self, at: path, depth: depth + 1, state.limits)
        do {
            try keepPlace()
            state.later.append((place, encoder))
        } catch {
            state.failure = state.failure ?? error
        }
        // Nested values share the error of a failed one, because otherwise each level would explain it again.
        encoder.state.failure = state.failure
        return encoder
    }

    /// Begins an object, or goes on with it, for a caller that needs no container.
    /// - Parameter key: A key of the caller's members.
    /// - Throws: `EncodingError` if the members lie too deep, or if the encoder has another value.
    package func beginObject(with key: String) throws {
        begin(.object)
        try expectRoom(for: JSONKey(key))
    }

    /// Adds members to an object that has begun.
    package func add(_ members: [EncodedValue.Member]) {
        if state.members.isEmpty { state.members = members } else { state.members += members }
    }

    /// Encodes a value under a key, or as the whole value.
    package func encoded<T: Encodable>(_ value: T, under key: (any CodingKey)?) throws -> EncodedValue {
        if let known = try known(value, under: key) { return known }
        let depth = key == nil ? depth : depth + 1
        let encoder = ArchiveEncoder(T.self, under: self, key, depth: depth, state.limits)
        let wasOpen = state.isOpen
        state.isOpen = false
        defer { state.isOpen = wasOpen }
        try value.encode(to: encoder)
        return try encoder.finish()
    }

    /// Completes the value.
    private func finish() throws -> EncodedValue {
        if let failure = state.failure { throw failure }
        state.isOpen = false
        for (place, encoder) in state.later {
            let value = try encoder.finish()
            if state.form == .array { state.elements[place] = value } else { state.members[place].value = value }
        }
        switch state.form {
        case .nothing, .single: return state.single
        case .array: return .array(ordered(state.elements))
        case .object: return .object(try ordered(state.members))
        }
    }

    /// Members sorted by the UTF-8 of their keys, with the last of several values for one key.
    private func ordered(_ members: [EncodedValue.Member]) throws -> [EncodedValue.Member] {
        let areInOrder = members.indices.allSatisfy { index in
            members[index].key.isASCII && (index == 0 || members[index - 1].key < members[index].key)
        }
        if areInOrder { return members }
        let places = Dictionary(members.indices.map { (members[$0].key, $0) }) { $1 }
        if places.count < members.count,
            let key = members.indices.first(where: { places[members[$0].key] != $0 }).map({ members[$0].key }),
            state.containers[key] != nil
        {
            throw invalid("The key \"\(key.shortened)\" has a value and a container.")
        }
        return places.values.map { members[$0] }.sorted { $0.key.precedes($1.key) }
    }

    /// Elements of a set or of a dictionary sorted by their JSON, so that equal values have equal bytes.
    private func ordered(_ elements: [EncodedValue]) -> [EncodedValue] {
        guard let count = (type as? any Unordered.Type)?.group else { return elements }
        let groups = stride(from: 0, to: elements.count, by: count).map { start in
            let group = elements[start..<min(start + count, elements.count)]
            return (json: group.map(JSONWriter.json).joined(separator: [UInt8(ascii: ",")]), group: group)
        }
        return groups.sorted { $0.json.lexicographicallyPrecedes($1.json) }.flatMap(\.group)
    }
}

/// A collection without an order.
private protocol Unordered {
    /// The number of elements in a group: a set's element, or a key and its value.
    static var group: Int { get }
}

extension Set: Unordered { fileprivate static var group: Int { 1 } }

extension Dictionary: Unordered { fileprivate static var group: Int { 2 } }

// MARK: - Values

extension ArchiveEncoder {
    /// The value of a known type, whose own `encode(to:)` is not called; `nil` for other types.
    private func known<T: Encodable>(_ value: T, under key: (any CodingKey)?) throws -> EncodedValue? {
        func path() -> [any CodingKey] { codingPath + (key.map { [$0] } ?? []) }
        if T.self == String.self, let text = value as? String { return .raw(.string(text)) }
        if T.self == Int.self, let integer = value as? Int { return .raw(.integer(integer)) }
        if T.self == Double.self, let number = value as? Double { return try self.number(number, path()) }
        if T.self == Date.self, let date = value as? Date {
            guard let text = ArchivedDate.text(of: date) else { throw ArchivedDate.invalid(date, path()) }
            return .raw(.string(text))
        }
        if T.self == Data.self, let data = value as? Data { return .raw(.string(data.base64EncodedString())) }
        if T.self == URL.self, let url = value as? URL { return .raw(.string(url.absoluteString)) }
        if T.self == Decimal.self, let decimal = value as? Decimal {
            guard decimal.isFinite else { throw EncodingError.noNumber(decimal, path()) }
            return .number("\(decimal)")
        }
        if T.self == JSONValue.self, let json = value as? JSONValue {
            // Readers of raw values have a lower limit.
            let limit = min(state.limits.depth, JSONValue.depthLimit)
            try json.expectReadable(at: key == nil ? depth : depth + 1, limit, path())
            return .raw(json)
        }
        return nil
    }

    func number(_ number: some CodableFloat, _ path: @autoclosure () -> [any CodingKey]) throws -> EncodedValue {
        guard number.isFinite else { throw EncodingError.noNumber(number, path()) }
        return .number(number.json)
    }

    /// Calls a body with a limit for the depth of the value's parts.
    package func limited(
        toDepth depthLimit: Int,
        userInfo: [CodingUserInfoKey: Any] = [:],
        _ body: () throws -> Void
    ) rethrows {
        let before = state.limits
        state.limits.depth = min(before.depth, depthLimit)
        state.limits.userInfo.merge(userInfo) { $1 }
        defer { state.limits = before }
        try body()
    }
}

extension ArchiveEncoder: SingleValueEncodingContainer {
    private func single(_ value: @autoclosure () throws -> EncodedValue) throws {
        try expectOpen()
        guard state.form == .nothing else { throw invalid("The value is already something else.") }
        state.single = try value()
        state.form = .single
    }

    package func encodeNil() throws { try single(.null) }
    package func encode(_ value: Bool) throws { try single(.raw(.bool(value))) }
    package func encode(_ value: String) throws { try single(.raw(.string(value))) }
    package func encode(_ value: some CodableFloat) throws { try single(number(value, codingPath)) }
    package func encode(_ value: some CodableInteger) throws { try single(.integer(value)) }
    // The standard library has default methods for these two.
    package func encode(_ value: Int128) throws { try single(.integer(value)) }
    package func encode(_ value: UInt128) throws { try single(.integer(value)) }
    package func encode<T: Encodable>(_ value: T) throws { try single(encoded(value, under: nil)) }
}

// MARK: - Errors

extension EncodingError {
    /// The cause of the error of a value that lies too deep.
    private struct TooDeep: Error {}

    static func tooDeep(_ limit: Int, _ path: [any CodingKey]) -> EncodingError {
        let explanation = "It could not be read again: This is deeper than \(limit) levels."
        return .invalidValue(
            "a value",
            .init(codingPath: path, debugDescription: explanation, underlyingError: TooDeep())
        )
    }

    /// Whether the error is about a value that lies too deep.
    package var isTooDeep: Bool {
        if case .invalidValue(_, let context) = self { context.underlyingError is TooDeep } else { false }
    }

    static func noNumber(_ number: Any, _ path: [any CodingKey]) -> EncodingError {
        .invalidValue(number, .init(codingPath: path, debugDescription: "This is not a number of JSON."))
    }
}
