public import Heraclitus
import HeraclitusInspecting

extension TransitionTable {
    /// The shortest path between two states; of several, the path whose events are defined first.
    ///
    /// ```swift
    /// let path = Download.table.shortestPath(from: "IdleState", to: "CompletedState")   // IdleState –load→ LoadingState –finish→ CompletedState
    /// ```
    /// - Parameters:
    ///   - start: The name of the first state.
    ///   - end: The name of the last state.
    /// - Returns: The path; `nil` if there is none. From a state to itself the path has no steps.
    public func shortestPath(from start: String, to end: String) -> TransitionPath? {
        let graph = TableGraph(self)
        guard let first = graph.number(of: start), let last = graph.number(of: end) else { return nil }
        return graph.shortestWay(from: first, to: last).map { path(from: first, $0, in: graph) }
    }

    /// The smallest set of paths that covers all transitions or all pairs.
    ///
    /// Each path begins in a start state of machines: the initial state, or a state of `Workflow.states` that other
    /// start states cannot reach. Unreachable transitions are left out.
    ///
    /// The set has the fewest steps, counting each beginning as one step. It is the exact solution of the Chinese
    /// postman problem, where each path may end anywhere.
    ///
    /// The same table always gives the same paths. The time is proportional to the number of transitions or pairs,
    /// times the length of the repeated ways between them.
    /// - Parameter coverage: The transitions or pairs to cover.
    /// - Returns: The paths.
    public func paths(covering coverage: PathCoverage) -> [TransitionPath] {
        let graph = TableGraph(self)
        let beginnings = graph.neededBeginnings
        switch coverage {
        case .transitions:
            return Postman(overTransitionsOf: graph, from: beginnings).tours().map { tour in
                path(from: beginnings[tour[0]], tour.dropFirst().map { $0 - beginnings.count }, in: graph)
            }
        case .transitionPairs:
            let paths = Postman(overPairsOf: graph, from: beginnings).paths(in: graph)
            // A start state without transitions is in no pair.
            let alone = beginnings.filter { graph.leaving[$0].isEmpty }.map { (start: $0, edges: [Int]()) }
            return (paths + alone).map { start, edges in path(from: start, edges, in: graph) }
        case .randomWalks(let count, let length, let seed):
            var lots = Lots(seed: seed)
            return (0..<max(count, 0)).compactMap { _ in
                beginnings.first.map { randomWalk(from: $0, of: length, &lots, in: graph) }
            }
        @unknown default:
            return []
        }
    }

    /// A random path, always the same for the same seed.
    ///
    /// The path ends early in a state without transitions.
    /// - Parameters:
    ///   - start: The name of the first state; by default the initial state.
    ///   - length: The number of steps.
    ///   - seed: Any number.
    /// - Returns: The path; `nil` if the start state is unknown.
    public func randomWalk(from start: String? = nil, of length: Int, seed: UInt64) -> TransitionPath? {
        let graph = TableGraph(self)
        var lots = Lots(seed: seed)
        return graph.number(of: start ?? initial).map { randomWalk(from: $0, of: length, &lots, in: graph) }
    }

    private func randomWalk(from start: Int, of length: Int, _ lots: inout Lots, in graph: TableGraph) -> TransitionPath
    {
        var edges: [Int] = []
        var state = start
        while edges.count < length, let number = graph.leaving[state].randomElement(using: &lots) {
            edges.append(number)
            state = graph.edges[number].to
        }
        return path(from: start, edges, in: graph)
    }

    private func path(from start: Int, _ edges: [Int], in graph: TableGraph) -> TransitionPath {
        TransitionPath(
            start: states[start],
            steps: edges.map { number in
                let edge = graph.edges[number]
                return TransitionPath.Step(event: events[edge.event].name, to: states[edge.to], isUpdate: edge.isUpdate)
            }
        )
    }
}

extension TableGraph {
    /// The initial state, and the listed states that other start states cannot reach.
    fileprivate var neededBeginnings: [Int] {
        var reached: Set<Int> = []
        var needed = beginnings.filter { state in
            if reached.contains(state) { return false }
            reached.formUnion(self.reached(from: [state]))
            return true
        }
        // A state listed later may lead to a state listed before.
        for state in needed.dropFirst() where self.reached(from: needed.filter { $0 != state }).contains(state) {
            needed.removeAll { $0 == state }
        }
        return needed
    }
}

extension TableGraph {
    /// The edges of the shortest way between two states over allowed edges; `nil` if there is none.
    func shortestWay(from first: Int, to last: Int, where isAllowed: (Edge) -> Bool = { _ in true }) -> [Int]? {
        var arrival = [Int?](repeating: nil, count: count)
        var reached = [first]
        var next = 0
        while next < reached.count, last != first, arrival[last] == nil {
            for number in leaving[reached[next]] where isAllowed(edges[number]) {
                let state = edges[number].to
                guard state != first, arrival[state] == nil else { continue }
                arrival[state] = number
                reached.append(state)
            }
            next += 1
        }
        guard last != first else { return [] }
        var way: [Int] = []
        var state = last
        while state != first {
            guard let number = arrival[state] else { return nil }
            way.append(number)
            state = edges[number].from
        }
        return way.reversed()
    }
}

/// Random numbers, always the same for the same seed (SplitMix64).
struct Lots: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
