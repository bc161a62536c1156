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
/// The states of a workflow are those that its events and ``states`` name. The definition is read once, when the workflow
/// is first used, and shared by all its machines; a wrong one stops the program there with all its problems listed. A unit
/// test finds the same list in ``diagnostics``:
///
/// ```swift
/// #expect(Download.diagnostics.isEmpty)
/// ```
public protocol Workflow: Sendable {
    /// The type of ``initial``: ``AnyState``, or the type of a class of states.
    associatedtype Initial: Sendable

    /// The type of `machine.state`, usually `any` protocol of the workflow's own; inferred from ``initial``.
    associatedtype AnyState: Sendable = Initial

    /// What the workflow's states need and archives do not keep, such as clients and stores; nothing by default.
    ///
    /// Each machine is given one when it is made or restored: `StateMachine<Session>(context: network)`. Hooks and guards reach it with
    /// ``StateTransition/context(as:)``, builders with ``EventCall/context``, actions with ``ActionCall/context``.
    associatedtype Context: Sendable = Void

    /// The state of a new machine; called for each machine, and once more when the definition is read.
    ///
    /// Where each machine begins with data of its own, it is the class and no object. Then `StateMachine<Order>()` does not compile, and
    /// every machine is made in a state:
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

    /// The workflow's stable name, which archives, errors and tables use; by default the type's own name.
    static var name: String { get }

    /// The version of what this workflow archives; 1 unless it says otherwise.
    static var version: Int { get }

    /// The steps that convert archives of older versions to this version, those of older versions first; none by default.
    ///
    /// Every version from 2 to ``version`` has at least one step. A version that did not change the archives has
    /// ``Migration/unchanged(in:)``.
    static var migrations: [Migration] { get }

    /// States that no event names, such as subclasses of those that one does; none by default.
    static var states: [any WorkflowState.Type] { get }

    /// The states in which this workflow ends, with their subclasses; none by default.
    ///
    /// Nothing leaves a final state, so every ``TransitionTable`` knows them. A workflow that lists them lets `findings` compare both: a
    /// state that nothing leaves by mistake is found, and so is a state that should be the end and is left.
    static var finals: [any WorkflowState.Type] { get }

    /// Groups of states, for tables and diagrams to name; none by default.
    ///
    /// The groups of events are named anyway. List a group here that only hooks, `isIn` or `wait` use, so that tables show it, and
    /// that ``StateMachine/wait(for:)`` knows from which states it can be reached:
    ///
    /// ```swift
    /// static var groups: [any AnyStateGroup] { [StateGroup.live] }
    /// ```
    static var groups: [any AnyStateGroup] { get }

    /// The contexts of the machines in its states whose workflows have a context of another type; none by default.
    static var regionContexts: [RegionContext] { get }

    /// The types of the effects that its states declare, and of those of machines within its states; none by default.
    ///
    /// A store keeps no other effects, and makes no others of what it has kept: ``Effecting``.
    static var effects: [any Effect.Type] { get }

    /// How much of what happens each machine of this workflow keeps in its journal; nothing by default.
    ///
    /// ```swift
    /// static var journal: JournalLimit? { .last(100) }
    /// ```
    ///
    /// Archives and copies have the journal. See ``StateMachine/journal``.
    static var journal: JournalLimit? { get }

    /// The keys of a user info whose values no journal of these machines keeps; none by default.
    ///
    /// ```swift
    /// static var secretUserInfoKeys: Set<String> { ["password", "cardNumber"] }
    /// ```
    ///
    /// Hooks and observers get the values. Lines that are already in an archive keep what they have.
    static var secretUserInfoKeys: Set<String> { get }

    /// Makes the definition with all its events.
    init()
}

extension Workflow {
    /// An event of this workflow, from a source to a destination.
    public typealias Event<Source, Destination> = WorkflowEvent<Self, Source, Destination>

    /// An action of this workflow, which a state allows.
    public typealias Action<State, Result> = WorkflowAction<Self, State, Result>

    /// The type's own name; that of a generic type with its arguments in full, as ``WorkflowState/name``.
    public static var name: String { defaultName(of: Self.self) }

    /// 1, the version of a workflow that has not changed yet.
    public static var version: Int { 1 }

    /// No steps, as long as the version is 1.
    public static var migrations: [Migration] { [] }

    /// No further states.
    public static var states: [any WorkflowState.Type] { [] }

    /// No states that are said to be final.
    public static var finals: [any WorkflowState.Type] { [] }

    /// No further groups.
    public static var groups: [any AnyStateGroup] { [] }

    /// No contexts of machines in states.
    public static var regionContexts: [RegionContext] { [] }

    /// No effects.
    public static var effects: [any Effect.Type] { [] }

    /// No journal.
    public static var journal: JournalLimit? { nil }

    /// No secrets.
    public static var secretUserInfoKeys: Set<String> { [] }
}
