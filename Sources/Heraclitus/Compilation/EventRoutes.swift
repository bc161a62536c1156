/// Where an event leads, by the numbers of the states.
///
/// All of it takes time and memory linear in what the declaration lists, subclasses included, and not in the pairs that
/// these lists stand for.
struct EventRoutes: Sendable {
    let rules: [EventRule<Int>]

    /// The states that the declaration ignores the event in, without their subclasses.
    let ignored: [Int]

    /// The rules that hold in any state.
    private let general: [Int]

    /// The rules that hold in a state, the general ones included, for each state that is a source of any other rule.
    private let specific: [Int: [Int]]

    /// In which states the event is ignored.
    let ignoring: Set<Int>

    init(_ rules: [EventRule<Int>], ignored: [Int], in states: StateClasses) {
        self.rules = rules
        self.ignored = ignored
        let general = rules.indices.filter { rules[$0].sources == nil }
        var specific: [Int: [Int]] = [:]
        for (number, rule) in rules.enumerated() {
            for state in (rule.sources ?? []).lazy.flatMap({ states.descendants[$0] })
            where specific[state]?.last != number {
                specific[state, default: general].append(number)
            }
        }
        self.general = general
        self.specific = specific
        ignoring = Self.ignoring(ignored, besides: rules, in: states)
    }

    /// The states in which an event is ignored.
    ///
    /// Where a class and a superclass of it are told different things, the
    /// nearer one counts, as inheritance has it; "from any state" counts least.
    private static func ignoring(
        _ ignored: [Int],
        besides rules: [EventRule<Int>],
        in states: StateClasses
    ) -> Set<Int> {
        guard !ignored.isEmpty else { return [] }
        let ignored = Set(ignored)
        let sources = Set(rules.lazy.flatMap { $0.sources ?? [] })
        return Set(
            ignored.lazy.flatMap { states.descendants[$0] }.filter { state in
                let nearest = states.lineages[state].first { ignored.contains($0) || sources.contains($0) }
                return nearest.map(ignored.contains) ?? false
            }
        )
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
            rules.allSatisfy({ $0.destinations.allSatisfy { $0 == first } })
        else { return nil }
        return first
    }

    /// The states that an event both ignores and names as a source.
    var contradictoryIgnores: [Int] {
        guard !ignored.isEmpty else { return [] }
        let sources = Set(rules.lazy.flatMap { $0.sources ?? [] })
        return ignored.filter(sources.contains)
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
