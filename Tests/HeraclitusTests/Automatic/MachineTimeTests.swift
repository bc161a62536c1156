import Foundation
import Heraclitus
import HeraclitusTesting
import Testing

@testable import Fixtures

@Suite("Time by the clock of a machine", .timeLimit(.minutes(5))) struct MachineTimeTests {
    struct Refused: Error {}

    /// Counts how often a call is refused before it is answered, without a clock.
    final class Line: Sendable {
        let refusals: Int
        let heard = CallLog()
        init(refusals: Int) { self.refusals = refusals }
    }

    final class IdleState: EmptyState {}
    final class CallingState: WorkflowState, Working, Entering {
        let failures: Int
        init(failures: Int) { self.failures = failures }
        func work(_ call: WorkCall<Calls>) async throws {
            // Each call takes a second.
            try await call.sleep(for: .seconds(1))
            call.context.heard.write("called at \(call.now.timeIntervalSinceReferenceDate)")
            if failures < call.context.refusals { throw Refused() }
            let now = call.now
            try call.fire.answered(TalkingState(since: now))
        }
        func didEnter(_ transition: StateTransition) {
            transition.context(as: Calls.self).heard.write("\(transition.now.timeIntervalSinceReferenceDate)")
        }
    }
    final class WaitingState: WorkflowState {
        let failures: Int
        let since: Date
        init(failures: Int, since: Date) {
            self.failures = failures
            self.since = since
        }
    }
    final class TalkingState: WorkflowState {
        let since: Date
        init(since: Date) { self.since = since }
    }

    struct Calls: Workflow {
        typealias Context = Line
        static let backOff = BackOff(first: .seconds(10), limit: .seconds(30), jitter: 0)
        static var initial: any WorkflowState { IdleState() }
        let call = Event(from: IdleState.self, to: CallingState.self).enters { _ in CallingState(failures: 0) }
        let answered = Event(from: CallingState.self, to: TalkingState.self)
        let fail = Event(from: CallingState.self, to: WaitingState.self).whenFailed()
            .enters { calling, call in WaitingState(failures: calling.failures + 1, since: call.now) }
        let retry = Event(from: WaitingState.self, to: CallingState.self)
            .due(after: { Calls.backOff.delay(after: $0.failures) })
            .enters { CallingState(failures: $0.failures) }
        let measure = Action(in: TalkingState.self) { talking, call in
            call.machine.now.timeIntervalSince(talking.since)
        }
    }

    let clock = ManualClock()

    private func machine(refusals: Int) -> StateMachine<Calls> {
        StateMachine<Calls>(context: Line(refusals: refusals), scheduler: clock.scheduler)
    }

    final class LogState: WorkflowState, Entering {
        let dates: [Double]
        init(_ dates: [Double]) { self.dates = dates }
        func didEnter(_ transition: StateTransition) {}
    }

    struct Log: Workflow {
        typealias Context = CallLog
        static var initial: any WorkflowState { LogState([]) }
        let note = Event(from: LogState.self, to: LogState.self)
            .enters { LogState($0.dates + [$1.now.timeIntervalSinceReferenceDate]) }
    }

    @Test("Each fire of a callback has its own date, the same for its builder and its hooks")
    func datesOfNestedFires() throws {
        let (log, clock) = (CallLog(), clock)
        let machine = StateMachine<Log>(context: log, scheduler: clock.scheduler)
        machine.willEnter(LogState.self) { log, transition in
            transition.context(as: Log.self).write(
                "\(log.dates) entered at \(transition.now.timeIntervalSinceReferenceDate)"
            )
        }
        machine.activate()
        try machine.perform { _ in
            try machine.fire.note()
            clock.advance(by: .seconds(60))
            try machine.fire.note()
            clock.advance(by: .seconds(30))
        }
        #expect(
            log.entries == ["[] entered at 0.0", "[0.0] entered at 0.0", "[0.0, 60.0] entered at 60.0"]
        )
    }

    @Test("Fires of callbacks have dates in the order of the fires")
    func orderOfNestedDates() throws {
        let clock = clock
        let machine = StateMachine<Calls>(context: Line(refusals: 0), scheduler: clock.scheduler)
        let log = CallLog()
        machine.onTransition { log.write("\($0.event ?? "") \($0.now.timeIntervalSinceReferenceDate)") }
        try machine.perform { _ in
            try machine.fire.call(CallingState(failures: 0))
            try machine.fire.fail()
            clock.advance(by: .seconds(60))
        }
        #expect(log.entries == ["call 0.0", "fail 0.0", "retry 60.0"])
    }

    @Test("One advance of the clock passes through work, its failures and the deadlines after them")
    func settling() async throws {
        let machine = machine(refusals: 3)
        try machine.fire.call()
        // A second each, and pauses of 10, 20 and 30 seconds.
        await clock.advance(by: .seconds(63.5))
        #expect(machine.isIn(CallingState.self))
        await clock.advance(by: .seconds(0.5))
        #expect(machine.isIn(TalkingState.self))
        let heard = try #require(machine.context).heard.entries
        #expect(
            heard == [
                "0.0", "called at 1.0", "11.0", "called at 12.0", "32.0", "called at 33.0", "63.0", "called at 64.0",
            ]
        )
    }

    @Test("Builders, hooks, actions and machines have the date of the scheduler")
    func now() async throws {
        let machine = machine(refusals: 1)
        try machine.fire.call()
        await clock.advance(by: .seconds(5))
        let waiting = try #require(machine.state as? WaitingState)
        #expect(waiting.since.timeIntervalSinceReferenceDate == 1)
        #expect(machine.now == clock.date)
        await clock.advance(by: .seconds(17))
        let measured = try machine.perform(\.measure)
        #expect(measured == 10)
    }

    @Test("A delay computed from data counts from the entry of the state, in archives, too")
    func entered() throws {
        let machine = StateMachine<Calls>(
            resumingIn: WaitingState(failures: 2, since: clock.date),
            since: clock.date.addingTimeInterval(-15),
            context: Line(refusals: 0),
            scheduler: clock.scheduler
        )
        #expect(machine.nextDeadline?.timeIntervalSinceReferenceDate == 5)
        let context = Line(refusals: 0)
        let restored = try StateMachine<Calls>(archive: machine.archive(), context: context, scheduler: clock.scheduler)
        #expect(restored.nextDeadline?.timeIntervalSinceReferenceDate == 5)
        restored.activate()
        clock.advance(by: .seconds(5))
        #expect(restored.isIn(CallingState.self))
    }

    @Test("Sleeping work wakes when it is cancelled")
    func cancelled() async throws {
        let machine = machine(refusals: 0)
        try machine.fire.call()
        let copy = StateMachine<Calls>(
            entering: CallingState(failures: 0),
            context: Line(refusals: 0),
            scheduler: clock.scheduler
        )
        copy.activate()
        await clock.advance(by: .zero)
        #expect(clock.scheduler.count == 2)
        _ = consume machine
        let run = Task { try await copy.run() }
        run.cancel()
        await #expect(throws: CancellationError.self) { try await run.value }
        #expect(clock.scheduler.count <= 1)
    }

    @Test("The date of a transition read after the machine's release is that of its scheduler")
    func gone() async throws {
        var machine: StateMachine<Calls>? = machine(refusals: 0)
        let transitions = try #require(machine).transitions()
        try machine?.fire.call()
        machine = nil
        await clock.advance(by: .seconds(7))
        for await transition in transitions {
            #expect(transition.now == clock.date)
            break
        }
    }
}

@Suite("Waiting for a state with a timeout", .timeLimit(.minutes(5))) struct WaitTimeoutTests {
    final class ShutState: EmptyState {}
    final class OpenState: EmptyState {}
    final class LostState: EmptyState {}
    struct Gate: Workflow {
        static var initial: any WorkflowState { ShutState() }
        let open = Event(from: ShutState.self, to: OpenState.self)
        let lose = Event(from: ShutState.self, to: LostState.self)
    }

    let clock = ManualClock()

    @Test("A wait ends with an error at the timeout by the machine's clock")
    func timeout() async throws {
        let machine = StateMachine<Gate>(scheduler: clock.scheduler)
        let waiting = Task { try await machine.wait(for: OpenState.self, timeout: .seconds(30)) }
        while clock.scheduler.count == 0 { await Task.yield() }
        await clock.advance(by: .seconds(29))
        #expect(clock.scheduler.count == 1)
        await clock.advance(by: .seconds(1))
        let error = await #expect(throws: InvalidTransition.self) { try await waiting.value }
        #expect(error?.reason == .timedOut && error?.source == "ShutState" && error?.destination == "OpenState")
        #expect(
            error?.description == "Gate cannot wait longer than 30.0 seconds for OpenState in ShutState: "
                + "OpenState was not reached in time."
        )
        #expect(error?.failureReason == "OpenState was not reached in time." && error?.recoverySuggestion == nil)
        #expect(error?.allowedEvents == ["open", "lose"])
        #expect(clock.scheduler.count == 0)
    }

    struct Door: Workflow {
        static var initial: any WorkflowState { ShutState() }
        let open = Event(from: ShutState.self, to: OpenState.self).due(after: .seconds(10))
    }

    @Test("A restored machine names its passed deadline before its activation")
    func inactive() async throws {
        let machine = StateMachine<Door>(scheduler: clock.scheduler)
        machine.activate()
        let deadline = clock.date.addingTimeInterval(10).formatted(.iso8601)
        let restored = try StateMachine<Door>(archive: machine.archive(), scheduler: clock.scheduler)
        #expect("\(restored)" == "Door in ShutState, revision 0")
        let waiting = Task { try await restored.wait(for: OpenState.self, timeout: .seconds(30)) }
        while clock.scheduler.count < 2 { await Task.yield() }
        await clock.advance(by: .seconds(30))
        let error = await #expect(throws: InvalidTransition.self) { try await waiting.value }
        #expect(
            error?.errorDescription == "Door cannot wait longer than 30.0 seconds for OpenState in ShutState: "
                + "OpenState was not reached in time."
        )
        #expect(
            error?.recoverySuggestion
                == "Activate the machine: its deadline of \(deadline) has passed, but it is inactive."
        )
        #expect("\(restored)" == "Door in ShutState, revision 0, inactive with a deadline of \(deadline)")
        restored.activate()
        await clock.advance(by: .seconds(0))
        #expect("\(restored)" == "Door in OpenState, revision 1")
        #expect("\(machine)" == "Door in OpenState, revision 1")
    }

    @Test("A state that comes in time is returned, and all waits end")
    func inTime() async throws {
        let machine = StateMachine<Gate>(scheduler: clock.scheduler)
        let waiting = Task { try await machine.wait(for: OpenState.self, timeout: .seconds(30)) }
        while clock.scheduler.count == 0 { await Task.yield() }
        try machine.fire.open()
        #expect(try await waiting.value === machine.state)
        #expect(clock.scheduler.count == 0)
    }

    @Test("An unreachable state and a cancelled task end the wait before the timeout")
    func others() async throws {
        let machine = StateMachine<Gate>(scheduler: clock.scheduler)
        try machine.fire.lose()
        let error = await #expect(throws: InvalidTransition.self) {
            try await machine.wait(for: OpenState.self, timeout: .seconds(30))
        }
        #expect(error?.reason == .unreachable && error?.source == "LostState")
        let other = StateMachine<Gate>(scheduler: clock.scheduler)
        let waiting = Task { try await other.wait(for: OpenState.self, timeout: .seconds(30)) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(clock.scheduler.count == 0)
    }
}
