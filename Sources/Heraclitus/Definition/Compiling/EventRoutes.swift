/// Where an event leads, by the numbers of the states.
///
/// All of it takes time and memory linear in what the declaration lists, subclasses included, and not in the pairs that
/// these lists stand for.
struct EventRoutes: Sendable {
    let rules: [NumberedRule]

    /// The states that the declaration itself ignores the event in or leads from, without their subclasses, of which both are said.
    let contradictoryIgnores: [Int]

    /// The rules that hold in any state.
    private let general: [Int]

    /// The rules that hold in a state, the general ones included, for each state that is a source of any other rule.
    private let specific: [Int: [Int]]

    /// In which states the event is ignored.
    let ignoring: Set<Int>

    init(_ rules: [NumberedRule], ignored: [Int], ignoredGroups: [Int], in states: StateClasses, _ groups: StateGroups)
    {
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
            case .group(let group): for state in groups.members(of: group) { add(number, in: state) }
            }
        }
        self.general = general
        self.specific = specific
        let ignoring = Ignoring(ignored, ignoredGroups, besides: rules, in: states, groups)
        self.ignoring = ignoring.states
        contradictoryIgnores = ignoring.contradictions
    }

    /// The states that other rules than those for any state speak of, or in which the event is ignored.
    var specificStates: Set<Int> { ignoring.union(specific.keys) }

    /// The numbers of the rules that hold in a state; `nil` stands for all that are not among the ``specificStates``.
    func rules(in state: Int?) -> [Int] { state.flatMap { specific[$0] } ?? general }

    /// The states that the event leads to from a state, as they were declared and in that order.
    func declaredDestinations(from source: Int) -> [Int] {
        guard !ignoring.contains(source) else { return [] }
        var seen: Set<Int> = []
        return rules(in: source).flatMap { rules[$0].isUpdate ? [source] : rules[$0].destinations }
            .filter { seen.insert($0).inserted }
    }

    /// The state that the event leads to, if it is declared to lead to one only.
    var onlyDestination: Int? {
        guard let first = rules.first?.destinations.first,
            rules.allSatisfy({ !$0.destinations.isEmpty && $0.destinations.allSatisfy { $0 == first } })
        else { return nil }
        return first
    }

    /// Whether the event leads from every state that it leads from to that state, and to no other.
    var alwaysStays: Bool {
        let sources = specificStates.subtracting(ignoring)
        return general.isEmpty && !sources.isEmpty && sources.allSatisfy { declaredDestinations(from: $0) == [$0] }
    }

    /// The states that the event both updates and leads from to themselves, by their own rules or those of superclasses.
    func contradictoryUpdates(in states: StateClasses) -> [Int] {
        guard rules.contains(where: \.isUpdate), !rules.allSatisfy(\.isUpdate) else { return [] }
        let destinations = rules.map { $0.isUpdate ? [] : Set($0.destinations) }
        return specific.filter { state, numbers in
            numbers.contains { rules[$0].isUpdate }
                && numbers.contains { states.lineages[state].contains(where: destinations[$0].contains) }
        }.keys.sorted()
    }
}

/// The states in which an event is ignored.
private struct Ignoring {
    private(set) var states: Set<Int> = []

    /// Those of which it is said as well that the event leads from them.
    private(set) var contradictions: [Int] = []

    /// Decides what counts where several things are said.
    ///
    /// Where a class and a superclass of it are told different things, the nearer one counts, as inheritance has it. What is said of
    /// groups counts less, and "from any state" least.
    init(
        _ ignored: [Int],
        _ ignoredGroups: [Int],
        besides rules: [NumberedRule],
        in classes: StateClasses,
        _ groups: StateGroups
    ) {
        guard !ignored.isEmpty || !ignoredGroups.isEmpty else { return }
        let ignoredClasses = Set(ignored)
        let sources = Set(rules.lazy.flatMap(\.sources.states))
        contradictions = ignored.filter(sources.contains)
        func answer(of state: Int) -> Bool? {
            classes.lineages[state].first { ignoredClasses.contains($0) || sources.contains($0) }
                .map(ignoredClasses.contains)
        }
        states = Set(ignored.lazy.flatMap { classes.descendants[$0] }.filter { answer(of: $0) == true })
        let members = ignoredGroups.flatMap { (group: Int) -> [Int] in groups.members(of: group) }
            .filter { answer(of: $0) == nil }
        guard !members.isEmpty else { return }
        let leading = Set(
            rules.flatMap { rule -> [Int] in
                if case .group(let group) = rule.sources { groups.members(of: group) } else { [] }
            }
        )
        for state in members where states.insert(state).inserted && leading.contains(state) {
            contradictions.append(state)
        }
    }
}
