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
        reached(from: beginnings, neighbours: { leaving[$0].lazy.map { edges[$0].to } })
    }

    /// The places of states in a breadth-first search from the initial state; unreachable states come last.
    func order(of names: [String]) -> [String: Int] {
        var places: [Int: Int] = [:]
        var found = Array(beginnings.prefix(1))
        for state in found { places[state] = places.count }
        var next = 0
        while next < found.count {
            for edge in leaving[found[next]] where places[edges[edge].to] == nil {
                places[edges[edge].to] = places.count
                found.append(edges[edge].to)
            }
            next += 1
        }
        let pairs = names.enumerated().map { number, name in (name, places[number] ?? count + number) }
        return Dictionary(pairs) { first, _ in first }
    }

    /// The states from which a machine can reach some states, with these.
    package func reaching(_ ends: [Int]) -> Set<Int> {
        var sources = [[Int]](repeating: [], count: count)
        for edge in edges { sources[edge.to].append(edge.from) }
        return reached(from: ends, neighbours: { sources[$0] })
    }

    /// Some states and their superclasses.
    func withSuperstates(_ states: Set<Int>) -> Set<Int> {
        reached(from: states.sorted(), neighbours: { superstates[$0].map { [$0] } ?? [] })
    }

    private func reached(from beginnings: [Int], neighbours: (Int) -> some Sequence<Int>) -> Set<Int> {
        var reached = Set(beginnings)
        var waiting = beginnings
        while let state = waiting.popLast() {
            for next in neighbours(state) where reached.insert(next).inserted { waiting.append(next) }
        }
        return reached
    }
}
