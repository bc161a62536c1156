/// A state whose data is one value, so that an update changes what it says and keeps the rest.
///
/// ```swift
/// final class PlacedState: OrderState, Updatable, Composite {
///     struct Values: Codable, Sendable {
///         var items: [Item]
///         var note = ""
///         var payment: StateMachine<Payment>
///     }
///     static var regionPaths: RegionPaths<Values> { RegionPaths(\.payment) }
///     let values: Values
///     init(_ values: Values) { self.values = values }
/// }
///
/// let remark = Event(updating: PlacedState.self)
///     .enters { placed, call in placed.updated { $0.note = call.userInfo[.note] ?? "" } }
///
/// placed.note
/// ```
///
/// The values are members of the state, and its archive is theirs. A ``Composite`` one has its regions, and copies of them, by
/// ``regionPaths``.
@dynamicMemberLookup
public protocol Updatable: WorkflowState {
    /// The type of the data.
    associatedtype Values: Codable & Sendable

    /// The data.
    var values: Values { get }

    /// The machines in the data, for a ``Composite`` state; none by default.
    static var regionPaths: RegionPaths<Values> { get }

    /// Makes a state.
    /// - Parameter values: The data.
    init(_ values: Values)
}

extension Updatable {
    /// No machines.
    public static var regionPaths: RegionPaths<Values> { RegionPaths() }

    /// A value of the data.
    /// - Parameter path: The value.
    public subscript<Value>(dynamicMember path: any KeyPath<Values, Value> & Sendable) -> Value {
        values[keyPath: path]
    }

    /// Makes a state with changed data.
    /// - Parameter change: Changes the data.
    /// - Returns: The state.
    /// - Throws: The closure's error.
    public func updated<Failure: Error>(_ change: (inout Values) throws(Failure) -> Void) throws(Failure) -> Self {
        var values = values
        try change(&values)
        return Self(values)
    }

    /// Decodes the data.
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws { self.init(try Values(from: decoder)) }

    /// Encodes the data.
    /// - Parameter encoder: The encoder.
    /// - Throws: `EncodingError`.
    public func encode(to encoder: any Encoder) throws { try values.encode(to: encoder) }
}

extension Updatable where Self: Composite {
    /// The machines of ``Updatable/regionPaths``.
    public var regions: [any Region] { Self.regionPaths.paths.map { $0.region(values) } }

    /// The state with copies of its machines.
    public func copied() -> Self { updated { values in for path in Self.regionPaths.paths { path.copy(&values) } } }
}

/// Where in the data of a state its machines are: ``Updatable/regionPaths``.
public struct RegionPaths<Values>: Sendable {
    struct Path: Sendable {
        let region: @Sendable (Values) -> any Region

        /// Puts a copy in the place of the machine.
        let copy: @Sendable (inout Values) -> Void
    }

    let paths: [Path]

    /// Names machines, in the order in which they are activated.
    /// - Parameter paths: The values that hold them.
    public init<each W: Workflow>(_ paths: repeat any WritableKeyPath<Values, StateMachine<each W>> & Sendable) {
        var found: [Path] = []
        repeat found.append(Self.path(each paths))
        self.paths = found
    }

    private static func path<W: Workflow>(_ path: any WritableKeyPath<Values, StateMachine<W>> & Sendable) -> Path {
        Path(region: { $0[keyPath: path] }, copy: { $0[keyPath: path] = $0[keyPath: path].copy() })
    }
}
