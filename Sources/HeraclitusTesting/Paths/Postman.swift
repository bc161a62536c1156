import Heraclitus
import HeraclitusInspecting

/// Computes tours that start at the root, cover every arc of a graph, and have the smallest sum of costs.
///
/// A tour may end anywhere, because going back to the root is free. The graph is therefore strongly connected, and the
/// problem is the Chinese postman problem in a directed graph. A flow of minimal cost chooses the arcs to repeat. With
/// these copies, as many arcs enter each node as leave it, and Euler's circuit uses each arc once.
struct Postman {
    private struct Arc {
        let from: Int
        let to: Int
        let cost: Int
    }

    /// The number of nodes.
    ///
    /// The root is node 0, from which every node can be reached.
    private var nodes = 1
    private var arcs: [Arc] = []

    /// Makes a node for each state.
    ///
    /// The first arcs lead to the start states. The other arcs are transitions; unreachable transitions are left out.
    init(overTransitionsOf graph: TableGraph, from beginnings: [Int]) {
        nodes += graph.count
        arcs = beginnings.map { Arc(from: 0, to: $0 + 1, cost: 1) }
        arcs += graph.edges.map { Arc(from: $0.from + 1, to: $0.to + 1, cost: 1) }
        let reached = graph.reached(from: beginnings)
        isLeftOut = Set(arcs.indices.filter { arcs[$0].from > 0 && !reached.contains(arcs[$0].from - 1) })
    }

    /// Makes a node for each transition, and an arc for each pair.
    ///
    /// Beginning with a transition costs two: the beginning and the transition.
    init(overPairsOf graph: TableGraph, from beginnings: [Int]) {
        nodes += graph.edges.count
        arcs = beginnings.flatMap { graph.leaving[$0] }.map { Arc(from: 0, to: $0 + 1, cost: 2) }
        let reached = graph.reached(from: beginnings)
        for (number, edge) in graph.edges.enumerated() where reached.contains(edge.from) {
            arcs += graph.leaving[edge.to].map { Arc(from: number + 1, to: $0 + 1, cost: 1) }
        }
    }

    /// The unreachable transitions, which keep their numbers.
    private var isLeftOut: Set<Int> = []

    /// The tours as numbers of arcs.
    func tours() -> [[Int]] {
        var copies = repetitions()
        var unused = [[Int]](repeating: [], count: nodes)
        // The loop runs backwards, so that the tours use the first arcs first.
        for number in arcs.indices.reversed() where !isLeftOut.contains(number) {
            copies[number] += 1
            unused[arcs[number].from].append(number)
        }
        // Hierholzer's algorithm builds the circuit from its end. At a node without unused arcs, the way returns to the
        // root, a step without an arc.
        var way: [(node: Int, arc: Int?)] = [(0, nil)]
        var circuit: [Int?] = []
        // The number of returns to the root from each node.
        var returns = surplus(copies)
        returns[0] = 0
        while let (node, arc) = way.last {
            if let next = unused[node].last {
                copies[next] -= 1
                if copies[next] == 0 { unused[node].removeLast() }
                way.append((arcs[next].to, next))
            } else if returns[node] > 0 {
                returns[node] -= 1
                way.append((0, nil))
            } else {
                way.removeLast()
                circuit.append(arc)
            }
        }
        return circuit.reversed().split(separator: nil).map { $0.compactMap(\.self) }
    }

    /// The tours over pairs as lists of transitions, each with the state where it starts.
    func paths(in graph: TableGraph) -> [(start: Int, edges: [Int])] {
        tours().map { tour in
            let edges = tour.map { arcs[$0].to - 1 }
            return (graph.edges[edges[0]].from, edges)
        }
    }

    /// The number by which the arcs to each node exceed those from it.
    private func surplus(_ copies: [Int]) -> [Int] {
        var surplus = [Int](repeating: 0, count: nodes)
        for (number, arc) in arcs.enumerated() {
            surplus[arc.to] += copies[number]
            surplus[arc.from] -= copies[number]
        }
        return surplus
    }

    /// The number of times that each arc is repeated.
    private func repetitions() -> [Int] {
        let surplus = surplus(arcs.indices.map { isLeftOut.contains($0) ? 0 : 1 })
        let (source, sink) = (nodes, nodes + 1)
        var network = FlowNetwork(nodes: nodes + 2)
        for arc in arcs { network.add(from: arc.from, to: arc.to, capacity: .max, cost: arc.cost) }
        for node in surplus.indices {
            if node > 0 { network.add(from: node, to: 0, capacity: .max, cost: 0) }
            if surplus[node] > 0 { network.add(from: source, to: node, capacity: surplus[node], cost: 0) }
            if surplus[node] < 0 { network.add(from: node, to: sink, capacity: -surplus[node], cost: 0) }
        }
        network.flow(from: source, to: sink)
        return arcs.indices.map { network.flow(over: $0) }
    }
}
