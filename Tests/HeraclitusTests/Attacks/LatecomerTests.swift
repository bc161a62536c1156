import Foundation
import Heraclitus
import Synchronization
import Testing

/// Threads that begin to listen while others make transitions of machines that call nobody else.
///
/// A fire that finds nobody to call looks once more when the new state is shown. Whoever comes in between and sees the state before
/// has to be called. That takes a thread that is stopped within a few instructions; so there are more threads than cores.
@Suite("Listeners that come meanwhile") struct LatecomerTests {
    private static let attack = Attack("Listeners that come meanwhile", suite: Self.self, counting: "listeners")

    final class CountState: WorkflowState {
        let number: Int
        init(_ number: Int) { self.number = number }
    }

    struct Counting: Workflow {
        static var initial: CountState { CountState(0) }
        let next = Event(from: CountState.self, to: CountState.self)
    }

    @Test("Whoever begins to listen and sees a state is told of the one that comes after it")
    func latecomers() async throws {
        try await Self.attack.run { Self.round($0) }
    }

    private static func round(_ seed: Seed) -> Attack.Findings {
        let machines = (0..<4).map { _ in StateMachine<Counting>() }
        let findings = Lock(Attack.Findings())
        let isDone = Atomic(0)
        onThreads(2 * machines.count) { thread in
            let machine = machines[thread / 2]
            guard thread.isMultiple(of: 2) else {
                while isDone.load(ordering: .relaxed) < machines.count {
                    try? machine.fire.next { CountState($0.number + 1) }
                }
                return
            }
            var random = seed.branch(thread)
            for _ in 0..<100 {
                // Nobody listens for a while.
                for _ in 0..<random.below(300) { _ = machine.revision }
                if let fault = listen(to: machine) { findings.withLock { $0.faults.append(fault) } }
            }
            findings.withLock { $0.count += 100 }
            isDone.add(1, ordering: .relaxed)
        }
        return findings.withLock { $0 }
    }

    private static func listen(to machine: StateMachine<Counting>) -> String? {
        let first = Atomic(Int.max)
        let registration = machine.onTransition { transition in
            let number = (transition.destination as? CountState)?.number ?? 0
            _ = first.compareExchange(expected: Int.max, desired: number, ordering: .relaxed)
        }
        let seen = machine.state.number
        // When the one after the next has come, the turn of the next is over.
        while machine.state.number < seen + 2 { sched_yield() }
        registration.cancel()
        let heard = first.load(ordering: .relaxed)
        return heard <= seen + 1 ? nil : "saw \(seen) and heard first of \(heard)"
    }
}
