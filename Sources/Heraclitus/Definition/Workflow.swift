/// The definition of a workflow: a struct whose stored properties are its events and actions.
///
/// ```swift
/// struct Download: Workflow {
///     static var initial: any DownloadState { IdleState() }
///
///     let load   = Event(from: IdleState.self, FailureState.self, to: LoadingState.self)
///     let finish = Event(from: LoadingState.self, to: CompletedState.self)
/// }
///
/// let machine = StateMachine<Download>()
/// ```
///
/// The states of a workflow are those of its events and of ``states``. The definition is read once, at the first use of
/// the workflow, and shared by all its machines. An invalid definition stops the program there with all its problems.
/// ``diagnostics`` gives the same list to a unit test:
///
/// ```swift
/// #expect(Download.diagnostics.isEmpty)
/// ```
public protocol Workflow: Sendable {
    /// The type of ``initial``: ``AnyState``, or the metatype of a state class.
    associatedtype Initial: Sendable

    /// The type of `machine.state`, usually `any` protocol of the workflow; inferred from ``initial``.
    associatedtype AnyState: Sendable = Initial

    /// The runtime dependencies of the states, such as clients and stores; by default none.
    ///
    /// Each machine gets it when it is made or restored: `StateMachine<Session>(context: network)`. A machine without
    /// it gets it later, from ``StateMachine/activate(context:userInfo:)`` or its holder. Hooks and guards read it by
    /// ``StateTransition/context(as:)``, builders and actions by ``MachineCall/context``.
    ///
    /// If `Context` is an optional type, `nil` stands for a missing context. Pass `.some(nil)` for an empty one.
    associatedtype Context: Sendable = Void

    /// The state of a new machine, called for each machine, and once more when the definition is read.
    ///
    /// If each machine begins with its own data, it is the class instead of an object. `StateMachine<Order>()` then
    /// does not compile, and every machine is made in a state:
    ///
    /// ```swift
    /// struct Order: Workflow {
    ///     typealias AnyState = any OrderState
    ///     static var initial: PlacedState.Type { PlacedState.self }
    /// }
    ///
    /// let order = StateMachine<Order>(entering: PlacedState(items))
    /// ```
    static var initial: Initial { get }

    /// The workflow's stable name in archives, errors and tables; by default the name of the type.
    static var name: String { get }

    /// The version of the workflow's archives; by default 1.
    static var version: Int { get }

    /// The steps that convert archives of older versions, older versions first; none by default.
    ///
    /// Every version from 2 to ``version`` has at least one step. Use ``Migration/unchanged(in:)`` for a version with
    /// unchanged archives.
    static var migrations: [Migration] { get }

    /// States that no event names, such as subclasses of named states; none by default.
    static var states: [any WorkflowState.Type] { get }

    /// The states in which this workflow ends, with their subclasses; none by default.
    ///
    /// Every ``TransitionTable`` has the final states, which a machine enters and no event leaves. `findings` compares
    /// them with this list, and so finds states that are final by mistake, and listed states that an event leaves.
    static var finals: [any WorkflowState.Type] { get }

    /// Groups of states for tables and diagrams; none by default.
    ///
    /// Groups of events are always included. List a group here if only hooks, `isIn` or `wait` use it. Tables then show
    /// it, and ``StateMachine/wait(for:timeout:)`` knows the states that lead to it:
    ///
    /// ```swift
    /// static var groups: [any AnyStateGroup] { [StateGroup.live] }
    /// ```
    static var groups: [any AnyStateGroup] { get }

    /// The contexts of inner machines whose workflows have a context of another type; none by default.
    static var regionContexts: [RegionContext] { get }

    /// The types of the effects of its states, including machines within its states; none by default.
    ///
    /// A store saves and reads only these effects: see ``Effecting``.
    static var effects: [any Effect.Type] { get }

    /// The maximum number of lines in the journal of each machine of this workflow; 0, the default, for no journal.
    ///
    /// ```swift
    /// static var journal: Int { 100 }
    /// ```
    ///
    /// A journal keeps its last lines. Each line adds about 150 bytes to the archive, and a rejection
    /// about 400. Archives and copies have the journal. See ``StateMachine/journal``.
    static var journal: Int { get }

    /// The keys of user infos whose values journals leave out; none by default.
    ///
    /// ```swift
    /// static var secretUserInfoKeys: Set<String> { ["password", "cardNumber"] }
    /// ```
    ///
    /// Hooks and observers get the values. Existing lines in an archive stay unchanged.
    static var secretUserInfoKeys: Set<String> { get }

    /// Makes the definition with all its events.
    init()
}

extension Workflow {
    /// An event of this workflow, from a source to a destination.
    public typealias Event<Source, Destination> = WorkflowEvent<Self, Source, Destination>

    /// An action of this workflow.
    public typealias Action<State, Result> = WorkflowAction<Self, State, Result>

    /// The name of the type, including the arguments of a generic type, like ``WorkflowState/name``.
    public static var name: String { defaultName(of: Self.self) }

    /// The default version 1.
    public static var version: Int { 1 }

    /// The default: no steps.
    public static var migrations: [Migration] { [] }

    /// The default: no further states.
    public static var states: [any WorkflowState.Type] { [] }

    /// The default: no declared final states.
    public static var finals: [any WorkflowState.Type] { [] }

    /// The default: no further groups.
    public static var groups: [any AnyStateGroup] { [] }

    /// The default: no contexts of inner machines.
    public static var regionContexts: [RegionContext] { [] }

    /// The default: no effects.
    public static var effects: [any Effect.Type] { [] }

    /// The default: no journal.
    public static var journal: Int { 0 }

    /// The default: no secret keys.
    public static var secretUserInfoKeys: Set<String> { [] }
}
