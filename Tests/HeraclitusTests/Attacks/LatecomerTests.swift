import Foundation
import Heraclitus
import Synchronization
import Testing

@testable import Fixtures

/// Threads that begin to listen during transitions of machines without other listeners.
///
/// A fire without listeners checks for listeners once more when the new state is shown. A listener that comes in
/// between and sees the old state has to be called. The race needs a thread that is stopped within a few instructions,
/// so there are more threads than cores.
@Suite("Concurrent listeners") struct LatecomerTests {
    private static let attack = Attack("Listeners that come meanwhile", suite: Self.self, counting: "listeners")

    final class CountState: WorkflowState {
        let number: Int
        init(_ number: Int) { self.number = number }
    }

    struct Counting: Workflow {
        static var initial: CountState { CountState(0) }
        let next = Event(from: CountState.self, to: CountState.self)
    }

    @Test("A listener that sees a state is told of the next one")
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
                // The machine has no listeners for a while.
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
        // The turn of the next transition is over when the one after it has come.
        while machine.state.number < seen + 2 { sched_yield() }
        registration.cancel()
        let heard = first.load(ordering: .relaxed)
        return heard <= seen + 1 ? nil : "saw \(seen) and heard first of \(heard)"
    }
}
