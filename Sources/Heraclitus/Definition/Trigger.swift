import HeraclitusEssentials

/// A trigger of an automatic event.
@usableFromInline
struct Trigger: Sendable {
    /// The states in which the trigger fires the event.
    let sources: ClosureParameter

    /// The kind of the trigger, as in a table.
    let name: TransitionTable.Trigger

    /// The due date in a state that was entered at a date; `nil` for never.
    var date: (@Sendable (_ state: AnyObject, _ entered: Date) -> Date?)?

    /// Whether the due date depends on the date of entry, which archives then keep.
    var isSinceEntry = false

    /// The delay after the entry, if it is constant.
    var after: Duration?

    /// The builder of an event after failed work, if it has one of its own.
    var builder: StateBuilder?

    /// The closure that decides; `nil` if the machines of `properties` have to end.
    var condition: (@Sendable (AnyObject) -> Bool)?

    /// The machines that have to end.
    var properties: [RegionProperty] = []

    /// The machines in a state that have to end.
    func regions(_ state: AnyObject) -> [any Region] { properties.flatMap { $0.regions(state) } }

    /// Whether the condition holds, or all machines have ended.
    func holds(in state: AnyObject) -> Bool {
        if let condition { return condition(state) }
        let regions = regions(state)
        return !regions.isEmpty
            && regions.allSatisfy { region in
                (region as? any TreeMachine)?.withCore { $0.now.isActive && $0.hasFinalState } == true
            }
    }
}

/// An event of the definition with one of its triggers.
struct AutomaticEvent: Sendable {
    /// The number of the event.
    let event: Int
    let trigger: Trigger
}
