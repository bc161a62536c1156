/// The sources of a rule.
package enum RuleSources<State: Sendable, Group: Sendable>: Sendable {
    /// Any state.
    case any
    case states([State])
    case group(Group)

    /// The listed states; empty for a group.
    var states: [State] { if case .states(let states) = self { states } else { [] } }

    /// The listed states, or the members of the group; `nil` for any state.
    func states(ofGroup members: (Group) -> [State]) -> [State]? {
        switch self {
        case .any: nil
        case .states(let states): states
        case .group(let group): members(group)
        }
    }

    var isAny: Bool { if case .any = self { true } else { false } }
}

/// Sources and destinations of an event.
///
/// Each source leads to each destination.
package struct EventRule<State: Sendable, Group: Sendable>: Sendable {
    let sources: RuleSources<State, Group>

    /// The destinations; for an update, the listed sources.
    let destinations: [State]

    /// Whether the rule is an update.
    let isUpdate: Bool

    package init(sources: RuleSources<State, Group>, destinations: [State], isUpdate: Bool) {
        (self.sources, self.destinations, self.isUpdate) = (sources, destinations, isUpdate)
    }

    /// Whether the rule has no pair.
    var isEmpty: Bool {
        switch sources {
        case .any: destinations.isEmpty
        case .states(let states): states.isEmpty || destinations.isEmpty
        case .group: destinations.isEmpty && !isUpdate
        }
    }

    /// Converts each state and group of the rule, in the order of the pairs.
    func map<OtherState, OtherGroup>(
        states transform: (State) -> OtherState,
        groups transformGroup: (Group) -> OtherGroup
    ) -> EventRule<OtherState, OtherGroup> {
        // The first pairs are those of the first source.
        let first = sources.states.prefix(1).map(transform)
        let others = destinations.map(transform)
        let converted: RuleSources<OtherState, OtherGroup> =
            switch sources {
            case .any: .any
            case .states(let states): .states(first + states.dropFirst().map(transform))
            case .group(let group): .group(transformGroup(group))
            }
        return .init(sources: converted, destinations: others, isUpdate: isUpdate)
    }
}

/// A rule as it was declared.
typealias DeclaredRule = EventRule<any WorkflowState.Type, GroupDeclaration>

/// A rule with states and groups by number.
package typealias NumberedRule = EventRule<Int, Int>

/// The rules of an event in the order of adding.
///
/// An event is a value, and each modifier makes another one with its own rules. The rules are in lists, which are
/// merged when they have the same length. Copies share the long lists, so adding thousands of rules one by one avoids
/// copying all earlier ones each time.
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
