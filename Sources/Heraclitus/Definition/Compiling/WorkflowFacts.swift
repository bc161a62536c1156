/// The facts of a workflow besides its states and events.
struct WorkflowFacts: Sendable {
    let name: String

    /// The default name of the workflow in earlier versions; `nil` if it is unchanged.
    var formerName: String?
    let version: Int
    let migrations: [Migration]

    /// The number of the initial state; `nil` only in an invalid definition.
    let initial: Int?

    /// The numbers of the states that the workflow lists in addition to those of events.
    let listed: [Int]

    /// The names of the states that the workflow declares as final.
    let declaredFinals: [String]

    /// The type of the machines' context.
    let context: ObjectIdentifier

    /// The contexts of machines in states.
    var regionContexts: [RegionContext] = []

    /// The maximum number of lines in a journal; 0 for no journal.
    var journal = 0

    /// The secret keys of user infos, whose values journals leave out.
    var secretKeys: Set<String> = []
}

/// Handles a workflow's objects and values, whose types the definition does not know.
@usableFromInline
struct ObjectHandling: Sendable {
    /// The workflow's own value with its bound events.
    @usableFromInline let eventValues: ErasedImmortal

    /// Finds the object of a value of the workflow's `AnyState`.
    @usableFromInline let access: ObjectAccess

    /// The layout of an object in the workflow's `AnyState`; `nil` for an unsuitable object.
    let findLayout: @Sendable (AnyObject) -> ExistentialLayout?

    /// Makes the workflow's table within other workflows, including the machines of an object.
    let makeTable: @Sendable (_ path: [ObjectIdentifier], _ object: AnyObject?) -> TransitionTable

    /// The states of objects that share one class.
    var namedStates: (any NamedStates)?

    /// The workflow's type, if contexts have the definition of its machines.
    var contextDefined: (any ContextDefined.Type)?
}
