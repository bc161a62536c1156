import Foundation
import Heraclitus
import Synchronization
import Testing

@testable import Fixtures

/// Machines whose callbacks fire one another from several threads.
///
/// Each fire ends, or is rejected as a circle of waits.
@Suite("Forced circles") struct CircleTests {
    /// A workflow whose name contains the number of its machine.
    struct Node<Number: Ordinal>: NodeWorkflow {
        static var name: String { "Node\(Number.value)" }
        static var initial: any WorkflowState { NumberedPlain(0) }
        let go = Event(from: NumberedPlain.self, to: NumberedPlain.self)
        static func fire(_ machine: StateMachine<Self>, _ userInfo: UserInfo) throws(InvalidTransition) {
            try machine.fire.go(NumberedPlain(0), userInfo: userInfo)
        }
    }

    @Test("Of several threads that wait for one another in a circle, exactly one is rejected")
    func rings() async throws {
        try await Attack("Forced circles, rings", suite: Self.self, counting: "circles").run { seed in
            var seed = seed
            let count = 2 + seed.below(3)
            let nodes = Nodes.make(4, &seed)
            // Each thread holds one or two machines when it fires the first machine of the next thread.
            let order = [0, 1, 2, 3].shuffled(using: &seed)
            let paths = (0..<count).map { index in
                index == 0 && count < 4 && seed.chance(50) ? [order[0], order[3]] : [order[index]]
            }
            let meeting = Meeting(count)
            let rejections = Lock<[(target: Int, held: [Int], error: InvalidTransition)]>([])
            onThreads(count) { index in
                let held = paths[index]
                let target = paths[(index + 1) % count][0]
                let faults = nodes.go(held) {
                    meeting.come()
                    do throws(InvalidTransition) { try nodes.fire(target) } catch {
                        rejections.withLock { $0.append((target, held, error)) }
                    }
                }
                nodes.report(faults)
            }
            let rejected = rejections.withLock { $0 }
            if rejected.count != 1 { nodes.report(["\(rejected.count) rejections of \(count) threads"]) }
            for rejection in rejected {
                nodes.check(rejection.error, firing: rejection.target, holding: rejection.held)
                // All machines that one thread holds while another waits for them.
                let waitedFor = Set(paths.map { "Node\($0[0])" })
                if Set(rejection.error.machines) != waitedFor {
                    nodes.report(["\(rejection.error.machines) instead of \(waitedFor.sorted())"])
                }
            }
            nodes.checkUsable()
            return Attack.Findings(count: 1, faults: nodes.faults)
        }
    }

    @Test("Random ways through random machines never hang, and each rejection prevents a circle")
    func webs() async throws {
        try await Attack("Forced circles, webs", suite: Self.self, counting: "fires").run { seed in
            var root = seed
            let nodes = Nodes.make(2 + root.below(3), &root)
            let count = 2 + root.below(7)
            let fires = Atomic<Int>(0)
            onThreads(count) { index in
                var seed = seed.branch(index)
                for _ in 0..<60 {
                    let way = (0..<2 + seed.below(5)).map { _ in seed.below(nodes.count) }
                    fires.add(way.count, ordering: .relaxed)
                    nodes.report(nodes.go(way) {})
                }
            }
            nodes.checkUsable()
            return Attack.Findings(count: fires.load(ordering: .relaxed), faults: nodes.faults)
        }
    }
}

protocol NodeWorkflow: Workflow where Initial == AnyState {
    static func fire(_ machine: StateMachine<Self>, _ userInfo: UserInfo) throws(InvalidTransition)
}

/// Machines whose callbacks go on to other machines.
private final class Nodes: Sendable {
    /// A thread's way: the thread holds the machines behind it, and its callbacks go on to the others.
    final class Way: Sendable {
        @TaskLocal static var current: Way?

        let rest: Lock<[Int]>
        let held = Lock<[Int]>([])
        let atEnd: @Sendable () -> Void
        let faults = Lock<[String]>([])

        init(_ way: [Int], _ atEnd: @escaping @Sendable () -> Void) {
            rest = Lock(way)
            self.atEnd = atEnd
        }
    }

    private struct Node: Sendable {
        let fire: @Sendable () throws(InvalidTransition) -> Void
        let revision: @Sendable () -> Int
        let cancel: @Sendable () -> Void
    }

    private let nodes: Lock<[Node]> = Lock([])
    private let made: [Tally]
    private let found = Lock<[String]>([])
    let count: Int

    /// A counter for several threads.
    final class Tally: Sendable {
        let value = Atomic<Int>(0)
    }

    private init(_ count: Int) {
        self.count = count
        made = (0..<count).map { _ in Tally() }
    }

    static func make(_ count: Int, _ seed: inout Seed) -> Nodes {
        let nodes = Nodes(count)
        let types: [any NodeWorkflow.Type] = [
            CircleTests.Node<Zero>.self, CircleTests.Node<Single>.self, CircleTests.Node<Two>.self,
            CircleTests.Node<Three>.self,
        ]
        for index in 0..<count { nodes.add(types[index], index, atObserver: seed.chance(30)) }
        return nodes
    }

    private func add<W: NodeWorkflow>(_ workflow: W.Type, _ index: Int, atObserver: Bool) {
        let machine = StateMachine<W>()
        let goOn: @Sendable () -> Void = { [weak self] in self?.goOn() }
        let registration =
            atObserver
            ? machine.onTransition { _ in goOn() } : machine.didEnter(NumberedPlain.self) { _, _ in goOn() }
        machine.activate()
        nodes.withLock {
            $0.append(
                Node(
                    fire: { () throws(InvalidTransition) in try W.fire(machine, [:]) },
                    revision: { machine.revision },
                    cancel: { registration.cancel() }
                )
            )
        }
    }

    var faults: [String] { found.withLock { $0 } }

    func report(_ faults: [String]) { found.withLock { $0 += faults } }

    /// Fires one machine, whose callback fires the next one, and so on.
    /// - Parameters:
    ///   - way: The machines, one after the other.
    ///   - atEnd: Called by the callback of the last machine, within all turns.
    /// - Returns: The faults.
    func go(_ way: [Int], atEnd: @escaping @Sendable () -> Void) -> [String] {
        let way = Way(way, atEnd)
        Way.$current.withValue(way) { goOn() }
        return way.faults.withLock { $0 }
    }

    /// Fires a machine without going on.
    func fire(_ index: Int) throws(InvalidTransition) {
        let fire = nodes.withLock { $0[index].fire }
        let result: Result<Void, InvalidTransition> = Way.$current.withValue(nil) {
            do throws(InvalidTransition) {
                try fire()
                return .success(())
            } catch { return .failure(error) }
        }
        if case .success = result { made[index].value.add(1, ordering: .relaxed) }
        try result.get()
    }

    private func goOn() {
        guard let way = Way.current else { return }
        guard let next = way.rest.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return way.atEnd() }
        let held = way.held.withLock { held in
            defer { held.append(next) }
            return held
        }
        let fire = nodes.withLock { $0[next].fire }
        do throws(InvalidTransition) {
            try fire()
            made[next].value.add(1, ordering: .relaxed)
        } catch {
            check(error, firing: next, holding: held)
        }
        // A queued fire goes on later with the rest of the way.
        if !held.contains(next) { way.held.withLock { $0.removeAll { $0 == next } } }
    }

    /// Checks that a rejection was of a circle, from the fired machine to one that the thread holds.
    func check(_ error: InvalidTransition, firing target: Int, holding held: [Int]) {
        guard error.reason == .deadlock else { return report(["rejected otherwise: \(error)"]) }
        let machines = error.machines
        if machines.first != "Node\(target)" { report(["\(machines) does not begin with Node\(target)"]) }
        if machines.count < 2 || Set(machines).count != machines.count { report(["\(machines) is no circle"]) }
        if !held.contains(where: { machines.last == "Node\($0)" }) {
            report(["\(machines) does not end with one of \(held)"])
        }
    }

    /// Checks that every machine has made exactly its accepted transitions, and is usable.
    func checkUsable() {
        let all = nodes.withLock { $0 }
        for (index, node) in all.enumerated() {
            if node.revision() != made[index].value.load(ordering: .relaxed) {
                report([
                    "Node\(index) made \(node.revision()) transitions and accepted \(made[index].value.load(ordering: .relaxed))"
                ])
            }
            do throws(InvalidTransition) { try fire(index) } catch { report(["not usable: \(error)"]) }
            node.cancel()
        }
    }
}

/// A barrier at which threads wait for all others.
private final class Meeting: Sendable {
    private let group = DispatchGroup()

    init(_ count: Int) {
        for _ in 0..<count { group.enter() }
    }

    func come() {
        group.leave()
        group.wait()
    }
}
