/// The destinations of an event from each state, and the states that ignore it.
///
/// Its memory is proportional to the lists of the definition, so a workflow may have thousands of states and events.
struct EventReach: Sendable {
    /// The rules of the event in one state.
    struct Row: Sendable {
        /// Whether the state ignores the event.
        let isIgnored: Bool

        /// Whether the event updates the state.
        let updates: Bool

        /// The only destination; `nil` if there are several or none.
        let only: Int?

        /// The declared destinations of each rule, without their subclasses, in ascending order.
        fileprivate let destinations: ImmortalArray<ImmortalArray<Int>>

        /// Whether the event leads from here, possibly to the same state.
        var leaves: Bool { !destinations.isEmpty }

        /// Whether the event is allowed here.
        var isAllowed: Bool { updates || leaves }
    }

    /// The only destination of the event from anywhere; `nil` if there are several.
    let onlyDestination: Int?

    private let states: Immortal<StateClasses>

    /// The numbers of the states' rows, by the state's number plus one.
    ///
    /// Other states have row 0.
    private let numbers: NumberTable
    private let rows: ImmortalArray<Row>

    /// The states with a row of their own, in ascending order.
    private let specific: ImmortalArray<Int>

    init(_ routes: EventRoutes, in states: Immortal<StateClasses>) {
        self.states = states
        onlyDestination = routes.onlyDestination
        let rules = routes.rules.map { rule in
            (isUpdate: rule.isUpdate, destinations: ImmortalArray(Set(rule.destinations).sorted()))
        }
        func row(of numbers: [Int], isIgnored: Bool) -> Row {
            let leading = isIgnored ? [] : numbers.filter { !rules[$0].isUpdate }
            let updates = !isIgnored && leading.count < numbers.count
            let declared = leading.count == 1 && !updates ? rules[leading[0]].destinations : ImmortalArray([])
            return Row(
                isIgnored: isIgnored,
                updates: updates,
                only: declared.count == 1 && states.value.descendants[declared[0]].count == 1 ? declared[0] : nil,
                destinations: ImmortalArray(leading.map { rules[$0].destinations })
            )
        }
        var rows = [row(of: routes.rules(in: nil), isIgnored: false)]
        specific = ImmortalArray(routes.specificStates.sorted())
        // States with equal rules share a row.
        var known: [[Int]: Int] = [:]
        var ignoring: Int?
        numbers = NumberTable(
            specific.map { state in
                let isIgnored = routes.ignoring.contains(state)
                let list = routes.rules(in: state)
                let number = (isIgnored ? ignoring : known[list]) ?? rows.count
                if number == rows.count { rows.append(row(of: list, isIgnored: isIgnored)) }
                if isIgnored { ignoring = number } else { known[list] = number }
                return (UInt(state) + 1, number)
            }
        )
        self.rows = ImmortalArray(rows)
    }

    @inline(__always)
    func row(of source: Int) -> Row { rows[number(of: source)] }

    @inline(__always)
    private func number(of source: Int) -> Int { numbers[UInt(bitPattern: source) &+ 1] ?? 0 }

    /// Whether the event leads from one state to another, or updates it.
    func leads(from source: Int, to destination: Int) -> Bool {
        let row = row(of: source)
        if row.updates, source == destination { return true }
        for declared in row.destinations where declared.hasSorted(destination) { return true }
        // A subclass of a destination is a destination, too.
        return states.value.lineages[destination].dropFirst().contains { superclass in
            row.destinations.contains { $0.hasSorted(superclass) }
        }
    }

    /// Whether an event updates the state.
    @inline(__always)
    func updates(_ source: Int, to destination: Int) -> Bool {
        source == destination && rows[number(of: source)].updates
    }

    /// The destinations from a state, in ascending order.
    func destinations(from source: Int) -> [Int] {
        let row = row(of: source)
        let leading = row.destinations.lazy.flatMap { $0.lazy.flatMap { states.value.descendants[$0] } }
        return Set(leading).union(row.updates ? [source] : []).sorted()
    }

    /// The states whose rows match, in ascending order.
    func states(where isIncluded: (Row) -> Bool) -> [Int] {
        let included = rows.map(isIncluded)
        if included[0] { return (0..<states.value.count).filter { included[number(of: $0)] } }
        return specific.filter { included[number(of: $0)] }
    }
}

@usableFromInline
enum Verdict {
    case allowed
    case ignored
    case notAllowed
}

extension EventReach {
    /// The verdict of the table on the event from a state, and optionally to another one.
    ///
    /// It is used by fires, `can` and ``TransitionValidator``.
    @inline(__always)
    func verdict(from source: Int, to destination: Int?) -> Verdict {
        let number = number(of: source)
        guard rows[number].isAllowed else { return rows[number].isIgnored ? .ignored : .notAllowed }
        guard let destination else { return .allowed }
        return rows[number].only == destination || leads(from: source, to: destination) ? .allowed : .notAllowed
    }
}

extension ImmortalArray<Int> {
    /// Whether an ascending list contains a number.
    fileprivate func hasSorted(_ number: Int) -> Bool {
        var (first, end) = (0, count)
        while first < end {
            let middle = (first &+ end) / 2
            if self[middle] == number { return true }
            if self[middle] < number { first = middle &+ 1 } else { end = middle }
        }
        return false
    }
}
