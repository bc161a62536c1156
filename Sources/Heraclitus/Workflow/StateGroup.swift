/// The states of a workflow that conform to a protocol, or that have a superclass in common.
///
/// A group is to protocols what a superclass is to classes: an event may lead from every state of it, be ignored in it, or
/// update it, and closures get the state as the protocol. A state may be in several groups, and its class stays `final`.
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
/// The closure is there because Swift cannot tell from a protocol alone which classes conform to it. It asks what the protocol says:
/// the first object of each class is compared with the answer, and a wrong answer stops the program. A group that is used once is
/// written where it is used, `StateGroup((any Live).self) { $0 is any Live.Type }`.
///
/// Which states are in a group is decided once, when the workflow is first used; a transition costs the same as without groups.
/// Where there is an object to ask, as in ``StateMachine/isIn(_:)`` and in a machine's own closures, the protocol itself is enough:
/// `machine.didEnter((any Live).self) { live, _ in … }`.
///
/// What is said of a class, or of a superclass of it, counts before what is said of its groups: an event from a group that is
/// ignored in one class of the group leads from all the others.
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
        _ includes: @escaping @Sendable (any WorkflowState.Type) -> Bool
    ) {
        self.name = name ?? ownName(of: type)
        self.type = ObjectIdentifier(type)
        self.includes = includes
        holds = { $0 is State }
    }
}

/// A group as it is found among others.
protocol DeclaredGroup {
    var declaration: GroupDeclaration { get }
}

extension StateGroup: DeclaredGroup {}
