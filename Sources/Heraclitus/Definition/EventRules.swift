/// Where a rule holds.
enum RuleSources<State: Sendable, Group: Sendable>: Sendable {
    /// In any state.
    case any
    case states([State])
    case group(Group)

    /// The states that are named one by one.
    var states: [State] { if case .states(let states) = self { states } else { [] } }

    var isAny: Bool { if case .any = self { true } else { false } }
}

/// Sources and destinations of an event, of which each source leads to each destination.
struct EventRule<State: Sendable, Group: Sendable>: Sendable {
    let sources: RuleSources<State, Group>

    /// The destinations; of an update the sources, as far as they are named one by one.
    let destinations: [State]

    /// Whether a source stays the state and only gets new data.
    let isUpdate: Bool

    /// Whether there is no pair of a source and a destination.
    var isEmpty: Bool {
        switch sources {
        case .any: destinations.isEmpty
        case .states(let states): states.isEmpty || destinations.isEmpty
        case .group: destinations.isEmpty && !isUpdate
        }
    }

    /// The same rule with something else in place of each state and group, asked for in the order of the pairs.
    func map<OtherState, OtherGroup>(
        states transform: (State) -> OtherState,
        groups transformGroup: (Group) -> OtherGroup
    ) -> EventRule<OtherState, OtherGroup> {
        switch sources {
        case .any:
            return .init(sources: .any, destinations: destinations.map(transform), isUpdate: isUpdate)
        case .group(let group):
            let group = transformGroup(group)
            return .init(sources: .group(group), destinations: destinations.map(transform), isUpdate: isUpdate)
        case .states where isUpdate:
            let states = destinations.map(transform)
            return .init(sources: .states(states), destinations: states, isUpdate: true)
        case .states(let states):
            // The first pairs are those of the first source with every destination.
            let first = states.prefix(1).map(transform)
            let destinations = destinations.map(transform)
            let sources = first + states.dropFirst().map(transform)
            return .init(sources: .states(sources), destinations: destinations, isUpdate: false)
        }
    }
}

/// A rule as it was written down.
typealias DeclaredRule = EventRule<any WorkflowState.Type, GroupDeclaration>

/// A rule by the numbers of the states and the groups.
typealias NumberedRule = EventRule<Int, Int>

/// The rules of an event in the order in which they were added.
///
/// An event is a value, and each modifier makes another one with its own rules. These are kept in lists that are merged
/// when they have the same length. So a copy shares the long ones, and adding thousands of rules one after the other does
/// not copy all the earlier ones each time.
struct EventRules: Sendable {
    private var lists: [[DeclaredRule]] = []

    var all: [DeclaredRule] { lists.flatMap(\.self) }

    mutating func append(_ rule: DeclaredRule) {
        guard !rule.isEmpty else { return }
        var list = [rule]
        while let last = lists.last, last.count <= list.count {
            lists.removeLast()
            list = last + list
        }
        lists.append(list)
    }
}
