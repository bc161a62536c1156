/// A network for finding the largest flow of minimal cost.
///
/// Each phase adds flow along the cheapest remaining ways, which all have the same cost. Costs are reduced by the costs
/// of earlier phases. The number of phases is therefore at most the number of different costs.
struct FlowNetwork {
    /// An arc and its reverse are neighbours: their numbers differ in the last bit.
    private var heads: [Int] = []
    private var capacities: [Int] = []
    private var costs: [Int] = []
    private var leaving: [[Int]]
    private var potentials: [Int]

    init(nodes: Int) {
        leaving = Array(repeating: [], count: nodes)
        potentials = Array(repeating: 0, count: nodes)
    }

    /// Adds an arc with a cost of zero or more.
    mutating func add(from tail: Int, to head: Int, capacity: Int, cost: Int) {
        leaving[tail].append(heads.count)
        leaving[head].append(heads.count + 1)
        heads += [head, tail]
        capacities += [capacity, 0]
        costs += [cost, -cost]
    }

    /// The flow over the arc of a number, counted in the order of adding.
    func flow(over arc: Int) -> Int { capacities[2 * arc + 1] }

    /// Sends the largest possible flow.
    mutating func flow(from source: Int, to sink: Int) {
        while lowerPotentials(from: source, to: sink) {
            var next = [Int](repeating: 0, count: leaving.count)
            while push(from: source, to: sink, &next) {}
        }
    }

    private func reducedCost(of arc: Int, from node: Int) -> Int {
        costs[arc] + potentials[node] - potentials[heads[arc]]
    }

    /// Computes the distance of each node from the source.
    /// - Returns: Whether the sink can still be reached.
    private mutating func lowerPotentials(from source: Int, to sink: Int) -> Bool {
        // Reduced distances are small numbers, so an array of lists replaces a heap.
        var distances = [Int](repeating: .max, count: leaving.count)
        var waiting: [[Int]] = [[source]]
        distances[source] = 0
        var distance = 0
        while distance < waiting.count {
            while let node = waiting[distance].popLast() {
                guard distances[node] == distance else { continue }
                for arc in leaving[node] where capacities[arc] > 0 {
                    let other = distance + reducedCost(of: arc, from: node)
                    guard other < distances[heads[arc]] else { continue }
                    distances[heads[arc]] = other
                    while waiting.count <= other { waiting.append([]) }
                    waiting[other].append(heads[arc])
                }
            }
            distance += 1
        }
        guard distances[sink] < .max else { return false }
        for node in potentials.indices { potentials[node] += min(distances[node], distances[sink]) }
        return true
    }

    /// Sends flow along one way of reduced cost zero, trying arcs in the order of adding.
    private mutating func push(from source: Int, to sink: Int, _ next: inout [Int]) -> Bool {
        var way: [Int] = []
        var isOnWay: Set<Int> = [source]
        var node = source
        while node != sink {
            if next[node] < leaving[node].count {
                let arc = leaving[node][next[node]]
                let head = heads[arc]
                if capacities[arc] > 0, reducedCost(of: arc, from: node) == 0, isOnWay.insert(head).inserted {
                    way.append(arc)
                    node = head
                } else {
                    next[node] += 1
                }
            } else if let arc = way.popLast() {
                isOnWay.remove(node)
                node = heads[arc ^ 1]
                next[node] += 1
            } else {
                return false
            }
        }
        let amount = way.map { capacities[$0] }.min() ?? 0
        for arc in way {
            if capacities[arc] < .max { capacities[arc] -= amount }
            if capacities[arc ^ 1] < .max { capacities[arc ^ 1] += amount }
        }
        return true
    }
}
