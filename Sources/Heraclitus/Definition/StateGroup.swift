/// The states of a workflow that conform to a protocol, or that have a superclass in common.
///
/// An event may lead from every state of a group, be ignored in it, or update it, and closures get the state typed as the
/// protocol. A state may be in several groups, and its class stays `final`.
///
/// ```swift
/// protocol Live: DownloadState { var request: Request { get } }
/// extension StateGroup where State == any Live { static var live: Self { Self { $0 is any Live.Type } } }
///
/// struct Download: Workflow {
///     let cancel = Event(from: .live, to: CancelledState.self).willFire { live, _, _ in live.request.cancel() }
/// }
/// ```
///
/// The closure is necessary because Swift cannot tell from a protocol alone which classes conform to it. A closure that does not match
/// its protocol stops the program at the first object of a class for which it is wrong. A group that is used once can be written where
/// it is used: `StateGroup((any Live).self) { $0 is any Live.Type }`.
///
/// The states of a group are determined once, when the workflow is first used, so a transition costs the same as without groups.
/// ``StateMachine/isIn(_:)`` and the closures of a machine have an object, so they need only the protocol:
/// `machine.didEnter((any Live).self) { live, _ in … }`.
///
/// What is said of a class, or of a superclass of it, is stronger than what is said of a group: an event that leads from a group and is
/// ignored in one of its classes leads from all others. Destinations add up.
public struct StateGroup<State>: AnyStateGroup {
    let declaration: GroupDeclaration

    /// The group's name in tables and diagrams: the protocol's or the class's own, unless one is given.
    public var name: String { declaration.name }

    /// Makes the group of all states that conform to a protocol.
    /// - Parameters:
    ///   - type: The protocol, `(any Live).self`; inferred in an extension for groups of that protocol.
    ///   - name: The group's name; the protocol's own if there is none.
    ///   - includes: Whether a class conforms to the protocol: `{ $0 is any Live.Type }`.
    public init(
        _ type: State.Type = State.self,
        named name: String? = nil,
        _ includes: @escaping @Sendable (any WorkflowState.Type) -> Bool
    ) {
        declaration = GroupDeclaration(type, name, includes)
    }

    /// Makes the group of a class and its subclasses.
    /// - Parameters:
    ///   - type: The class.
    ///   - name: The group's name; the class's own if there is none.
    public init(_ type: State.Type = State.self, named name: String? = nil) where State: WorkflowState {
        declaration = GroupDeclaration(type, name ?? type.name) { $0 is State.Type }
    }
}

/// A group of states of whatever type, as ``Workflow/groups`` lists them: a ``StateGroup``.
public protocol AnyStateGroup: Sendable {
    /// The group's name in tables and diagrams.
    var name: String { get }
}

/// What the author of a workflow wrote down about a group, without its type.
struct GroupDeclaration: Sendable {
    let name: String

    /// The protocol, or the class.
    let type: ObjectIdentifier

    /// Whether a class is said to be in the group.
    let includes: @Sendable (any WorkflowState.Type) -> Bool

    /// Whether an object is in the group.
    let holds: @Sendable (AnyObject) -> Bool

    init<State>(
        _ type: State.Type,
        _ name: String?,
        _ includes: @escaping @Sendable (any WorkflowState.Type) -> Bool,
        holding holds: @escaping @Sendable (AnyObject) -> Bool = { $0 is State }
    ) {
        self.name = name ?? ownName(of: type)
        self.type = ObjectIdentifier(type)
        self.includes = includes
        self.holds = holds
    }
}

/// A group as it is found among others.
protocol DeclaredGroup {
    var declaration: GroupDeclaration { get }
}

extension StateGroup: DeclaredGroup {}
