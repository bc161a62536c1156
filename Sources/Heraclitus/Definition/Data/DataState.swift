/// A state of a ``DataWorkflow``: a name and data by key.
///
/// ```swift
/// let draft = DataState("Draft", ["amount": 1200])
/// draft["amount"]?.intValue                              // 1200
/// let review = draft.moved(to: "Review", with: ["reviewer": "Ada"])
/// ```
///
/// It is encoded as its data alone, because the archive has its name.
/// ``StateMachine/init(archive:of:limit:scheduler:)`` and ``DataWorkflow`` decode it.
public final class DataState: WorkflowState {
    /// The name of the state.
    public let name: String

    /// The data by key.
    public let data: [String: JSONValue]

    /// Makes a state.
    /// - Parameters:
    ///   - name: The name of the state.
    ///   - data: The data by key.
    public init(_ name: String, _ data: [String: JSONValue] = [:]) {
        self.name = name
        self.data = data
    }

    /// The value for a key; `nil` if the key is missing.
    /// - Parameter key: The key.
    public subscript(key: String) -> JSONValue? { data[key] }

    /// A state with another name, the same data and some changes.
    /// - Parameters:
    ///   - name: The name of the other state.
    ///   - changes: New values by key; `null` removes a key.
    /// - Returns: The state.
    public func moved(to name: String, with changes: [String: JSONValue] = [:]) -> DataState {
        DataState(name, data.merging(changes) { $1 }.filter { changes[$0.key] != .null })
    }
}

extension DataState: Codable {
    /// Throws, because only an archive has the name of the state.
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError`.
    public convenience init(from decoder: any Decoder) throws {
        throw DecodingError.dataCorrupted(
            .init(
                codingPath: decoder.codingPath,
                debugDescription: "The data of a DataState does not say its name. Read an archive of the machine."
            )
        )
    }

    /// Encodes the data.
    /// - Parameter encoder: The encoder.
    /// - Throws: The encoder's error.
    public func encode(to encoder: any Encoder) throws { try JSONValue.object(data).encode(to: encoder) }
}

extension DataState: CustomStringConvertible {
    /// The name of the state.
    public var description: String { name }
}

extension StateKind {
    /// States of a name, with certain keys of their data.
    /// - Parameters:
    ///   - name: The name.
    ///   - keys: The keys; `nil` for any keys.
    init(named name: String, _ keys: StateKeys?) {
        type = DataState.self
        readsWhole = true
        read = { try DataState(name, JSONValue(from: $0), keys, at: $0.codingPath) }
        readMember = {
            try DataState(name, $0.decode(JSONValue.self, forKey: .data), keys, at: $0.codingPath + [EnvelopeKey.data])
        }
        make = { source in
            // The next state keeps the data for its own keys.
            let data = (source() as? DataState)?.data ?? [:]
            let kept = keys.map { keys in data.filter { keys.types[$0.key] != nil } } ?? data
            return keys?.mismatch(of: kept, in: name) == nil ? DataState(name, kept) : nil
        }
    }
}

extension DataState {
    fileprivate convenience init(
        _ name: String,
        _ value: JSONValue,
        _ keys: StateKeys?,
        at path: [any CodingKey]
    ) throws(DecodingError) {
        guard let data = value.objectValue else {
            throw .dataCorrupted(.init(codingPath: path, debugDescription: "The data of a state is an object."))
        }
        if let mismatch = keys?.mismatch(of: data, in: name) {
            throw .dataCorrupted(
                .init(
                    codingPath: path + [DataKey(stringValue: mismatch.key)],
                    debugDescription: mismatch.description,
                    underlyingError: mismatch
                )
            )
        }
        self.init(name, data)
    }
}

/// A key of data in the path of an error.
private struct DataKey: CodingKey {
    let stringValue: String

    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }

    init?(intValue: Int) { nil }
}
