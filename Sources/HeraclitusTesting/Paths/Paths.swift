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

    /// A small set of paths that covers all transitions or all pairs.
    ///
    /// Each path begins in a start state of machines: the initial state, or a state of `Workflow.states` that other
    /// start states cannot reach. Unreachable transitions are left out.
    ///
    /// A path goes on to the nearest transition or pair that no path has covered yet. It ends where a new path is
    /// nearer to that part. The paths of most workflows have few more steps than the fewest possible ones.
    ///
    /// The same table always gives the same paths. The time is at most proportional to the square of the number of
    /// transitions or pairs.
    /// - Parameter coverage: The transitions or pairs to cover.
    /// - Returns: The paths.
    public func paths(covering coverage: PathCoverage) -> [TransitionPath] {
        let graph = TableGraph(self)
        switch coverage {
        case .transitions, .transitionPairs:
            let walks = graph.walks(coveringPairs: coverage == .transitionPairs)
            return walks.map { path(from: $0.start, $0.edges, in: graph) }
        case .randomWalks(let count, let length, let seed):
            var lots = Lots(seed: seed)
            return (0..<max(count, 0)).compactMap { _ in
                graph.beginnings.first.map { randomWalk(from: $0, of: length, &lots, in: graph) }
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
        TransitionPath(start: states[start], edges.map { transition(graph.edges[$0]) })
    }
}

extension TableGraph {
    /// The initial state, and the listed states that other start states cannot reach.
    fileprivate var neededBeginnings: [Int] {
        // Most listed states are reached from an earlier one, so few of them are searched from.
        var known: Set<Int> = []
        let first = beginnings.filter { state in
            if known.contains(state) { return false }
            known.formUnion(reached(from: [state]))
            return true
        }
        // A state listed later may lead to a state listed before.
        return first.dropFirst().reduce(into: first) { needed, state in
            let others = needed.filter { $0 != state }
            if reached(from: others).contains(state) { needed = others }
        }
    }

    /// The edges of the shortest way between two states over allowed edges; `nil` if there is none.
    func shortestWay(from first: Int, to last: Int, where isAllowed: (Edge) -> Bool = { _ in true }) -> [Int]? {
        first == last ? [] : shortestWay(from: first, where: isAllowed) { edge, _ in edges[edge].to == last }
    }

    /// The shortest way to an edge that is an end.
    /// - Parameters:
    ///   - first: The state where a walk begins.
    ///   - last: The last edge of the walk so far, which the way follows; `nil` at its beginning.
    ///   - isByEdges: Whether an end depends on the edge before it.
    ///   - isAllowed: Whether the way may use an edge.
    ///   - isEnd: Whether the way ends with an edge that follows another one.
    /// - Returns: The edges of the way; `nil` if there is none.
    private func shortestWay(
        from first: Int,
        after last: Int? = nil,
        byEdges isByEdges: Bool = false,
        where isAllowed: (Edge) -> Bool = { _ in true },
        until isEnd: (_ edge: Int, _ before: Int?) -> Bool
    ) -> [Int]? {
        // Each step has the number of the step before it, so memory is linear in the edges.
        var steps: [(edge: Int, previous: Int?)] = []
        var reached: Set<Int> = []
        var step: Int?
        while true {
            let before = step.map { steps[$0].edge } ?? last
            for edge in leaving[before.map { edges[$0].to } ?? first] where isAllowed(edges[edge]) {
                if isEnd(edge, before) {
                    var way = [edge]
                    var place = step
                    while let number = place {
                        way.append(steps[number].edge)
                        place = steps[number].previous
                    }
                    return way.reversed()
                }
                // Ways go on alike from a state, unless an end depends on the edge before it.
                if reached.insert(isByEdges ? edge : edges[edge].to).inserted { steps.append((edge, step)) }
            }
            let next = step.map { $0 + 1 } ?? 0
            guard next < steps.count else { return nil }
            step = next
        }
    }

    /// Walks that together cover all reachable edges, or all reachable pairs of edges.
    fileprivate func walks(coveringPairs isForPairs: Bool) -> [(start: Int, edges: [Int])] {
        var covered: Set<[Int?]> = []
        func part(_ edge: Int, _ before: Int?) -> [Int?] { isForPairs ? [before, edge] : [edge] }
        func wayToNews(from start: Int, after last: Int?) -> [Int]? {
            shortestWay(from: start, after: last, byEdges: isForPairs, until: { !covered.contains(part($0, $1)) })
        }
        var walks: [(start: Int, edges: [Int])] = []
        for start in neededBeginnings {
            repeat {
                var walk: [Int] = []
                while let way = wayToNews(from: start, after: walk.last) {
                    // Beginning a walk counts as a step.
                    if way.count > 2, let other = wayToNews(from: start, after: nil), other.count + 1 < way.count {
                        break
                    }
                    for edge in way {
                        covered.insert(part(edge, walk.last))
                        walk.append(edge)
                    }
                }
                walks.append((start, walk))
            } while wayToNews(from: start, after: nil) != nil
        }
        return walks
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
