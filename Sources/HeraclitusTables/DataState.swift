public import Heraclitus

/// A state of a ``DataWorkflow``: a name and data by key.
///
/// ```swift
/// let draft = DataState("Draft", ["amount": 1200])
/// draft["amount"]?.intValue                              // 1200
/// let review = draft.moved(to: "Review", with: ["reviewer": "Ada"])
/// ```
///
/// It is encoded as its data alone, because the archive has its name.
/// `StateMachine.init(archive:of:limit:scheduler:)` decodes it with its ``DataWorkflow``.
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
        let text = "The data of a DataState does not say its name. Read an archive of the machine."
        throw DecodingError.corrupted(text, at: decoder.codingPath)
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
