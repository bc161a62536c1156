import Heraclitus

/// The places of a table's states in a diagram: each once, in the boxes of its groups.
///
/// The layout takes time and memory linear in the table. Boxes lie within boxes up to ``depthLimit``, because a foreign table may have any number
/// of levels, and drawing calls itself for each level.
///
/// Boxes never overlap. A group lies within another one that has all its states. A state in several separate groups is drawn in the first, and a
/// note names the others. A superclass with its subclasses is a group, too.
struct DiagramBoxes {
    struct Box {
        let name: String

        /// The number of the group.
        let number: Int
        let states: [String]
        let boxes: [Box]

        /// The states of the box and of its inner boxes.
        let allStates: Set<String>

        /// The states of the group, also those in the box of another group.
        let members: Set<String>

        /// The place of the first state in it, in a breadth-first search from the initial state.
        let place: Int
    }

    /// The largest number of boxes around a state.
    static let depthLimit = 32

    let boxes: [Box]

    /// The states outside boxes.
    private(set) var states: [String] = []

    /// For each state the names of its groups whose boxes are elsewhere.
    private(set) var otherGroups: [String: [String]] = [:]

    /// The boxes around each state, the outer before the inner.
    let around: [String: [Box]]

    /// The place of each state in a breadth-first search from the initial state.
    let places: [String: Int]

    init(_ table: TransitionTable) {
        let order = TableGraph(table).statesInOrder.map { table.states[$0] }
        let places = Dictionary(order.enumerated().map { ($1, $0) }) { first, _ in first }
        let groups = table.groups + table.families
        let nesting = Nesting(groups)
        var drawn: [Int: [String]] = [:]
        for state in table.states {
            let around = nesting.boxes(around: state)
            if let innermost = around.first {
                drawn[innermost, default: []].append(state)
            } else {
                states.append(state)
            }
            otherGroups[state] = nesting.groups(of: state).filter { !around.contains($0) }.map { groups[$0].name }
        }
        func box(_ group: Int) -> Box? {
            let inner = nesting.inner[group, default: []].compactMap(box)
            let states = drawn[group] ?? []
            let allStates = inner.reduce(into: Set(states)) { $0.formUnion($1.allStates) }
            guard let place = allStates.compactMap({ places[$0] }).min() else { return nil }
            return Box(
                name: groups[group].name,
                number: group,
                states: states,
                boxes: inner,
                allStates: allStates,
                members: Set(groups[group].states),
                place: place
            )
        }
        let boxes = nesting.inner[nil, default: []].compactMap(box)
        var around: [String: [Box]] = [:]
        func add(_ box: Box) {
            for state in box.allStates { around[state, default: []].append(box) }
            box.boxes.forEach(add)
        }
        boxes.forEach(add)
        (self.boxes, self.around, self.places) = (boxes, around, places)
    }

    /// The innermost box around both states.
    ///
    /// An arrow leads backward if the search finds its destination first, on the level in that box.
    func ends(_ source: String, _ destination: String) -> (box: Int?, isBackward: Bool) {
        let (sources, destinations) = (around[source] ?? [], around[destination] ?? [])
        let common = zip(sources, destinations).prefix { $0.number == $1.number }.count
        func place(_ state: String, _ boxes: [Box]) -> Int {
            boxes.indices.contains(common) ? boxes[common].place : places[state] ?? 0
        }
        let isBackward = place(destination, destinations) < place(source, sources)
        return (common == 0 ? nil : sources[common - 1].number, isBackward)
    }
}

extension TransitionTable {
    /// The superclasses with all of their subclasses, as many within one another as boxes may be.
    fileprivate var families: [StateList] {
        let known = Set(states)
        let below = Dictionary(grouping: known) { state in superstates[state].flatMap { known.contains($0) ? $0 : nil }
        }
        // From the outermost states inwards, so circles of superstates are left out.
        var found = below[nil] ?? []
        var around: [String: [String]] = [:]
        var members: [String: [String]] = [:]
        var next = 0
        while next < found.count {
            let state = found[next]
            let outer = superstates[state].flatMap { around[$0] } ?? []
            let families = outer.count < DiagramBoxes.depthLimit ? outer + [state] : outer
            for family in families { members[family, default: []].append(state) }
            around[state] = families
            found += below[state] ?? []
            next += 1
        }
        return states.compactMap { state in
            members[state].flatMap { $0.count > 1 ? StateList(name: state, states: $0) : nil }
        }
    }
}

/// The nesting of groups.
private struct Nesting {
    /// The group around each group.
    private let outer: [Int?]

    /// The number of groups around each group.
    private let depths: [Int]

    /// The number of larger groups that are compared with a group.
    private static let candidateLimit = 64

    /// The groups with a box that are directly within each group, or within none.
    let inner: [Int?: [Int]]

    /// The groups of each state, in their order.
    private let groups: [String: [Int]]

    init(_ groups: [TransitionTable.StateList]) {
        let members = groups.map { Set($0.states) }
        // Larger groups come first, and of equal groups the earlier one. A group lies within the nearest group before it that has all its states.
        let order = members.indices.sorted { (members[$0].count, -$0) > (members[$1].count, -$1) }
        var outer: [Int?] = groups.map { _ in nil }
        var depths = groups.map { _ in 0 }
        // The groups so far, and those of each state.
        var larger: [Int] = []
        var largerOfStates: [String: [Int]] = [:]
        for group in order {
            // The outer group is among the groups of each state, so the state with the fewest groups is enough. An empty group lies within all others.
            outer[group] = (members[group].lazy.map { largerOfStates[$0] ?? [] }.min { $0.count < $1.count } ?? larger)
                .suffix(Self.candidateLimit).last { members[group].isSubset(of: members[$0]) }
            if let around = outer[group] { depths[group] = depths[around] + 1 }
            larger.append(group)
            for state in members[group] { largerOfStates[state, default: []].append(group) }
        }
        inner = Dictionary(grouping: groups.indices.filter { depths[$0] < DiagramBoxes.depthLimit }) { outer[$0] }
        self.groups = largerOfStates.mapValues { $0.sorted() }
        (self.depths, self.outer) = (depths, outer)
    }

    func groups(of state: String) -> [Int] { groups[state] ?? [] }

    /// The groups whose boxes are around a state, the inner before the outer.
    func boxes(around state: String) -> [Int] {
        // A group with a box has less than `depthLimit` outer groups.
        let drawn = groups(of: state).filter { depths[$0] < DiagramBoxes.depthLimit }
        guard var innermost = drawn.first else { return [] }
        while let next = drawn.first(where: { outer[$0] == innermost }) { innermost = next }
        return Array(sequence(first: innermost) { outer[$0] })
    }
}
