import HeraclitusEssentials

/// The progress of an encoder with its value.
package struct EncoderState {
    /// The kind of the value, which its first request for a container decides.
    fileprivate enum Form {
        case nothing, single, array, object
    }

    /// A value with its own bytes, because its type may add to it after later values.
    fileprivate struct Nested {
        let place: Int
        let encoder: ArchiveEncoder
    }

    fileprivate var form = Form.nothing
    fileprivate var nested: [Nested] = []

    /// The requested containers by key.
    fileprivate var containers: [String: ArchiveEncoder] = [:]

    /// The number of elements or members.
    fileprivate(set) var count = 0

    /// The starts of elements that are sorted.
    fileprivate var starts: [Int] = []

    /// The number of elements in a sorted group: 1 for sets, 2 for dictionaries, 0 for values that keep their order.
    fileprivate var group = 0

    /// The first error of a call that cannot throw.
    fileprivate var failure: (any Error)?
}

/// Encodes one value directly into the bytes of the whole encoding.
///
/// Its JSON is that of Foundation's encoder with sorted keys, plus the promises of archives:
/// - Numbers keep every digit.
/// - Sets have a fixed order.
/// - Unreadable values are errors.
/// - A failed value leaves no output, even if its error is caught.
package final class ArchiveEncoder: UncheckedState<EncoderState>, Encoder {
    let writer: JSONWriter

    /// The number of keys and indices that lead to the value.
    package let depth: Int

    private let type: Any.Type

    /// The encoder of a value that this one's is, or under a key of which it lies.
    private let parent: ArchiveEncoder?
    private let key: (any CodingKey)?
    private let firstMember: Int

    private init(
        _ writer: JSONWriter,
        _ type: Any.Type,
        under parent: ArchiveEncoder?,
        _ key: (any CodingKey)?,
        depth: Int
    ) {
        self.writer = writer
        self.type = type
        self.parent = parent
        self.key = key
        self.depth = depth
        firstMember = writer.state.members.count
        super.init(EncoderState())
    }

    /// The JSON that a body writes with an encoder.
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - path: The path of the value in an outer value, in which it is read.
    ///   - depthLimit: The maximum depth of nested values.
    ///   - userInfo: The values that types may read from the encoder.
    ///   - body: Writes the value.
    /// - Returns: JSON on one line.
    /// - Throws: The error of the body; `EncodingError` for unreadable values.
    package static func bytes(
        of type: Any.Type,
        at path: [any CodingKey] = [],
        depthLimit: Int = JSONValue.textDepthLimit,
        userInfo: [CodingUserInfoKey: Any] = [:],
        _ body: (ArchiveEncoder) throws -> Void
    ) throws -> [UInt8] {
        let encoder = ArchiveEncoder(JSONWriter(), type, under: nil, nil, depth: path.count)
        encoder.writer.state.path = path
        encoder.writer.state.depthLimit = depthLimit
        encoder.writer.state.userInfo = userInfo
        encoder.writer.state.current = ObjectIdentifier(encoder)
        encoder.writer.state.bytes.reserveCapacity(256)
        encoder.writer.state.members.reserveCapacity(16)
        try body(encoder)
        try encoder.finish()
        return encoder.writer.state.bytes
    }

    /// The JSON of a value, on one line.
    package static func bytes<T: Encodable>(of value: T) throws -> [UInt8] {
        try bytes(of: T.self) { try $0.encode(value) }
    }

    package var userInfo: [CodingUserInfoKey: Any] { writer.state.userInfo }

    package var codingPath: [any CodingKey] {
        var keys: [any CodingKey] = []
        var next: ArchiveEncoder? = self
        while let encoder = next {
            if let key = encoder.key { keys.append(key) }
            next = encoder.parent
        }
        return writer.state.path + keys.reversed()
    }

    package func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        begin(.object, UInt8(ascii: "{"))
        return KeyedEncodingContainer(ArchiveKeyedEncoding(encoder: self))
    }

    package func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if state.form == .nothing { state.group = (type as? any Unordered.Type)?.group ?? 0 }
        begin(.array, UInt8(ascii: "["))
        return ArchiveUnkeyedEncoding(encoder: self)
    }

    package func singleValueContainer() -> any SingleValueEncodingContainer { self }

    private func begin(_ form: EncoderState.Form, _ byte: UInt8) {
        if state.form == .nothing, isCurrent {
            state.form = form
            writer.append(byte)
        } else if state.form != form {
            state.failure = invalid("The value is already something else.")
        }
    }

    private var isCurrent: Bool { writer.state.current == ObjectIdentifier(self) }

    private func invalid(_ explanation: String) -> EncodingError {
        .invalidValue("a value", .init(codingPath: codingPath, debugDescription: explanation))
    }

    /// Throws unless this encoder's value is being written.
    private func expectCurrent() throws {
        if let failure = state.failure { throw failure }
        if !isCurrent { throw invalid("The value is complete, or another one within it is not.") }
    }
}

// MARK: - Elements and members

extension ArchiveEncoder {
    /// Writes a member completely, or leaves no output of it.
    func member(_ key: some CodingKey, _ body: () throws -> Void) throws {
        try part(key) {
            writer.beginMember(key.stringValue)
            try body()
        }
    }

    /// Writes an element completely, or leaves no output of it.
    func element(_ body: (JSONKey) throws -> Void) throws {
        let key = JSONKey(index: state.count)
        try part(key) {
            if state.group > 0 { state.starts.append(writer.state.bytes.count) }
            try body(key)
        }
    }

    /// Values lie within parts, so the functions around `body` keep their frames on the stack small.
    @inline(__always)
    private func part(_ key: some CodingKey, _ body: () throws -> Void) throws {
        try expectRoom(for: key)
        let before = beginPart()
        do {
            try body()
        } catch {
            undo(to: before)
            throw error
        }
    }

    private func expectRoom(for key: some CodingKey) throws {
        try expectCurrent()
        if depth >= writer.state.depthLimit { throw JSONWriter.tooDeep(writer.state.depthLimit, codingPath + [key]) }
    }

    private typealias Mark = (byte: Int, member: Int, start: Int)

    private func beginPart() -> Mark {
        let mark = (writer.state.bytes.count, writer.state.members.count, state.starts.count)
        if state.count > 0 { writer.append(UInt8(ascii: ",")) }
        state.count += 1
        return mark
    }

    private func undo(to mark: Mark) {
        writer.state.bytes.removeLast(writer.state.bytes.count - mark.byte)
        writer.state.members.removeLast(writer.state.members.count - mark.member)
        state.starts.removeLast(state.starts.count - mark.start)
        state.count -= 1
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

    /// The encoder of a member that may be written after later members.
    func laterMember(_ key: some CodingKey) -> ArchiveEncoder {
        later(key) { encoder in try member(key) { keepPlace(of: encoder) } }
    }

    /// The encoder of an element that may be written after later elements.
    func laterElement() -> ArchiveEncoder {
        later(JSONKey(index: state.count)) { encoder in try element { _ in keepPlace(of: encoder) } }
    }

    private func later(_ key: some CodingKey, _ keepPlace: (ArchiveEncoder) throws -> Void) -> ArchiveEncoder {
        let own = JSONWriter()
        // No reference to this encoder, which has one to that.
        own.state.path = state.failure == nil ? codingPath + [key] : []
        (own.state.depthLimit, own.state.userInfo) = (writer.state.depthLimit, writer.state.userInfo)
        let encoder = ArchiveEncoder(own, Void.self, under: nil, nil, depth: depth + 1)
        own.state.current = ObjectIdentifier(encoder)
        do {
            try keepPlace(encoder)
        } catch {
            state.failure = state.failure ?? error
        }
        // Nested values share the error of a failed one, because otherwise each level would explain it again.
        encoder.state.failure = state.failure
        return encoder
    }

    /// Remembers the place of a nested encoder's value.
    private func keepPlace(of encoder: ArchiveEncoder) {
        state.nested.append(EncoderState.Nested(place: writer.state.bytes.count, encoder: encoder))
    }

    /// Writes a value at the end, under a key or as the whole value.
    func write<T: Encodable>(_ value: T, under key: (any CodingKey)?) throws {
        if try writeKnown(value, key) { return }
        try write(T.self, under: key) { try value.encode(to: $0) }
    }

    private func write(
        _ type: Any.Type,
        under key: (any CodingKey)?,
        _ body: (ArchiveEncoder) throws -> Void
    ) throws {
        let encoder = ArchiveEncoder(writer, type, under: self, key, depth: key == nil ? depth : depth + 1)
        writer.state.current = ObjectIdentifier(encoder)
        let members = writer.state.members.count
        defer {
            writer.state.current = ObjectIdentifier(self)
            writer.state.members.removeLast(writer.state.members.count - members)
        }
        try body(encoder)
        try encoder.finish()
    }

    /// Completes the value.
    private func finish() throws {
        try expectCurrent()
        switch state.form {
        case .nothing: writer.write(plain: "{}")
        case .single: break
        case .array, .object:
            if depth >= JSONValue.textDepthLimit { throw JSONWriter.tooDeep(JSONValue.textDepthLimit, codingPath) }
            if !state.nested.isEmpty { try insertNested() }
            if state.form == .object {
                let dropped = writer.sortMembers(from: firstMember)
                if let key = dropped.first(where: { state.containers[$0] != nil }) {
                    throw invalid("The key \"\(key.shortened)\" has a value and a container.")
                }
                writer.append(UInt8(ascii: "}"))
            } else {
                if state.group > 0 { writer.sortElements(at: state.starts, by: state.group) }
                writer.append(UInt8(ascii: "]"))
            }
        }
    }

    /// Inserts the values with their own bytes.
    private func insertNested() throws {
        guard let first = state.nested.first?.place else { return }
        var (bytes, moved) = ([UInt8](), [(from: Int, by: Int)]())
        var place = first
        for value in state.nested {
            bytes += writer.state.bytes[place..<value.place]
            try value.encoder.finish()
            bytes += value.encoder.writer.state.bytes
            moved.append((value.place, first + bytes.count - value.place))
            place = value.place
        }
        bytes += writer.state.bytes[place...]
        writer.state.bytes.replaceSubrange(first..., with: bytes)
        var (index, distance) = (0, 0)
        for member in writer.state.members.indices[firstMember...] {
            while index < moved.count, moved[index].from < writer.state.members[member].start {
                distance = moved[index].by
                index += 1
            }
            writer.state.members[member].start += distance
        }
    }
}

// MARK: - Values

extension ArchiveEncoder {
    /// Writes a value of a known type without its own `encode(to:)`.
    /// - Returns: Whether the type is known.
    private func writeKnown<T: Encodable>(_ value: T, _ key: (any CodingKey)?) throws -> Bool {
        func path() -> [any CodingKey] { codingPath + (key.map { [$0] } ?? []) }
        if T.self == String.self, let text = value as? String {
            writer.write(text)
        } else if T.self == Int.self, let integer = value as? Int {
            writer.write(integer)
        } else if T.self == Double.self, let number = value as? Double {
            try write(number, path())
        } else if T.self == Date.self, let date = value as? Date {
            guard let text = ArchivedDate.text(of: date) else { throw ArchivedDate.invalid(date, path()) }
            writer.write(text)
        } else if T.self == Data.self, let data = value as? Data {
            writer.write(data.base64EncodedString())
        } else if T.self == URL.self, let url = value as? URL {
            writer.write(url.absoluteString)
        } else if T.self == Decimal.self, let decimal = value as? Decimal {
            guard decimal.isFinite else { throw JSONWriter.noNumber(decimal, path()) }
            writer.write(plain: "\(decimal)")
        } else if T.self == JSONValue.self, let json = value as? JSONValue {
            // Readers of raw values have a lower limit.
            try limited(toDepth: JSONValue.depthLimit) {
                try writer.write(json, at: key == nil ? depth : depth + 1, path())
            }
        } else {
            return false
        }
        return true
    }

    func write(
        _ number: some BinaryFloatingPoint & LosslessStringConvertible,
        _ path: @autoclosure () -> [any CodingKey]
    ) throws {
        guard number.isFinite else {
            throw JSONWriter.noNumber(number, path())
        }
        writer.write(number)
    }

    /// Calls a body with a limit for the depth of its values.
    package func limited(
        toDepth depthLimit: Int,
        userInfo: [CodingUserInfoKey: Any] = [:],
        _ body: () throws -> Void
    ) rethrows {
        let before = (writer.state.depthLimit, writer.state.userInfo)
        writer.state.depthLimit = min(writer.state.depthLimit, depthLimit)
        writer.state.userInfo.merge(userInfo) { $1 }
        defer { (writer.state.depthLimit, writer.state.userInfo) = before }
        try body()
    }
}

// MARK: - Objects without Codable

extension ArchiveEncoder {
    package func beginObject() { begin(.object, UInt8(ascii: "{")) }

    package func write(_ flag: Bool, _ key: some CodingKey) throws { try member(key) { writer.write(flag) } }

    package func write(_ integer: Int, _ key: some CodingKey) throws { try member(key) { writer.write(integer) } }

    package func write(_ text: String, _ key: some CodingKey) throws { try member(key) { _ = writer.write(text) } }

    /// Writes the output of a body with its own encoder.
    package func write(_ key: some CodingKey, _ body: (ArchiveEncoder) throws -> Void) throws {
        try member(key) { try write(Void.self, under: key, body) }
    }
}

extension ArchiveEncoder: SingleValueEncodingContainer {
    private func single(_ body: () throws -> Void) throws {
        try expectCurrent()
        guard state.form == .nothing else { throw invalid("The value is already something else.") }
        state.form = .single
        let end = writer.state.bytes.count
        do {
            try body()
        } catch {
            writer.state.bytes.removeLast(writer.state.bytes.count - end)
            state.form = .nothing
            throw error
        }
    }

    package func encodeNil() throws { try single { writer.write(plain: "null") } }
    package func encode(_ value: Bool) throws { try single { writer.write(value) } }
    package func encode(_ value: String) throws { try single { writer.write(value) } }
    package func encode(_ value: some CodableFloat) throws { try single { try write(value, codingPath) } }
    package func encode(_ value: some CodableInteger) throws { try single { writer.write(value) } }
    // The standard library has methods of its own for these.
    package func encode(_ value: Int128) throws { try single { writer.write(value) } }
    package func encode(_ value: UInt128) throws { try single { writer.write(value) } }
    package func encode<T: Encodable>(_ value: T) throws { try single { try write(value, under: nil) } }
}

// MARK: - Unordered values

/// A value whose elements are sorted by their bytes, so that equal values have equal bytes.
private protocol Unordered {
    /// The number of elements in a group.
    static var group: Int { get }
}

extension Set: Unordered { fileprivate static var group: Int { 1 } }

extension Dictionary: Unordered { fileprivate static var group: Int { 2 } }
