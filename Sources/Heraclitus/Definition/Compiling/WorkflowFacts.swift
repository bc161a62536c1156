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

    /// The size of the journals; `nil` for no journal.
    var journal: JournalLimit?

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

    /// Finds states by the names of objects, in a workflow of data.
    var namedStates: NamedStates?
}

/// Finds the states of objects that share one class.
struct NamedStates: Sendable {
    /// The number of an object's state; a likely number is tried first.
    let index: @Sendable (AnyObject, _ likely: Int?) -> Int?

    /// The reason for which an object has no state, although there is one with its name.
    let mismatch: @Sendable (AnyObject) -> (any Error)?
}
