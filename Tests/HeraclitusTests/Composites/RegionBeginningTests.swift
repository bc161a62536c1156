import Foundation
import Heraclitus
import HeraclitusTesting
import Synchronization
import Testing

@testable import Fixtures

@Suite("The first steps of entering and restoring a state with regions", .timeLimit(.minutes(20)))
struct RegionBeginningTests {
    struct Declined: Error {}
    final class IdleState: EmptyState {}
    final class DoneState: EmptyState {}

    /// A region that records its hooks, and has a deadline or none.
    final class QuietState: WorkflowState, Entering, Restoring, Exiting, Working {
        let until: Date
        init(until: Date = .distantFuture) { self.until = until }
        func didEnter(_ transition: StateTransition) { write("didEnter", transition) }
        func didRestore(_ transition: StateTransition) { write("didRestore", transition) }
        func didExit(_ transition: StateTransition) { write("didExit", transition) }
        func work(_ call: WorkCall<Quiet>) async throws {
            call.context.write("work")
            try await Task.sleep(for: .seconds(1_000))
        }
        private func write(_ line: String, _ transition: StateTransition) {
            transition.context(as: Quiet.self).write(line)
        }
    }
    struct Quiet: Workflow {
        typealias Context = CallLog
        static var initial: any WorkflowState { QuietState() }
        let lapse = Event(from: QuietState.self, to: DoneState.self).due(\.until)
    }
    final class OpenState: Composite {
        let quiet: StateMachine<Quiet>
        init(_ quiet: StateMachine<Quiet>) { self.quiet = quiet }
        var regions: [any Region] { [quiet] }
        func copied() -> OpenState { OpenState(quiet.copy()) }
    }
    struct Trip: Workflow {
        typealias Context = CallLog
        static var initial: any WorkflowState { IdleState() }
        let open = Event(from: IdleState.self, to: OpenState.self)
        let forget = Event(from: OpenState.self, to: DoneState.self).due(after: .seconds(10)).enters { _ in DoneState()
        }
    }

    @Test("A state with a passed deadline is left before its regions are restored", arguments: [nil, 1_000])
    func overdue(seconds: Double?) throws {
        let (clock, journal) = (ManualClock(), CallLog())
        let until = seconds.map { clock.date + $0 } ?? .distantFuture
        let trip = StateMachine<Trip>(context: journal, scheduler: clock.scheduler)
        try trip.fire.open(OpenState(StateMachine(entering: QuietState(until: until), context: journal)))
        let archive = try trip.archive()
        let later = ManualClock(at: clock.date + 100)
        let restored = try StateMachine<Trip>(archive: archive, context: journal, scheduler: later.scheduler)
        journal.clear()
        restored.activate()
        #expect(restored.isIn(DoneState.self))
        #expect(!journal.entries.contains("didRestore") && !journal.entries.contains("didExit"))
    }

    @Test("A deadline of a machine in a new holder activates the holder, as any fire does")
    func deadlineInNewHolder() async throws {
        let (clock, journal) = (ManualClock(), CallLog())
        let quiet = StateMachine<Quiet>(
            entering: QuietState(until: clock.date + 5),
            context: journal,
            scheduler: clock.scheduler
        )
        quiet.activate()
        let trip = StateMachine<Trip>(
            entering: OpenState(quiet),
            context: journal,
            scheduler: clock.scheduler
        )
        #expect(quiet.isActive && !trip.isActive)
        await clock.advance(by: .seconds(5))
        #expect(quiet.isIn(DoneState.self) && trip.isActive)
    }

    /// A state whose work ignores its cancellation.
    final class StubbornState: EmptyState, Working {
        func work(_ call: WorkCall<Stubborn>) async throws {
            call.context.hasBegun.open()
            await call.context.gate.waitStubbornly()
            _ = try? call.fire.end()
            call.context.hasFired.open()
        }
    }
    struct Gates: Sendable {
        let hasBegun = Latch()
        let gate = Latch()
        let hasFired = Latch()
    }
    struct Stubborn: Workflow {
        typealias Context = Gates
        static var initial: any WorkflowState { StubbornState() }
        let end = Event(from: StubbornState.self, to: DoneState.self)
    }
    final class JobState: Composite {
        let job: StateMachine<Stubborn>
        init(_ job: StateMachine<Stubborn>) { self.job = job }
        var regions: [any Region] { [job] }
        func copied() -> JobState { JobState(job.copy()) }
    }
    struct Desk: Workflow {
        static var initial: any WorkflowState { IdleState() }
        let take = Event(from: IdleState.self, to: JobState.self)
        let drop = Event(from: JobState.self, to: DoneState.self)
    }

    @Test("Work of a machine that was put aside activates no new holder")
    func lateWork() async throws {
        let gates = Gates()
        let job = StateMachine<Stubborn>(context: gates)
        let first = StateMachine<Desk>(entering: JobState(job))
        first.activate()
        try await gates.hasBegun.wait()
        try first.fire.drop()
        let second = StateMachine<Desk>(entering: JobState(job))
        gates.gate.open()
        try await gates.hasFired.wait()
        #expect(!second.isActive && job.isIn(StubbornState.self))
    }

    final class RushState: EmptyState, Entering {
        func didEnter(_ transition: StateTransition) { try? transition.machine(as: Rush.self)?.fire.end() }
    }
    struct Rush: Workflow {
        static var initial: any WorkflowState { RushState() }
        let end = Event(from: RushState.self, to: DoneState.self)
    }
    final class HolderState: Composite {
        let rush: StateMachine<Rush>
        init(_ rush: StateMachine<Rush> = StateMachine()) { self.rush = rush }
        var regions: [any Region] { [rush] }
        func copied() -> HolderState { HolderState(rush.copy()) }
    }
    struct Holder: Workflow {
        static var initial: any WorkflowState { IdleState() }
        let hold = Event(from: IdleState.self, to: HolderState.self)
        let done = Event(from: HolderState.self, to: DoneState.self).whenFinal(\.rush)
            .guarded { _, _, _ in throw Declined() }
    }

    @Test("A completion is checked once per entry, also if a region ends at its activation")
    func once() throws {
        let holder = StateMachine<Holder>()
        let heard = CallLog()
        holder.observe { heard.write("\($0.kind) \($0.event ?? "")") }
        try holder.fire.hold(HolderState())
        #expect(heard.entries == ["transitioned hold", "rejected done"])
    }

    final class BusyState: Composite, Working {
        let rush: StateMachine<Rush>
        init(_ rush: StateMachine<Rush>) { self.rush = rush }
        var regions: [any Region] { [rush] }
        func copied() -> BusyState { BusyState(rush.copy()) }
        func work(_ call: WorkCall<Errand>) async throws { call.context.write("work") }
    }
    struct Errand: Workflow {
        typealias Context = CallLog
        static var initial: any WorkflowState { IdleState() }
        let begin = Event(from: IdleState.self, to: BusyState.self)
        // The guard gives work that has begun time to show.
        let done = Event(from: BusyState.self, to: DoneState.self).whenFinal(\.rush)
            .guarded { _, _, _ in usleep(2_000) }
    }

    @Test("Work does not begin in a state whose regions had ended before")
    func endedRegions() async throws {
        let journal = CallLog()
        try await onOwnThread {
            for _ in 0..<20 {
                let errand = StateMachine<Errand>(context: journal)
                try errand.fire.begin(BusyState(StateMachine(resumingIn: DoneState())))
                #expect(errand.isIn(DoneState.self))
            }
        }
        #expect(journal.entries.isEmpty)
    }
}
