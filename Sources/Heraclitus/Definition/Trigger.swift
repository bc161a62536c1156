import HeraclitusEssentials

/// A trigger of an automatic event.
@usableFromInline
struct Trigger: Sendable {
    /// The states in which the trigger fires the event.
    let sources: ClosureParameter

    let kind: Kind

    enum Kind: Sendable {
        /// The event is due, by the date of entry; archives keep that date if the due date depends on it.
        ///
        /// A constant delay after the entry is `after`.
        case due(_ date: @Sendable (AnyObject, _ entered: Date) -> Date?, isSinceEntry: Bool, after: Duration?)

        /// The state's work has failed; the closure replaces the event's own builder, if there is one.
        case failure(StateBuilder?)

        /// The state's work is done.
        case done

        /// A closure decides.
        case condition(@Sendable (AnyObject) -> Bool)

        /// Machines have ended.
        case completion([RegionProperty])
    }

    /// The trigger in a table.
    var name: TransitionTable.Trigger {
        switch kind {
        case .due: .due
        case .failure: .failure
        case .done: .done
        case .condition: .condition
        case .completion: .completion
        }
    }

    /// Whether the due date depends on the date of entry.
    var isSinceEntry: Bool { if case .due(_, let isSinceEntry, _) = kind { isSinceEntry } else { false } }

    /// The delay after the entry, if it is constant.
    var after: Duration? { if case .due(_, _, let after) = kind { after } else { nil } }

    /// The builder of an event after failed work, if it has one of its own.
    var builder: StateBuilder? { if case .failure(let builder) = kind { builder } else { nil } }

    /// The machines that have to end.
    var properties: [RegionProperty] { if case .completion(let properties) = kind { properties } else { [] } }

    /// The machines in a state that have to end.
    func regions(_ state: AnyObject) -> [any Region] { properties.flatMap { $0.regions(state) } }

    /// The due date in a state that was entered at a date; `nil` for never.
    func date(in state: AnyObject, entered: Date) -> Date? {
        if case .due(let date, _, _) = kind { date(state, entered) } else { nil }
    }

    /// Whether the condition holds, or all machines have ended.
    func holds(in state: AnyObject) -> Bool {
        if case .condition(let holds) = kind { return holds(state) }
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
