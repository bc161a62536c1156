import HeraclitusEssentials

/// A value of a state that archives leave out, such as an open connection.
///
/// It is empty after a restoration.
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
/// The synthesized `Codable` of the state, or of a struct in its data, leaves the property out of archives, and makes
/// an empty one when it reads them. An update passes it from the old object to the new one. The value is released with
/// its last state object.
///
/// The value is `Sendable`, because threads share states. Make the class of a mutable object an actor or `@MainActor`,
/// or let it keep its variables in a `Mutex`. Keep an object that cannot be `Sendable` outside the states, in an actor
/// of yours that observes the machine.
public struct Live<Value: Sendable>: Codable, Sendable {
    /// The value; `nil` after a restoration.
    public let value: Value?

    /// Keeps a value as long as the process lives.
    /// - Parameter value: The value; `nil`, the default, for an empty one, as after a restoration.
    public init(_ value: Value? = nil) { self.value = value }

    /// The value.
    /// - Returns: The value.
    /// - Throws: An error that names the type, after a restoration; ``value`` is `nil` then.
    public func get() throws -> Value {
        guard let value else { throw LiveValueLost(type: String(describing: Value.self)) }
        return value
    }

    /// Makes an empty value.
    /// - Parameter decoder: Ignored.
    public init(from decoder: any Decoder) { self.init() }

    /// Encodes an empty object where a value is needed.
    /// - Parameter encoder: The encoder.
    public func encode(to encoder: any Encoder) { _ = encoder.container(keyedBy: JSONKey.self) }
}

/// The error of a live value that was lost with its process.
private struct LiveValueLost: Error {
    /// The name of the value's type.
    let type: String
}

extension LiveValueLost: DescribedError {
    var description: String { "The \(type) has ended with the process that had it." }
}

// The synthesized `Codable` of a class finds these methods before those of the standard library.

extension KeyedDecodingContainer {
    /// Makes an empty ``Live`` value.
    /// - Parameters:
    ///   - type: The type.
    ///   - key: The property.
    /// - Returns: An empty value.
    public func decode<Value>(_ type: Live<Value>.Type, forKey key: Key) -> Live<Value> {
        // A value that an earlier class has written counts as read, so that later archives leave it out.
        _ = contains(key)
        return Live()
    }
}

extension KeyedEncodingContainer {
    /// Encodes nothing for a ``Live`` value.
    /// - Parameters:
    ///   - value: The value.
    ///   - key: The property.
    public mutating func encode<Value>(_ value: Live<Value>, forKey key: Key) {}
}

/// A value that archives leave out: a ``Live`` of any type.
package protocol UnarchivedValue {}

extension Live: UnarchivedValue {}
