/// The states of a workflow that conform to a protocol or share a superclass.
///
/// An event may lead from every state of a group, be ignored in it, or update it. Closures get the state typed as the
/// protocol. A state may be in several groups, and its class stays `final`.
///
/// ```swift
/// protocol LiveState: DownloadState { var request: Request { get } }
/// extension StateGroup where State == any LiveState { static var live: Self { Self { $0 is any LiveState.Type } } }
///
/// struct Download: Workflow {
///     let cancel = Event(fromAny: .live, to: CancelledState.self).willFire { live, _, _ in live.request.cancel() }
/// }
/// ```
///
/// The closure is necessary because Swift cannot list the classes that conform to a protocol. A closure that
/// contradicts its protocol stops the program at the first object of an affected class. A group that is used once can
/// be written in place: `StateGroup((any LiveState).self) { $0 is any LiveState.Type }`.
///
/// The states of a group are determined at the first use of the workflow, so a transition costs the same as without
/// groups. ``StateMachine/isIn(_:)`` and the closures of a machine have an object, so they need only the protocol:
/// `machine.didEnter((any LiveState).self) { live, _ in … }`.
///
/// Rules for a class or its superclass override rules for a group. An event from a group that one class ignores leads
/// from all other classes of the group. Destinations add up.
public struct StateGroup<State>: AnyStateGroup {
    let declaration: GroupDeclaration

    /// Makes the group of all states that conform to a protocol, or of a class and its subclasses.
    /// - Parameters:
    ///   - type: The protocol, `(any LiveState).self`, or the class; inferred in an extension for groups of that type.
    ///   - name: The group's name in tables and diagrams; by default the name of the protocol or class.
    ///   - includes: Whether a class is in the group: `{ $0 is any LiveState.Type }`, or `{ $0 is LoadingState.Type }`.
    ///     Without `.Type`, the compiler only warns, and the closure may crash with Swift 6.3.
    public init(
        _ type: State.Type = State.self,
        named name: String? = nil,
        _ includes: @escaping @Sendable (any WorkflowState.Type) -> Bool
    ) {
        declaration = GroupDeclaration(type, name, includes)
    }
}

/// A group of states of any type, for ``Workflow/groups``: a ``StateGroup``.
public protocol AnyStateGroup: Sendable {}

/// The untyped declaration of a group.
struct GroupDeclaration: Sendable {
    let name: String

    /// The protocol, or the class.
    let type: ObjectIdentifier

    /// Whether a class is in the group, by the closure.
    let includes: @Sendable (any WorkflowState.Type) -> Bool

    /// Whether an object is in the group.
    let holds: @Sendable (AnyObject) -> Bool

    init<State>(
        _ type: State.Type,
        _ name: String?,
        _ includes: @escaping @Sendable (any WorkflowState.Type) -> Bool
    ) {
        self.name = name ?? (type as? any WorkflowState.Type)?.name ?? ownName(of: type)
        self.type = ObjectIdentifier(type)
        self.includes = includes
        holds = { $0 is State }
    }
}

/// A declared group of any type.
protocol DeclaredGroup {
    var declaration: GroupDeclaration { get }

    /// Whether the state of a machine is in the group.
    static func hasState(of machine: StateMachine<some Workflow>) -> Bool
}

extension StateGroup: DeclaredGroup {
    static func hasState(of machine: StateMachine<some Workflow>) -> Bool { machine.isIn(State.self) }
}
