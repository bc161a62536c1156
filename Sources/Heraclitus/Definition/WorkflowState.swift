/// A state of a workflow: a class with exactly the data of the state.
///
/// Refine it with a protocol for all states of your workflow, and conform your classes to that protocol. `Codable` is
/// usually synthesized. Prefer `final` classes with `let` properties, which are `Sendable` as they stand.
///
/// ```swift
/// protocol DownloadState: WorkflowState { var request: Request? { get } }
/// extension DownloadState { var request: Request? { nil } }
///
/// final class LoadingState: DownloadState {
///     let request: Request?
///     init(request: Request) { self.request = request }
/// }
/// ```
///
/// A subclass of a state *is* that state: an event from `FailureState` also leads from `TimedOutState: FailureState`.
/// List subclasses that no event names in ``Workflow/states``.
///
/// Capabilities give a state hooks: ``ExitGuarding``,
/// ``EntryGuarding``, ``ExitPreparing``, ``EntryPreparing``, ``Exiting``, ``Entering``, ``Restoring``, ``Copying``,
/// ``Working``, ``Composite``, ``Aging``, ``FactStating``, ``Effecting``.
public protocol WorkflowState: AnyObject, Codable, Sendable {
    /// The stable name of this state in archives, errors and tables.
    ///
    /// The default is the name of the class without its module. Give a class its own name if it may be renamed.
    ///
    /// The default name of a generic class includes the arguments with their modules and outer types, such as
    /// `Loaded<Shop.Sales.Item>`. Modules of the system are left out: `Loaded<Date>`. A class within a generic type is
    /// prefixed by that type. Types with the same name in private scopes of one module are ambiguous. Give such a class
    /// its own name, also if an argument may be renamed or moved. Archives with `Loaded<Item>`, the default name of
    /// earlier versions, stay readable if it is unique.
    ///
    /// If subclasses have other names, the superclass declares a `class var`, because a subclass cannot override the
    /// default.
    static var name: String { get }
}

extension WorkflowState {
    /// The name of the class without its module, including the arguments of a generic class: `Loaded<Shop.Sales.Item>`.
    public static var name: String { defaultName(of: Self.self) }
}

/// A state without data, which the machine makes itself.
///
/// Events to it need no argument.
///
/// ```swift
/// final class CancelledState: DownloadState, EmptyState {}
///
/// try machine.fire.cancel()
/// ```
public protocol EmptyState: WorkflowState {
    /// Makes the state.
    init()
}
