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
    /// own. If subclasses have other names, the superclass declares a `class var`: a subclass cannot override the
    /// default.
    static var name: String { get }
}

extension WorkflowState {
    /// The name of the class, without its module.
    public static var name: String { ownName(of: Self.self) }
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
