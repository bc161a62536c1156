/// The type of `machine.is`: whether the current state is in a group of the workflow.
///
/// A group is a protocol or a class. A static property of the workflow gives it a name that the compiler checks:
///
/// ```swift
/// struct Download: Workflow {
///     static let loading = StateGroup(LoadingState.self) { $0 is LoadingState.Type }
///     static let live = StateGroup((any LiveState).self) { $0 is any LiveState.Type }
///     …
/// }
///
/// machine.is.loading          // as machine.isIn(LoadingState.self)
/// machine.is.live
/// ```
@dynamicMemberLookup
public struct StateQuery<W: Workflow>: Sendable {
    let machine: StateMachine<W>

    /// Whether the current state is in a group.
    /// - Parameter group: The static property of the workflow.
    public subscript<Group: AnyStateGroup>(dynamicMember group: KeyPath<W.Type, Group>) -> Bool {
        (Group.self as? any DeclaredGroup.Type)?.hasState(of: machine) ?? false
    }
}
