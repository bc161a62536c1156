/// Sources and destinations of an event, of which each source leads to each destination.
struct EventRule<State: Sendable>: Sendable {
    /// The sources; `nil` means any state.
    let sources: [State]?
    let destinations: [State]

    /// Whether a source stays the state and only gets new data.
    ///
    /// The destinations are the sources then.
    let isUpdate: Bool

    /// Whether there is no pair of a source and a destination.
    var isEmpty: Bool { destinations.isEmpty || sources?.isEmpty == true }

    /// The same rule with something else in place of each state, asked for in the order of the pairs.
    func map<Other>(_ transform: (State) -> Other) -> EventRule<Other> {
        if isUpdate {
            let states = destinations.map(transform)
            return EventRule<Other>(sources: states, destinations: states, isUpdate: true)
        }
        // The first pairs are those of the first source with every destination.
        let first = sources.map { $0.prefix(1).map(transform) }
        let destinations = destinations.map(transform)
        let rest = sources.map { $0.dropFirst().map(transform) } ?? []
        return EventRule<Other>(sources: first.map { $0 + rest }, destinations: destinations, isUpdate: false)
    }
}

/// The rules of an event in the order in which they were added.
///
/// An event is a value, and each modifier makes another one with its own rules. These are kept in lists that are merged
/// when they have the same length. So a copy shares the long ones, and adding thousands of rules one after the other does
/// not copy all the earlier ones each time.
struct EventRules: Sendable {
    private var lists: [[EventRule<any WorkflowState.Type>]] = []

    var all: [EventRule<any WorkflowState.Type>] { lists.flatMap(\.self) }

    mutating func append(_ rule: EventRule<any WorkflowState.Type>) {
        guard !rule.isEmpty else { return }
        var list = [rule]
        while let last = lists.last, last.count <= list.count {
            lists.removeLast()
            list = last + list
        }
        lists.append(list)
    }
}
