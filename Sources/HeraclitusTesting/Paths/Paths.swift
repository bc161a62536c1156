public import Heraclitus
import HeraclitusInspecting

extension TransitionTable {
    /// The shortest path from a state to a state; of several, the one whose events are defined first.
    ///
    /// ```swift
    /// let path = Download.table.shortestPath(from: "IdleState", to: "CompletedState")   // IdleState –load→ LoadingState –finish→ CompletedState
    /// ```
    /// - Parameters:
    ///   - start: The name of the state that it begins in.
    ///   - end: The name of the state that it ends in.
    /// - Returns: `nil` if there is none; a path without steps from a state to itself.
    public func shortestPath(from start: String, to end: String) -> TransitionPath? {
        let graph = TableGraph(self)
        guard let first = graph.number(of: start), let last = graph.number(of: end) else { return nil }
        return graph.shortestWay(from: first, to: last).map { path(from: first, $0, in: graph) }
    }

    /// The smallest set of paths that goes through what is asked for.
    ///
    /// Each path begins where a machine begins: in the initial state, or in one of `Workflow.states` that the other beginnings do not
    /// lead to. No other set has fewer steps, where the beginning of a path counts as one: it is found as a tour of a Chinese
    /// postman, which has an exact solution where each path may end anywhere. What no machine can come to is left out.
    ///
    /// The same table always gives the same paths. It takes time in proportion to the number of transitions or of pairs, times the
    /// length of the ways between those that have to be gone through more than once.
    /// - Parameter coverage: What the paths go through.
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
            // What begins where nothing leads on is in no pair.
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

    /// A path that is drawn by lot: the same for the same seed.
    ///
    /// It ends before its length in a state that nothing leaves.
    /// - Parameters:
    ///   - start: The name of the state that it begins in; by default the initial one.
    ///   - length: The number of its steps.
    ///   - seed: Any number.
    /// - Returns: `nil` if there is no state of that name.
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
    /// The initial state, and those that the workflow lists and that cannot be reached from the others of these.
    fileprivate var neededBeginnings: [Int] {
        var reached: Set<Int> = []
        var needed = beginnings.filter { state in
            if reached.contains(state) { return false }
            reached.formUnion(self.reached(from: [state]))
            return true
        }
        // One that is listed later may lead to one that is listed before.
        for state in needed.dropFirst() where self.reached(from: needed.filter { $0 != state }).contains(state) {
            needed.removeAll { $0 == state }
        }
        return needed
    }
}

extension TableGraph {
    /// The edges of the shortest way from a state to a state, of those that are allowed; `nil` if there is none.
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

/// Numbers by lot, the same for the same seed (SplitMix64).
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
