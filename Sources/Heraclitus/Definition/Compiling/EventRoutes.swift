/// The routes of an event, by the numbers of the states.
///
/// Time and memory are linear in the declared lists, including subclasses, rather than in the pairs of states.
struct EventRoutes: Sendable {
    let rules: [NumberedRule]

    /// The states that the declaration lists both as ignoring the event and as sources, without their subclasses.
    let contradictoryIgnores: [Int]

    /// The rules for any state.
    private let general: [Int]

    /// The rules of each state that is a source of a specific rule, including the general rules.
    private let specific: [Int: [Int]]

    /// The states that ignore the event.
    let ignoring: Set<Int>

    init(
        _ rules: [NumberedRule],
        ignored: [Int],
        ignoredGroups: [Int],
        in states: StateClasses,
        _ groups: [CompiledGroup]
    ) {
        self.rules = rules
        let general = rules.indices.filter { rules[$0].sources.isAny }
        var specific: [Int: [Int]] = [:]
        func add(_ number: Int, in state: Int) {
            if specific[state]?.last != number { specific[state, default: general].append(number) }
        }
        for (number, rule) in rules.enumerated() {
            switch rule.sources {
            case .any: break
            case .states(let sources):
                for state in sources.lazy.flatMap({ states.descendants[$0] }) { add(number, in: state) }
            case .group(let group): for state in groups[group].members { add(number, in: state) }
            }
        }
        self.general = general
        self.specific = specific
        // A class overrides its superclasses, as in inheritance. Declarations of groups are weaker than those of
        // classes, and "from any state" is the weakest.
        let ignoredClasses = Set(ignored)
        let sources = Set(rules.lazy.flatMap(\.sources.states))
        func answer(of state: Int) -> Bool? {
            states.lineages[state].first { ignoredClasses.contains($0) || sources.contains($0) }
                .map(ignoredClasses.contains)
        }
        var contradictions = ignored.filter(sources.contains)
        var ignoring = Set(ignored.lazy.flatMap { states.descendants[$0] }.filter { answer(of: $0) == true })
        let members = ignoredGroups.flatMap { (group: Int) -> [Int] in groups[group].members }
            .filter { answer(of: $0) == nil }
        // No class leads from these states, so their specific rules are those of groups.
        for state in members where ignoring.insert(state).inserted && specific[state] != nil {
            contradictions.append(state)
        }
        self.ignoring = ignoring
        contradictoryIgnores = contradictions
    }

    /// The states with specific rules, and the states that ignore the event.
    var specificStates: Set<Int> { ignoring.union(specific.keys) }

    /// The states that the event may lead from, in ascending order.
    func sources(in states: StateClasses) -> [Int] {
        let listed = general.isEmpty ? specificStates : Set(states.types.indices)
        return listed.subtracting(ignoring).sorted()
    }

    /// The numbers of a state's rules; `nil` stands for all states outside ``specificStates``.
    func rules(in state: Int?) -> [Int] { state.flatMap { specific[$0] } ?? general }

    /// The declared destinations from a state, in order.
    func declaredDestinations(from source: Int) -> [Int] {
        guard !ignoring.contains(source) else { return [] }
        var seen: Set<Int> = []
        return rules(in: source).flatMap { rules[$0].isUpdate ? [source] : rules[$0].destinations }
            .filter { seen.insert($0).inserted }
    }

    /// The only declared destination; `nil` if there are several.
    var onlyDestination: Int? {
        guard let first = rules.first?.destinations.first,
            rules.allSatisfy({ !$0.destinations.isEmpty && $0.destinations.allSatisfy { $0 == first } })
        else { return nil }
        return first
    }

    /// Whether the event leads from each of its sources to the same state only.
    var alwaysStays: Bool {
        let sources = specificStates.subtracting(ignoring)
        return general.isEmpty && !sources.isEmpty && sources.allSatisfy { declaredDestinations(from: $0) == [$0] }
    }

    /// The states that the event both updates and leads from to themselves, by their own rules or by superclasses.
    func contradictoryUpdates(in states: StateClasses) -> [Int] {
        guard rules.contains(where: \.isUpdate), !rules.allSatisfy(\.isUpdate) else { return [] }
        let destinations = rules.map { $0.isUpdate ? [] : Set($0.destinations) }
        return specific.filter { state, numbers in
            numbers.contains { rules[$0].isUpdate }
                && numbers.contains { states.lineages[state].contains(where: destinations[$0].contains) }
        }.keys.sorted()
    }
}
