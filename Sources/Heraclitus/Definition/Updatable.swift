/// A state with one value as its data, so that an update changes parts of the value and keeps the rest.
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
/// The members of the value are members of the state, and the state's archive is the value's archive. A ``Composite``
/// state gets its regions, and copies of them, by ``regionPaths``.
@dynamicMemberLookup
public protocol Updatable: WorkflowState {
    /// The type of the data.
    associatedtype Values: Codable & Sendable

    /// The data.
    var values: Values { get }

    /// The machines in the data of a ``Composite`` state; none by default.
    static var regionPaths: RegionPaths<Values> { get }

    /// Makes a state.
    /// - Parameter values: The data.
    init(_ values: Values)
}

extension Updatable {
    /// No machines.
    public static var regionPaths: RegionPaths<Values> { RegionPaths() }

    /// A member of the data.
    /// - Parameter path: The member.
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

/// The paths to the machines in a state's data: ``Updatable/regionPaths``.
public struct RegionPaths<Values>: Sendable {
    struct Path: Sendable {
        let region: @Sendable (Values) -> any Region

        /// Replaces the machine by a copy.
        let copy: @Sendable (inout Values) -> Void
    }

    let paths: [Path]

    /// Lists machines in the order of activation.
    /// - Parameter paths: The members with the machines.
    public init<each W: Workflow>(_ paths: repeat any WritableKeyPath<Values, StateMachine<each W>> & Sendable) {
        var found: [Path] = []
        repeat found.append(Self.path(each paths))
        self.paths = found
    }

    private static func path<W: Workflow>(_ path: any WritableKeyPath<Values, StateMachine<W>> & Sendable) -> Path {
        Path(region: { $0[keyPath: path] }, copy: { $0[keyPath: path] = $0[keyPath: path].copy() })
    }
}
