public import HeraclitusEssentials

/// What a state has and archives do not keep, such as an open connection: empty after a restoration.
///
/// ```swift
/// final class ConnectedState: SessionState, Working {
///     let room: String
///     let socket: Live<Socket>
///
///     init(room: String, _ socket: Socket) {
///         self.room = room
///         self.socket = Live(socket)
///     }
///
///     func work(_ call: WorkCall<Session>) async throws {
///         for try await line in try socket.get().lines { … }     // fails after a restoration, and so is connected anew
///     }
/// }
/// ```
///
/// The compiler's own `Codable` of the state leaves the property out of archives, and makes an empty one when it reads them. An update hands it
/// on from the old object to the new one. The value is released with the last state object that has it.
public struct Live<Value: Sendable>: Codable, Sendable {
    /// The value; `nil` after a restoration.
    public let value: Value?

    /// Keeps a value as long as the process lives.
    /// - Parameter value: The value.
    public init(_ value: Value) { self.value = value }

    /// Keeps nothing, as after a restoration.
    public init() { value = nil }

    /// The value.
    /// - Returns: The value.
    /// - Throws: ``LiveValueLost`` after a restoration.
    public func get() throws(LiveValueLost) -> Value {
        guard let value else { throw LiveValueLost(type: String(describing: Value.self)) }
        return value
    }

    /// Keeps nothing, whatever was written.
    /// - Parameter decoder: Not asked.
    public init(from decoder: any Decoder) { self.init() }

    /// Writes nothing of the value: an empty object where a value is needed.
    /// - Parameter encoder: The encoder.
    public func encode(to encoder: any Encoder) { _ = encoder.container(keyedBy: NoKeys.self) }

    private enum NoKeys: CodingKey {}
}

/// The error of a live value that has ended with the process that had it.
public struct LiveValueLost: Error, Hashable, Sendable, CustomStringConvertible {
    /// The type of the value.
    public let type: String

    /// A sentence with the type.
    public var description: String { "The \(type) has ended with the process that had it." }
}

extension LiveValueLost: LocalizedError {
    /// A sentence with the type.
    public var errorDescription: String? { description }
}

// The compiler's own `Codable` of a class finds these before those of the standard library.

extension KeyedDecodingContainer {
    /// Makes an empty ``Live`` value, for which nothing was written.
    /// - Parameters:
    ///   - type: The type.
    ///   - key: The property.
    /// - Returns: An empty one.
    public func decode<Value>(_ type: Live<Value>.Type, forKey key: Key) -> Live<Value> { Live() }
}

extension KeyedEncodingContainer {
    /// Writes nothing of a ``Live`` value.
    /// - Parameters:
    ///   - value: The value.
    ///   - key: The property.
    public mutating func encode<Value>(_ value: Live<Value>, forKey key: Key) {}
}

/// A value that archives do not keep.
package protocol UnarchivedValue {}

extension Live: UnarchivedValue {}

/// A ``Live`` of whatever type.
protocol LiveValue {}

extension Live: LiveValue {}
