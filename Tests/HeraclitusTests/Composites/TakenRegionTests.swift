import Foundation
import Heraclitus
import HeraclitusTesting
import Testing

@testable import Fixtures

@Suite("Inner machines that other holders take") struct TakenRegionTests {
    final class TickingState: EmptyState, Entering {
        let journal: CallLog?
        init(_ journal: CallLog?) { self.journal = journal }
        convenience init() { self.init(nil) }
        convenience init(from decoder: any Decoder) throws { self.init(nil) }
        func encode(to encoder: any Encoder) throws {}
        func didEnter(_ transition: StateTransition) { journal?.write("ticking") }
    }
    final class RungState: EmptyState {}
    struct Timer: Workflow {
        static var initial: any WorkflowState { TickingState() }
        let ring = Event(from: TickingState.self, to: RungState.self).due(after: .seconds(10))
        let touch = Event(updating: TickingState.self)
    }

    final class IdleState: EmptyState {}
    final class HoldingState: Composite {
        let timer: StateMachine<Timer>?
        let until: Date
        init(_ timer: StateMachine<Timer>?, until: Date = .distantFuture) { (self.timer, self.until) = (timer, until) }
        var regions: [any Region] { timer.map { [$0] } ?? [] }
        func copied() -> HoldingState { HoldingState(timer?.copy(), until: until) }
    }
    final class KeepingState: Composite {
        let timer: StateMachine<Timer>
        init(_ timer: StateMachine<Timer>) { self.timer = timer }
        var regions: [any Region] { [timer] }
        func copied() -> KeepingState { KeepingState(timer.copy()) }
    }
    struct Holder: Workflow {
        static var initial: any WorkflowState { IdleState() }
        let hold = Event(from: IdleState.self, to: HoldingState.self)
        let move = Event(updating: HoldingState.self)
        let keep = Event(from: HoldingState.self, to: KeepingState.self)
        let touch = Event(updating: KeepingState.self)
        let late = Event(from: HoldingState.self, to: IdleState.self).due(\.until)
    }

    /// The reason of a rejection; `nil` for an accepted event.
    private func rejection(of timer: StateMachine<Timer>) -> InvalidTransition.Reason? {
        do {
            try timer.fire.touch(TickingState())
            return nil
        } catch {
            return error.reason
        }
    }

    @Test("A machine keeps its deadline when a holder is made around it during its turn and then released")
    func dropped() throws {
        let clock = ManualClock()
        let timer = StateMachine<Timer>(scheduler: clock.scheduler)
        timer.activate()
        try timer.perform { _ in _ = StateMachine<Holder>(entering: HoldingState(timer), scheduler: clock.scheduler) }
        #expect(clock.scheduler.count == 1)
        clock.advance(by: .seconds(20))
        #expect(timer.state is RungState)
    }

    @Test("A machine that a queued transition leaves rejects fires, also if the next transition brings it back")
    func leftAndTakenAgain() throws {
        let timer = StateMachine<Timer>()
        let holder = StateMachine<Holder>()
        try holder.fire.hold(HoldingState(timer))
        try holder.perform { _ in
            try holder.fire.keep(KeepingState(timer))
            #expect(rejection(of: timer) == .notCurrent)
            try holder.fire.touch { KeepingState($0.timer) }
            #expect(rejection(of: timer) == .notCurrent)
        }
        #expect(holder.state is KeepingState && rejection(of: timer) == nil)
        let other = StateMachine<Holder>()
        try other.fire.hold(HoldingState(StateMachine()))
        let held = try #require((other.state as? HoldingState)?.timer)
        try other.perform { _ in
            try other.fire.move(HoldingState(nil))
            try other.fire.move(HoldingState(held))
            #expect(rejection(of: held) == .notCurrent)
        }
        #expect(rejection(of: held) == nil)
    }

    @Test("A machine of a released holder rejects fires until its new holder shows its state")
    func takenFromNone() throws {
        let timer = StateMachine<Timer>()
        do {
            let gone = StateMachine<Holder>()
            try gone.fire.hold(HoldingState(timer))
        }
        let holder = StateMachine<Holder>()
        try holder.fire.hold(HoldingState(nil))
        try holder.perform { _ in
            try holder.fire.keep(KeepingState(timer))
            try holder.fire.touch { KeepingState($0.timer) }
            #expect(rejection(of: timer) == .notCurrent)
        }
        #expect(rejection(of: timer) == nil)
    }

    @Test(
        "The time of a machine that was never entered has not begun, however old the machine is",
        arguments: [0, 100]
    )
    func neverEntered(age: Int) throws {
        let clock = ManualClock()
        let journal = CallLog()
        let timer = StateMachine<Timer>(entering: TickingState(journal), scheduler: clock.scheduler)
        clock.advance(by: .seconds(age))
        let holder = StateMachine<Holder>(scheduler: clock.scheduler)
        try holder.fire.hold(HoldingState(timer, until: clock.date - 50))
        // A deadline before the machine's own leaves the state before the machine is entered.
        #expect(holder.state is IdleState && journal.entries == [])
    }
}
