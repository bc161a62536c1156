import Foundation
import Heraclitus
import HeraclitusTesting
import Testing

@testable import Fixtures

@Suite("Paths") struct PathTests {
    /// A table of states with numbers for names, and an event for each transition.
    private func table(_ states: Int, _ edges: [(from: Int, to: Int)], listed: [Int] = []) throws -> TransitionTable {
        let events = edges.enumerated().map { number, edge in
            #"{"name":"e\#(number)","transitions":[{"from":"\#(edge.from)","to":"\#(edge.to)","isUpdate":false}],"ignored":[]}"#
        }
        let json = #"""
            {"workflow":"W","version":1,"states":\#((0..<states).map { "\($0)" }),"superstates":{},"initial":"0","finals":[],
            "listed":\#(listed.map { "\($0)" }),"events":[\#(events.joined(separator: ","))]}
            """#
        return try JSONDecoder().decode(TransitionTable.self, from: Data(json.utf8))
    }

    /// The transitions of a path.
    ///
    /// The table has to allow each.
    private func transitions(of path: TransitionPath, in table: TransitionTable) throws -> [String] {
        var state = path.start
        return try path.steps.map { step in
            let event = try #require(table[step.event])
            let isThere = event.transitions.contains {
                $0.from == state && $0.to == step.to && $0.isUpdate == step.isUpdate
            }
            #expect(isThere, "\(path)")
            defer { state = step.to }
            return "\(state) \(step.event) \(step.to)"
        }
    }

    // MARK: Shortest paths

    @Test("The shortest path is found, and of several the one whose events are defined first")
    func shortest() throws {
        let table = Door.table
        #expect(
            try #require(table.shortestPath(from: "OpenState", to: "LockedState")).description
                == "OpenState –close→ ClosedState –lock→ LockedState"
        )
        #expect(table.shortestPath(from: "OpenState", to: "OpenState")?.steps == [])
        #expect(table.shortestPath(from: "SmashedState", to: "OpenState") == nil)
        #expect(table.shortestPath(from: "OpenState", to: "Nowhere") == nil)
        let square = try self.table(4, [(0, 1), (0, 2), (2, 3), (1, 3), (0, 2)])
        #expect(square.shortestPath(from: "0", to: "3")?.steps.map(\.event) == ["e0", "e3"])
        #expect(square.shortestPath(from: "0", to: "3")?.end == "3")
    }

    // MARK: Covering

    @Test(
        "Paths cover every reachable transition or pair",
        arguments: [1, 2] as [UInt64]
    )
    func covering(_ seed: UInt64) throws {
        var seed = Seed(seed)
        let random = try (0..<40).map { _ in
            let states = Int.random(in: 1...8, using: &seed)
            let edges = (0..<Int.random(in: 0...20, using: &seed)).map { _ in
                (from: Int.random(in: 0..<states, using: &seed), to: Int.random(in: 0..<states, using: &seed))
            }
            return try table(states, edges, listed: states > 5 ? [5, 0] : [])
        }
        for table in random + [Door.table, Download.table, Playback.table] {
            let paths = table.paths(covering: .transitions)
            let wanted = coverable(in: table)
            #expect(try Set(paths.flatMap { try transitions(of: $0, in: table) }) == wanted)
            #expect(table.paths(covering: .transitions) == paths)
            let pairs = table.paths(covering: .transitionPairs)
            let found = try pairs.map { try transitions(of: $0, in: table) }
            let covered = found.flatMap { path in zip(["begin"] + path, path).map { "\($0), \($1)" } }
            #expect(Set(covered) == coverablePairs(in: table))
        }
    }

    private func begins(_ table: TransitionTable) -> [String] {
        // Only the sixth state of these tables is listed. It may be reached without being a start state.
        let reached = self.reached(in: table, from: [table.initial])
        return [table.initial] + table.listed.filter { !reached.contains($0) }
    }

    private func reached(in table: TransitionTable, from begin: [String]) -> Set<String> {
        var reached = Set(begin)
        while true {
            let more = table.events.flatMap(\.transitions).filter {
                reached.contains($0.from) && !reached.contains($0.to)
            }
            if more.isEmpty { return reached }
            reached.formUnion(more.map(\.to))
        }
    }

    private func coverable(in table: TransitionTable) -> Set<String> {
        let reached = reached(in: table, from: begins(table))
        return Set(
            table.events.flatMap { event in
                event.transitions.filter { reached.contains($0.from) }.map { "\($0.from) \(event.name) \($0.to)" }
            }
        )
    }

    private func coverablePairs(in table: TransitionTable) -> Set<String> {
        let all = coverable(in: table)
        let begins = Set(begins(table))
        return Set(
            all.flatMap { second in
                let from = second.split(separator: " ")[0]
                var before = all.filter { $0.split(separator: " ")[2] == from }
                if begins.contains(String(from)) { before.insert("begin") }
                return before.map { "\($0), \(second)" }
            }
        )
    }

    @Test("Paths have at most an eighth more steps than the fewest")
    func few() throws {
        var seed = Seed(11)
        var (steps, fewest) = (0, 0)
        var (pairSteps, fewestPairSteps) = (0, 0)
        for _ in 0..<60 {
            let states = Int.random(in: 1...5, using: &seed)
            let edges = (0..<Int.random(in: 1...7, using: &seed)).map { _ in
                (from: Int.random(in: 0..<states, using: &seed), to: Int.random(in: 0..<states, using: &seed))
            }
            let table = try table(states, edges)
            let reached = Set(reached(in: table, from: ["0"]).compactMap { Int($0) })
            let wanted = edges.indices.filter { reached.contains(edges[$0].from) }
            if wanted.isEmpty { continue }
            steps += table.paths(covering: .transitions).reduce(0) { $0 + 1 + $1.steps.count }
            fewest += fewestSteps(edges, wanted)

            // A pair is a transition of the graph whose states are the transitions.
            var pairs: [(from: Int, to: Int)] = wanted.filter { edges[$0].from == 0 }.map { (-1, $0) }
            for first in wanted { pairs += wanted.filter { edges[$0].from == edges[first].to }.map { (first, $0) } }
            guard !pairs.isEmpty, pairs.count <= 12 else { continue }
            pairSteps += table.paths(covering: .transitionPairs).reduce(0) { $0 + 1 + $1.steps.count }
            fewestPairSteps += fewestSteps(pairs, Array(pairs.indices), from: -1)
        }
        #expect(steps >= fewest && steps * 8 <= fewest * 9, "\(steps) \(fewest)")
        #expect(
            pairSteps >= fewestPairSteps && pairSteps * 8 <= fewestPairSteps * 9,
            "\(pairSteps) \(fewestPairSteps)"
        )
    }

    /// The smallest number of steps that cover some edges, beginnings included, by trying every way.
    private func fewestSteps(_ edges: [(from: Int, to: Int)], _ wanted: [Int], from start: Int = 0) -> Int {
        struct Place: Hashable {
            let node: Int
            let covered: Int
        }
        let goal = wanted.reduce(0) { $0 | 1 << $1 }
        var places: Set<Place> = [Place(node: start, covered: 0)]
        var seen = places
        var steps = 1
        while true {
            var next: Set<Place> = []
            var begun: Set<Place> = []
            for place in places {
                if place.covered == goal { return steps }
                for (number, edge) in edges.enumerated() where edge.from == place.node {
                    next.insert(Place(node: edge.to, covered: place.covered | 1 << number))
                }
                begun.insert(Place(node: start, covered: place.covered))
            }
            places = next.union(begun).subtracting(seen)
            seen.formUnion(places)
            steps += 1
        }
    }

    @Test(
        "The order of listed states is irrelevant: a state that another listed one reaches is no start state",
        arguments: [[1, 2], [2, 1]]
    )
    func order(_ listed: [Int]) throws {
        let table = try table(4, [(2, 1), (1, 3)], listed: listed)
        for coverage in [PathCoverage.transitions, .transitionPairs] {
            let paths = table.paths(covering: coverage)
            #expect(paths.map(\.start).sorted() == ["0", "2"])
            #expect(paths.reduce(0) { $0 + 1 + $1.steps.count } == 4)
        }
    }

    @Test("Of listed states that lead to each other, one is a start state", arguments: [[1, 2, 3], [3, 2, 1]])
    func circle(_ listed: [Int]) throws {
        let table = try table(4, [(1, 2), (2, 3), (3, 1)], listed: listed)
        let paths = table.paths(covering: .transitions)
        #expect(paths.count == 2 && paths.reduce(0) { $0 + $1.steps.count } == 3)
    }

    @Test("The time for listed states grows with their number, not with its square")
    func manyListed() throws {
        func time(of count: Int) throws -> Duration {
            let edges = (0..<count).map { (from: $0, to: ($0 + 1) % count) }
            let ring = try table(count, edges, listed: Array(1..<count))
            return threadTime {
                let paths = ring.paths(covering: .transitions)
                #expect(paths.map(\.steps.count) == [count])
            }
        }
        _ = try time(of: 10)
        // Twenty times the states take twenty times the time, or 400 times if each is searched from.
        let few = try time(of: 200)
        #expect(try time(of: 4_000) < few * 50)
    }

    @Test("A workflow of four hundred states and sixteen hundred transitions is covered in little time")
    func large() throws {
        var seed = Seed(5)
        var edges: [(from: Int, to: Int)] = []
        for from in 0..<400 {
            edges.append((from, (from + 1) % 400))
            for _ in 0..<3 { edges.append((from, Int.random(in: 0..<400, using: &seed))) }
        }
        let table = try table(400, edges)
        let time = try threadTime {
            let paths = table.paths(covering: .transitions)
            let found = try Set(paths.flatMap { try transitions(of: $0, in: table) })
            #expect(found.count == 1_600)
        }
        #expect(time < .seconds(4))
    }

    // MARK: Walks

    @Test("A random walk is the same for the same seed, consists of transitions, and ends in a final state")
    func walks() throws {
        let table = Playback.table
        let walk = try #require(table.randomWalk(of: 50, seed: 7))
        #expect(walk.steps.count == 50 && walk.start == table.initial)
        #expect(try transitions(of: walk, in: table).count == 50)
        #expect(table.randomWalk(of: 50, seed: 7) == walk && table.randomWalk(of: 50, seed: 8) != walk)
        #expect(table.randomWalk(from: "Nowhere", of: 50, seed: 7) == nil)
        #expect(Door.table.randomWalk(from: "SmashedState", of: 50, seed: 7)?.steps == [])
        let walks = table.paths(covering: .randomWalks(5, length: 9, seed: 3))
        #expect(walks.count == 5 && Set(walks).count > 1 && walks.allSatisfy { $0.steps.count == 9 })
    }

    final class BeginState: EmptyState {}
    final class FinishState: EmptyState {}
    final class ImportedState: EmptyState {}
    struct Importing: Workflow {
        static var initial: any WorkflowState { BeginState() }
        static var states: [any WorkflowState.Type] { [ImportedState.self] }
        let go = Event(from: BeginState.self, to: FinishState.self)
    }

    @Test(
        "A start state without transitions has a path without steps",
        arguments: [
            PathCoverage.transitions, .transitionPairs,
        ]
    )
    func alone(_ coverage: PathCoverage) {
        let paths = Importing.table.paths(covering: coverage)
        #expect(paths.map(\.start).sorted() == ["BeginState", "ImportedState"])
        #expect(paths.first { $0.start == "ImportedState" }?.steps.isEmpty == true)
    }

    @Test("The shortest path through a long chain needs memory linear in it", .enabled(if: PeakMemory.isCounted))
    func memory() throws {
        let table = try table(8_000, (0..<7_999).map { (from: $0, to: $0 + 1) })
        var count: Int?
        let growth = PeakMemory.growth { count = table.shortestPath(from: "0", to: "7999")?.steps.count }
        #expect(count == 7_999)
        // An array of the way to each state would take 256 MB.
        #expect((growth ?? 0) < 64 << 20)
    }
}
