import Foundation
import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import Testing

@testable import Fixtures

/// Deadlines of a machine used by several threads, and of machines in a state.
@Suite("Timers") struct TimerTests {
    /// A workflow that rings three times; the first two are declined.
    struct Clock: Workflow {
        static var initial: any WorkflowState { SetState() }
        let first = Event(from: SetState.self, to: RungState.self).due { $0.times[0] }
            .guarded { set, _, _ in if set.declines { throw Objection() } }
        let second = Event(from: SetState.self, to: RungState.self).due { $0.times[1] }
            .guarded { set, _, _ in if set.declines { throw Objection() } }
        let third = Event(from: SetState.self, to: RungState.self).due { $0.times[2] }
    }

    final class SetState: WorkflowState, EmptyState {
        let times: [Date]
        init(_ times: [Date]) { self.times = times }
        init() { times = [.distantFuture, .distantFuture, .distantFuture] }
        var declines: Bool { true }
    }
    final class RungState: WorkflowState, EmptyState {}

    @Test("Any number of threads that advance time and wait lose no deadline", .timeLimit(.minutes(20)))
    func noneIsLost() async throws {
        for round in 0..<400 {
            let clock = ManualClock()
            let machine = StateMachine<Clock>(
                entering: SetState((1...3).map { clock.date.addingTimeInterval(Double($0)) }),
                scheduler: clock.scheduler
            )
            let rejected = Lock<[String]>([])
            machine.observe { occurrence in
                if let error = occurrence.error as? InvalidTransition {
                    rejected.withLock { $0.append(error.event ?? "") }
                }
            }
            machine.activate()
            @Sendable func advance() { clock.advance(by: .seconds(0.5)) }
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<2 { group.addTask { for _ in 0..<8 { await machine.settled() } } }
                for _ in 0..<2 { group.addTask { for _ in 0..<4 { advance() } } }
            }
            await clock.advance(by: .seconds(10))
            #expect(machine.isIn(RungState.self), "round \(round)")
            #expect(rejected.withLock { $0 } == ["first", "second"], "in order, each once")
            #expect(clock.scheduler.count == 0)
        }
    }

    /// Two machines: a slow callback at one deadline, and another machine's deadline during it.
    struct Bell: Workflow {
        static var initial: any WorkflowState { SilentState() }
        let wait = Event(from: SilentState.self, to: WaitingState.self)
        let ring = Event(from: WaitingState.self, to: SilentState.self).due(\.until)
    }

    final class SilentState: WorkflowState, EmptyState {}
    final class WaitingState: WorkflowState {
        let until: Date
        init(until: Date) { self.until = until }
    }

    @Test("A deadline added during another one's callback waits for the callback, and leaves it running")
    func oneAfterTheOther() async throws {
        let time = StandingTime()
        let scheduler = Scheduler(ContinuousClock()) { time.date }
        let (slow, quick) = (StateMachine<Bell>(scheduler: scheduler), StateMachine<Bell>(scheduler: scheduler))
        let (hasBegun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let seen = Lock<[String]>([])
        slow.didExit(WaitingState.self) { _, _ in
            hasBegun.signal()
            mayEnd.wait()
            seen.withLock { $0.append(Task.isCancelled ? "slow, cancelled" : "slow") }
        }
        quick.didExit(WaitingState.self) { _, _ in seen.withLock { $0.append("quick") } }
        try slow.fire.wait(WaitingState(until: time.date.addingTimeInterval(0.01)))
        // The callback occupies one of the few threads of tasks, so this test uses its own thread.
        try await onOwnThread {
            time.set(to: 1)
            hasBegun.wait()
            defer { mayEnd.signal() }
            // Earlier than the end of the scheduler's sleep.
            time.set(to: -3_600)
            try quick.fire.wait(WaitingState(until: time.date.addingTimeInterval(0.01)))
            time.set(to: -3_599)
            // Long enough for a second task to show.
            Thread.sleep(forTimeInterval: 0.05)
        }
        for try await state in quick.states() where state is SilentState { break }
        for try await state in slow.states() where state is SilentState { break }
        #expect(seen.withLock { $0 } == ["slow", "quick"])
    }

    /// A date that stands still until it is set.
    final class StandingTime: Sendable {
        private let seconds = Lock(0.0)

        var date: Date { Date(timeIntervalSinceReferenceDate: seconds.withLock { $0 }) }

        func set(to seconds: Double) { self.seconds.withLock { $0 = seconds } }
    }

    @Test("A wait for the machine to settle fires an event due at this moment")
    func settlesWhatIsDueNow() async throws {
        let time = StandingTime()
        let machine = StateMachine<Bell>(scheduler: Scheduler(ContinuousClock()) { time.date })
        try machine.fire.wait(WaitingState(until: time.date.addingTimeInterval(1_000)))
        await machine.settled()
        #expect(machine.isIn(WaitingState.self))
        time.set(to: 1_000)
        await machine.settled()
        #expect(machine.isIn(SilentState.self))
    }

    /// A house with a bell in it.
    struct House: Workflow {
        static var initial: any WorkflowState { EmptyHouseState() }
        let furnish = Event(from: EmptyHouseState.self, to: FurnishedState.self)
        let paint = Event(updating: FurnishedState.self)
    }

    final class EmptyHouseState: WorkflowState, EmptyState {}
    final class FurnishedState: Composite {
        let bell: StateMachine<Bell>
        init(_ bell: StateMachine<Bell>) { self.bell = bell }
        var regions: [any Region] { [bell] }
        func copied() -> FurnishedState { FurnishedState(bell.copy()) }
    }

    @Test("A machine settles by its own clock, also within a machine with another clock", .timeLimit(.minutes(20)))
    func settlesByItsOwnClock() async throws {
        let (own, ahead) = (ManualClock(), ManualClock(at: Date(timeIntervalSinceReferenceDate: 1_000_000)))
        let bell = StateMachine<Bell>(scheduler: own.scheduler)
        try bell.fire.wait(WaitingState(until: own.date.addingTimeInterval(60)))
        let house = StateMachine<House>(scheduler: ahead.scheduler)
        try house.fire.furnish(FurnishedState(bell))
        await house.settled()
        #expect(bell.isIn(WaitingState.self))
        await own.advance(by: .seconds(60))
        #expect(bell.isIn(SilentState.self))
    }

    @Test("In a unit of work, inner machines that were active before have no activity")
    func regionsArePassive() async throws {
        let clock = ManualClock()
        let bell = StateMachine<Bell>(scheduler: clock.scheduler)
        let house = StateMachine<House>(entering: FurnishedState(bell), scheduler: clock.scheduler)
        house.activate()
        try bell.fire.wait(WaitingState(until: clock.date.addingTimeInterval(1)))
        #expect(clock.scheduler.count == 1)
        let store = InMemoryStore()
        func furnished() -> StateMachine<House> { house }
        func advance() { clock.advance(by: .seconds(2)) }
        try await store.workflow(House.self, scheduler: clock.scheduler).update("1", creating: furnished) { _ in
            #expect(clock.scheduler.count == 0)
            advance()
            #expect(bell.isIn(WaitingState.self))
        }
        #expect(try await store.ids(dueBy: clock.date) == ["1"])
    }
}
