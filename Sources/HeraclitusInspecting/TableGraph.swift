package import Heraclitus

/// A table as a graph: states and events by number, a transition an edge.
///
/// A decoded table may repeat states and name unknown ones. The first state of a name counts, and edges of unknown states are left out.
package struct TableGraph: Sendable {
    /// A transition of an event.
    package struct Edge: Hashable, Sendable {
        package let event: Int
        package let from: Int
        package let to: Int
        package let isUpdate: Bool
    }

    /// The number of the states.
    package let count: Int

    /// All transitions, in the order of the definition.
    package let edges: [Edge]

    /// The numbers of the edges from each state, with updates, in the order of the definition.
    package let leaving: [[Int]]

    /// The states in which a machine may begin: the initial state first, then the listed ones.
    package let beginnings: [Int]

    /// The number of the nearest superclass of each state.
    private let superstates: [Int?]
    private let numbers: [String: Int]

    package init(_ table: TransitionTable) {
        let numbers = Dictionary(table.states.enumerated().map { ($1, $0) }) { first, _ in first }
        let edges = table.events.enumerated().flatMap { event, content in
            content.transitions.compactMap { transition -> Edge? in
                guard let from = numbers[transition.from], let to = numbers[transition.to] else { return nil }
                return Edge(event: event, from: from, to: to, isUpdate: transition.isUpdate)
            }
        }
        var leaving = [[Int]](repeating: [], count: table.states.count)
        for (number, edge) in edges.enumerated() { leaving[edge.from].append(number) }
        count = table.states.count
        beginnings = ([table.initial] + table.listed).compactMap { numbers[$0] }.once
        superstates = table.states.map { table.superstates[$0].flatMap { numbers[$0] } }
        self.edges = edges
        self.leaving = leaving
        self.numbers = numbers
    }

    /// The number of a state.
    package func number(of state: String) -> Int? { numbers[state] }

    /// The states that a machine can reach from some states, with these.
    package func reached(from beginnings: [Int]) -> Set<Int> {
        Set(search(from: beginnings, neighbours: next))
    }

    /// All states: those that a machine can reach from the initial state, the nearest first, and then the others.
    var statesInOrder: [Int] { (search(from: Array(beginnings.prefix(1)), neighbours: next) + (0..<count)).once }

    private func next(_ state: Int) -> [Int] { leaving[state].map { edges[$0].to } }

    /// The states from which a machine can reach some states, with these.
    package func reaching(_ ends: [Int]) -> Set<Int> {
        var sources = [[Int]](repeating: [], count: count)
        for edge in edges { sources[edge.to].append(edge.from) }
        return Set(search(from: ends, neighbours: { sources[$0] }))
    }

    /// Some states and their superclasses.
    func withSuperstates(_ states: Set<Int>) -> Set<Int> {
        Set(search(from: Array(states), neighbours: { superstates[$0].map { [$0] } ?? [] }))
    }

    /// Some states and those that a breadth-first search finds from them, in its order.
    private func search(from beginnings: [Int], neighbours: (Int) -> [Int]) -> [Int] {
        var found = beginnings
        var known = Set(beginnings)
        var place = 0
        while place < found.count {
            found += neighbours(found[place]).filter { known.insert($0).inserted }
            place += 1
        }
        return found
    }
}
