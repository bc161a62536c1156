import Foundation
import Heraclitus
import HeraclitusTesting
import Synchronization
import Testing

@testable import Fixtures

/// Machines that come into a state while their old holder is released, or while the new holder is made.
@Suite("Regions that change holders") struct RegionHandoverTests {
    private static let releases = Attack("Holders that are released", suite: Self.self, counting: "holders")
    private static let births = Attack("Holders that are being made", suite: Self.self, counting: "holders")

    struct Inner: Workflow {
        static var initial: any WorkflowState { OneState() }
        let go = Event(from: OneState.self, to: OtherState.self)
        let back = Event(from: OtherState.self, to: OneState.self)
        let end = Event(from: OneState.self, OtherState.self, to: EndState.self).due(after: .seconds(3_600))
        final class OneState: WorkflowState, EmptyState {}
        final class OtherState: WorkflowState, EmptyState {}
        final class EndState: WorkflowState, EmptyState {}
    }

    struct Outer: Workflow {
        static var initial: any WorkflowState { EmptyHandsState() }
        let take = Event(from: EmptyHandsState.self, to: HoldingState.self)
        let finish = Event(from: HoldingState.self, to: OverState.self).whenFinal(\.first)
        final class EmptyHandsState: WorkflowState, EmptyState {}
        final class OverState: WorkflowState, EmptyState {}
        final class HoldingState: Composite {
            let first: StateMachine<Inner>
            let others: [StateMachine<Inner>]
            var regions: [any Region] { [first] + others }

            init(_ first: StateMachine<Inner>, _ others: [StateMachine<Inner>]) {
                (self.first, self.others) = (first, others)
            }

            convenience init(_ count: Int, _ scheduler: Scheduler) {
                let made = (0..<count).map { _ in StateMachine<Inner>(scheduler: scheduler) }
                self.init(made[0], Array(made.dropFirst()))
            }

            func copied() -> HoldingState { HoldingState(first.copy(), others.map { $0.copy() }) }
        }
    }

    @Test("A machine taken during the release of its holder goes on in the new one, with its state")
    func releases() async throws {
        try await Self.releases.run { _ in Self.release() }
    }

    private static func release() -> Attack.Findings {
        let findings = Lock(Attack.Findings())
        let clock = ManualClock()
        let scheduler = clock.scheduler
        let holding = Outer.HoldingState(12, scheduler)
        // The last one, which the holder gets late.
        let inner = holding.others[10]
        let held = Lock<StateMachine<Outer>?>(StateMachine(resumingIn: Outer.EmptyHandsState(), scheduler: scheduler))
        do { try held.withLock { $0 }?.fire.take(holding) } catch { return Attack.Findings(faults: ["\(error)"]) }
        let next = StateMachine<Outer>(scheduler: scheduler)
        next.activate()
        let isOver = Atomic(false)
        onThreads(4) { thread in
            switch thread {
            case 0:
                // The last reference is released here.
                withExtendedLifetime(held.withLock { held in held.take() }) {}
            case 1:
                while (try? next.fire.take(holding)) == nil {}
                for number in 0..<40 {
                    do throws(InvalidTransition) {
                        if number.isMultiple(of: 2) { try inner.fire.go() } else { try inner.fire.back() }
                    } catch {
                        findings.withLock { $0.faults.append("\(error)") }
                    }
                }
                isOver.store(true, ordering: .relaxed)
            default:
                // The reads make the suspending thread wait sometimes.
                while !isOver.load(ordering: .relaxed) { _ = inner.state }
            }
        }
        // Each of them waits for its deadline, unless it was suspended, as long as the holder lives.
        defer { withExtendedLifetime(next) {} }
        if scheduler.count != 12 {
            findings.withLock { $0.faults.append("\(12 - scheduler.count) machines of an active one stand still.") }
        }
        if !(inner.state is Inner.OneState) || inner.stateName != "OneState" {
            findings.withLock { $0.faults.append("\(inner.stateName) is the name of \(type(of: inner.state)).") }
        }
        findings.withLock { $0.count += 1 }
        return findings.withLock { $0 }
    }

    @Test("A machine made with others in its state belongs to itself until it has them all")
    func births() async throws {
        try await Self.births.run { _ in Self.birth() }
    }

    private static func birth() -> Attack.Findings {
        let findings = Lock(Attack.Findings())
        let holding = Outer.HoldingState(30, ManualClock().scheduler)
        for region in [holding.first] + holding.others { region.activate() }
        let made = Lock<StateMachine<Outer>?>(nil)
        onThreads(2) { thread in
            if thread == 0 {
                let outer = StateMachine<Outer>(entering: holding)
                made.withLock { $0 = outer }
            } else {
                // Waits until the machine belongs to the other one.
                while !belongsToAnother(holding.first), made.withLock({ $0 == nil }) {}
                try? holding.first.fire.end()
            }
        }
        guard let outer = made.withLock({ $0 }) else { return findings.withLock { $0 } }
        outer.activate()
        if outer.isIn(Outer.OverState.self), holding.others.contains(where: { (try? $0.fire.go()) != nil }) {
            findings.withLock { $0.faults.append("A machine in a state that was left goes on.") }
        }
        findings.withLock { $0.count += 1 }
        return findings.withLock { $0 }
    }

    /// The error of an event that does not lead from the state tells whether the machine has a holder.
    private static func belongsToAnother(_ machine: StateMachine<Inner>) -> Bool {
        do throws(InvalidTransition) {
            try machine.fire.back()
            return false
        } catch {
            return error.path != nil
        }
    }
}
