/// A state of a workflow: a class with just the data that this state needs.
///
/// Refine it with a protocol of your own that says what every state of a workflow can be asked, and conform your classes
/// to that. `Codable` is usually synthesized; state classes are `final` classes of `let`s wherever possible, which makes
/// them `Sendable` as they stand.
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
/// A subclass of a state *is* that state: an event that leads from `FailureState` also leads from
/// `TimedOutState: FailureState`. A subclass that no event names is listed in ``Workflow/states``.
///
/// A state has hooks by conforming to capabilities: ``ExitGuarding``,
/// ``EntryGuarding``, ``ExitPreparing``, ``EntryPreparing``, ``Exiting``, ``Entering``, ``Restoring``, ``Copying``, ``Working``.
public protocol WorkflowState: AnyObject, Codable, Sendable {
    /// The stable name of this state, which archives, errors and tables use.
    ///
    /// The default is the name of the class without its module. Give a class that may be renamed one day a name of its
    /// own.
    ///
    /// The default name of a generic class has the arguments with their modules and the types around them, such as `Loaded<Shop.Sales.Item>`.
    /// Modules of the system are left out: `Loaded<Date>`. A class within a generic type has that type before its name. Types that have the same
    /// name in private scopes of one module cannot be told apart. Give such a class a name of its own, also if an argument may be renamed or
    /// moved one day. Archives that have `Loaded<Item>`, the default name of earlier versions, are still read where one state alone had it.
    ///
    /// If subclasses have other names, the superclass declares a `class var`: a subclass cannot override the
    /// default.
    static var name: String { get }
}

extension WorkflowState {
    /// The name of the class, without its module; that of a generic class with its arguments in full: `Loaded<Shop.Sales.Item>`.
    public static var name: String { defaultName(of: Self.self) }
}

/// A state without data, which the machine makes itself: events that lead to it need no argument.
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
