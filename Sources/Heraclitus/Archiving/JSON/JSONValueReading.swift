#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension JSONValue {
    /// Reads JSON, with every digit of its numbers, whatever the bytes are.
    ///
    /// It takes time and memory in proportion to the bytes. Foundation's `JSONDecoder` makes a ``JSONValue`` as well, but
    /// rounds numbers of more than 38 digits, and takes longer the deeper values lie; so read what comes from strangers with this,
    /// and make events, user infos and tables of it with ``decoded(as:)``.
    /// - Parameters:
    ///   - json: UTF-8 JSON.
    ///   - limit: How many bytes it may have; 64 MiB unless said otherwise.
    /// - Throws: ``ArchiveError``: `tooLarge`; `notJSON`, also for more than 64 levels of values within values.
    public init(json: Data, limit: Int = 64 << 20) throws(ArchiveError) {
        guard json.count <= limit else { throw .tooLarge(json.count, limit: limit) }
        let text: JSONText
        do {
            text = try JSONText(json)
        } catch {
            throw .notJSON(explanation: error.description)
        }
        guard let value = JSONValue(text, 0, levels: Self.depthLimit) else {
            throw .notJSON(explanation: Self.tooDeep)
        }
        self = value
    }

    /// Makes a typed value of this one.
    ///
    /// Dates are read in either way, as an archive has written them or a coder that was left as it is; `Data` is read as
    /// base64.
    /// - Parameter type: The type.
    /// - Returns: The typed value.
    /// - Throws: `DecodingError`, or what the type's own `init(from:)` throws.
    public func decoded<T: Decodable>(as type: T.Type) throws -> T {
        try ArchiveDecoder(.value(self)).decoded(type)
    }

    /// The value of a text; `nil` if more levels of values than these lie within it.
    init?(_ text: JSONText, _ index: Int, levels: Int) {
        guard levels >= 0 else { return nil }
        let node = text.nodes[index]
        switch node.kind {
        case .null: self = .null
        case .no: self = .bool(false)
        case .yes: self = .bool(true)
        case .number: self = Self.number(text.source(node))
        case .plainString, .string: self = .string(text.string(index))
        case .array:
            var elements: [JSONValue] = []
            elements.reserveCapacity(Int(node.end))
            var next = index + 1
            for _ in 0..<node.end {
                guard let element = JSONValue(text, next, levels: levels - 1) else { return nil }
                elements.append(element)
                next = Int(text.nodes[next].next)
            }
            self = .array(elements)
        case .object:
            var members: [String: JSONValue] = Dictionary(minimumCapacity: Int(node.end))
            var key = index + 1
            for _ in 0..<node.end {
                guard let value = JSONValue(text, key + 1, levels: levels - 1) else { return nil }
                // As in Foundation's reader the first of two stays.
                if let first = members.updateValue(value, forKey: text.string(key)) {
                    members[text.string(key)] = first
                }
                key = Int(text.nodes[key + 1].next)
            }
            self = .object(members)
        }
    }

    /// The case that keeps a number exactly.
    private static func number(_ source: ArraySlice<UInt8>) -> JSONValue {
        let text = String(decoding: source, as: UTF8.self)
        // Most are small; a zero may have a sign.
        if source.count < 18, let integer = Int(text), integer != 0 || source.count == 1 { return .integer(integer) }
        guard let digits = DecimalDigits(source) else { return .decimal(text) }
        if !digits.isNegative || !digits.digits.isEmpty {
            if let integer = digits.integer(as: Int.self) { return .integer(integer) }
            if let unsigned = digits.integer(as: UInt64.self) { return .unsigned(unsigned) }
        }
        if let number = Double(text), number.isFinite, DecimalDigits("\(number)".utf8) == digits {
            return .number(number)
        }
        // As it will be written, so that it is equal to itself when it is read again.
        return .decimal(digits.plainText ?? text)
    }
}
