import HeraclitusEssentials

/// A trigger of an automatic event.
@usableFromInline
struct Trigger: Sendable {
    /// The states in which the trigger fires the event.
    let sources: ClosureTypes.Parameter
    let kind: Kind

    enum Kind: Sendable {
        /// The event is due.
        case due(Deadline)

        /// The state's work has failed; the closure replaces the event's own builder, if there is one.
        case failure(StateBuilder?)

        /// The state's work is done.
        case done

        /// A closure decides.
        case condition(@Sendable (AnyObject) -> Bool)

        /// Machines have ended: their descriptions without a state, and the machines of a state.
        case completion([RegionProperty], @Sendable (AnyObject) -> [any Region])
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

    /// Whether the trigger builds the event's destination.
    var hasBuilder: Bool { if case .failure(_?) = kind { true } else { false } }

    var deadline: Deadline? { if case .due(let deadline) = kind { deadline } else { nil } }

    /// The descriptions of the machines that have to end.
    var properties: [RegionProperty] { if case .completion(let properties, _) = kind { properties } else { [] } }

    /// The machines in a state that have to end.
    func regions(_ state: AnyObject) -> [any Region] {
        if case .completion(_, let regions) = kind { regions(state) } else { [] }
    }
}

/// An event of the definition with one of its triggers.
struct AutomaticEvent: Sendable {
    /// The number of the event.
    let event: Int
    let trigger: Trigger
}
