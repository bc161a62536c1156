import Foundation
import Heraclitus
import HeraclitusTesting
import Testing

@testable import Fixtures

@Suite("Deadlines") struct DeadlineTests {
    /// An order that lapses, has reminders, and closes by itself.
    struct Bill: Workflow {
        static var initial: any WorkflowState { DraftState() }

        let send = Event(from: DraftState.self, to: SentState.self)
        let change = Event(updating: SentState.self)
        let lapse = Event(from: SentState.self, to: LapsedState.self).due(\.deadline).enters {
            LapsedState(number: $0.number)
        }
        let pay = Event(from: SentState.self, LapsedState.self, to: PaidState.self)
        let close = Event(from: PaidState.self, to: ClosedState.self).due(after: .seconds(3_600))
        let forget = Event(from: LapsedState.self, to: ClosedState.self).due(after: .seconds(60))
            .guarded { lapsed, _, _ in if lapsed.number == 13 { throw Objection() } }
    }

    final class DraftState: WorkflowState, EmptyState {}
    final class SentState: WorkflowState {
        let number: Int
        let deadline: Date?
        init(_ number: Int, by deadline: Date?) {
            self.number = number
            self.deadline = deadline
        }
    }
    final class LapsedState: WorkflowState {
        let number: Int
        init(number: Int) { self.number = number }
    }
    final class PaidState: WorkflowState, EmptyState {}
    final class ClosedState: WorkflowState, EmptyState {}

    let clock = ManualClock()

    /// A date a number of seconds after the clock's beginning.
    func at(_ seconds: Double) -> Date { Date(timeIntervalSinceReferenceDate: seconds) }

    private func sent(_ number: Int = 1, by seconds: Double?) throws -> StateMachine<Bill> {
        let machine = StateMachine<Bill>(scheduler: clock.scheduler)
        try machine.fire.send(SentState(number, by: seconds.map(at)))
        return machine
    }

    /// The steps of a machine with their due dates.
    private func journal(of machine: StateMachine<Bill>) -> CallLog {
        let journal = CallLog()
        machine.onTransition { transition in
            let due = transition.due.map { " \($0.timeIntervalSinceReferenceDate)" } ?? ""
            journal.write("\(transition.event ?? "")\(due)")
        }
        return journal
    }

    @Test("An event fires at its deadline, with the deadline as its date")
    func due() throws {
        let machine = try sent(by: 10)
        let journal = journal(of: machine)
        clock.advance(by: .seconds(9.99))
        #expect(machine.isIn(SentState.self))
        clock.advance(by: .seconds(0.01))
        #expect(machine.isIn(LapsedState.self))
        clock.advance(by: .seconds(1_000))
        #expect(machine.isIn(ClosedState.self))
        #expect(journal.entries == ["lapse 10.0", "forget 70.0"])
        #expect(clock.scheduler.count == 0)
    }

    @Test("A machine made in a state since a date counts from the date, also in its archive")
    func since() throws {
        let machine = StateMachine<Bill>(resumingIn: PaidState(), since: at(-3_000), scheduler: clock.scheduler)
        let restored = try StateMachine<Bill>(archive: machine.archive(), scheduler: clock.scheduler)
        let journals = [machine, restored].map { self.journal(of: $0) }
        machine.activate()
        restored.activate()
        clock.advance(by: .seconds(599))
        #expect(machine.isIn(PaidState.self) && restored.isIn(PaidState.self))
        clock.advance(by: .seconds(1))
        #expect(journals.map(\.entries) == [["close 600.0"], ["close 600.0"]])

        let late = StateMachine<Bill>(resumingIn: PaidState(), since: at(-9_000), scheduler: clock.scheduler)
        let lateJournal = self.journal(of: late)
        late.activate()
        #expect(lateJournal.entries == ["close -5400.0"])
    }

    @Test("No deadline is armed after the state was left or the machine was released")
    func disarmed() throws {
        let machine = try sent(by: 10)
        #expect(clock.scheduler.count == 1)
        try machine.fire.pay(PaidState())
        #expect(clock.scheduler.count == 1)
        #expect(clock.scheduler.nextDeadline == at(3_600))
        do {
            let gone = try sent(by: 5)
            #expect(clock.scheduler.count == 2)
            _ = consume gone
        }
        #expect(clock.scheduler.count == 1)
        clock.advance(by: .seconds(10_000))
        #expect(machine.isIn(ClosedState.self))
    }

    @Test("An update moves a deadline computed from data, and keeps one computed from the entry")
    func updated() throws {
        let machine = try sent(by: 10)
        clock.advance(by: .seconds(5))
        try machine.fire.change { SentState($0.number, by: at(100)) }
        clock.advance(by: .seconds(50))
        #expect(machine.isIn(SentState.self))
        try machine.fire.change { SentState($0.number, by: nil) }
        #expect(clock.scheduler.count == 0)
        try machine.fire.change { SentState($0.number, by: at(60)) }
        clock.advance(by: .seconds(5))
        #expect(machine.isIn(LapsedState.self))
    }

    @Test("Deadlines that passed while no process ran fire at activation in order, and the rest is armed")
    func restored() throws {
        let archive = try sent(by: 10).archive()
        let text = try #require(String(data: archive, encoding: .utf8))
        #expect(!text.contains("entered"))
        clock.advance(by: .seconds(30))
        let machine = try StateMachine<Bill>(archive: archive, scheduler: clock.scheduler)
        let journal = journal(of: machine)
        #expect(clock.scheduler.count == 0)
        machine.activate()
        #expect(journal.entries == ["lapse 10.0"])
        // The machine counts from its activation.
        #expect(clock.scheduler.nextDeadline == at(90))
    }

    @Test("An archive keeps the date of entry if a deadline depends on it")
    func entered() throws {
        let machine = try sent(by: nil)
        clock.advance(by: .seconds(100))
        try machine.fire.pay(PaidState())
        clock.advance(by: .seconds(500))
        let archive = try machine.archive()
        #expect(String(decoding: archive, as: UTF8.self).contains(#""entered":"2001-01-01T00:01:40Z""#))
        clock.advance(by: .seconds(1_000))
        let restored = try StateMachine<Bill>(archive: archive, scheduler: clock.scheduler)
        #expect(try restored.archive() == archive)
        restored.activate()
        #expect(try restored.archive() == archive)
        clock.advance(by: .seconds(2_099))
        #expect(restored.isIn(PaidState.self))
        clock.advance(by: .seconds(1))
        #expect(restored.isIn(ClosedState.self))
        let late = try StateMachine<Bill>(archive: archive, scheduler: clock.scheduler)
        late.activate()
        #expect(late.isIn(ClosedState.self))
        let broken = String(decoding: archive, as: UTF8.self).replacing("2001-01-01T00:01:40Z", with: "yesterday")
        #expect(throws: ArchiveError.self) { try StateMachine<Bill>(archive: Data(broken.utf8)) }
    }

    @Test("A passed deadline fires at once, in the turn that enters the state")
    func past() throws {
        let machine = StateMachine<Bill>(scheduler: clock.scheduler)
        let journal = journal(of: machine)
        try machine.fire.send(SentState(1, by: at(-5)))
        #expect(machine.isIn(LapsedState.self))
        #expect(journal.entries == ["send", "lapse -5.0"])
        #expect(machine.revision == 2)
    }

    @Test("A declined deadline is not retried, and observers are told")
    func declined() throws {
        let machine = try sent(13, by: 10)
        let rejected = CallLog()
        machine.observe { if let error = $0.error as? InvalidTransition { rejected.write(error.reason.rawValue) } }
        clock.advance(by: .seconds(1_000))
        #expect(machine.isIn(LapsedState.self))
        #expect(rejected.entries == ["declined"])
        #expect(clock.scheduler.count == 0)
    }

    @Test("Several machines fire in the order of their deadlines")
    func order() throws {
        let journal = CallLog()
        let machines = try (0..<500).map { number in
            let machine = try sent(number, by: Double((number * 7_919) % 500 + 1))
            machine.onTransition { transition in
                guard let due = transition.due, transition.event == "lapse" else { return }
                journal.write("\(Int(due.timeIntervalSinceReferenceDate))")
            }
            return machine
        }
        clock.advance(by: .seconds(1_000))
        #expect(journal.entries == (1...500).map { "\($0)" })
        #expect(machines.allSatisfy { $0.isIn(ClosedState.self) || $0.isIn(LapsedState.self) })
    }

    @Test("A copy arms its own deadlines when it is activated, and the original keeps its own")
    func copies() throws {
        let machine = try sent(by: 10)
        let copy = machine.copy()
        #expect(copy.isActive && clock.scheduler.count == 1)
        copy.activate()
        #expect(clock.scheduler.count == 2)
        try machine.fire.pay(PaidState())
        clock.advance(by: .seconds(20))
        #expect(copy.isIn(LapsedState.self))
        #expect(machine.isIn(PaidState.self))
    }

    @Test("After the date is set back, deadlines wait longer, and each fires once")
    func clockSet() throws {
        let machine = try sent(by: 100)
        clock.advance(by: .seconds(50))
        clock.setDate(to: at(0))
        clock.advance(by: .seconds(99))
        #expect(machine.isIn(SentState.self))
        clock.setDate(to: at(1_000))
        #expect(machine.isIn(LapsedState.self))
        clock.setDate(to: at(0))
        clock.advance(by: .seconds(100))
        #expect(machine.isIn(LapsedState.self))
        #expect(machine.revision == 2)
    }

    private struct Spin: Workflow {
        static var initial: any WorkflowState { QuietState() }
        let start = Event(from: QuietState.self, to: OneState.self)
        let over = Event(from: OneState.self, to: TwoState.self).due { _ in .distantPast }
        let back = Event(from: TwoState.self, to: OneState.self).due { _ in .distantPast }
        final class QuietState: WorkflowState, EmptyState {}
        final class OneState: WorkflowState, EmptyState {}
        final class TwoState: WorkflowState, EmptyState {}
    }

    @Test("Deadlines that have always passed are rejected as an endless chain")
    func endless() throws {
        let machine = StateMachine<Spin>(scheduler: clock.scheduler)
        let rejected = CallLog()
        machine.observe { if let error = $0.error as? InvalidTransition { rejected.write(error.reason.rawValue) } }
        try machine.fire.start()
        #expect(rejected.entries == ["endlessChain"])
        #expect(machine.revision == StateMachine<Spin>.chainLimit + 1)
        #expect(clock.scheduler.count == 0)
    }

    struct Steps: Workflow {
        static var initial: any WorkflowState { OneState() }
        let second = Event(from: OneState.self, to: TwoState.self).due(after: .seconds(10))
        let third = Event(from: TwoState.self, to: ThreeState.self).due(after: .seconds(10))
        final class OneState: WorkflowState, EmptyState {}
        final class TwoState: WorkflowState, EmptyState {}
        final class ThreeState: WorkflowState, EmptyState {}
    }

    @Test(
        "A clock stops exactly at each deadline, so chains of deadlines do not drift",
        arguments: [Date(timeIntervalSinceReferenceDate: 0), Date(), .distantPast, Date(timeIntervalSince1970: 0.1)]
    )
    func steps(start: Date) throws {
        let clock = ManualClock(at: start)
        let machine = StateMachine<Steps>(scheduler: clock.scheduler)
        machine.activate()
        clock.advance(by: .seconds(20))
        #expect(machine.isIn(Steps.ThreeState.self))
        #expect(clock.date == start + 20)
        #expect(clock.now.offset == .seconds(20))
    }

    private struct Never: Workflow {
        static var initial: any WorkflowState { OnlyState() }
        let end = Event(from: OnlyState.self, to: EndState.self).due { _ in
            Date(timeIntervalSinceReferenceDate: .infinity)
        }
        let other = Event(from: OnlyState.self, to: EndState.self).due { _ in
            Date(timeIntervalSinceReferenceDate: .nan)
        }
        final class OnlyState: WorkflowState, EmptyState {}
        final class EndState: WorkflowState, EmptyState {}
    }

    @Test("A date beyond all dates and an invalid date never come")
    func never() {
        let machine = StateMachine<Never>(scheduler: clock.scheduler)
        machine.activate()
        #expect(machine.nextDeadline == nil && clock.scheduler.count == 0)
        clock.advance(by: .seconds(1e9))
        #expect(machine.isIn(Never.OnlyState.self))
    }

    @Test("Deadlines that passed while the machine was busy fire in order")
    func busyInOrder() async throws {
        let machine = StateMachine<TwoDue>(scheduler: clock.scheduler)
        machine.activate()
        whileCallbackRuns(of: machine) { clock.advance(by: .seconds(30)) }
        _ = try await machine.wait(for: TwoDue.FirstState.self)
        #expect(machine.revision == 1)
    }

    private struct TwoDue: Workflow {
        static var initial: any WorkflowState { BothState() }
        let late = Event(from: BothState.self, to: SecondState.self).due(after: .seconds(20))
        let early = Event(from: BothState.self, to: FirstState.self).due(after: .seconds(10))
        final class BothState: WorkflowState, EmptyState {}
        final class FirstState: WorkflowState, EmptyState {}
        final class SecondState: WorkflowState, EmptyState {}
    }

    private struct Once: Workflow {
        static var initial: any WorkflowState { WaitingState() }
        let end = Event(from: WaitingState.self, to: DoneState.self).due(after: .milliseconds(30))
        let slow = Event(from: WaitingState.self, to: DoneState.self).due { _ in .distantFuture }
        final class WaitingState: WorkflowState, EmptyState {}
        final class DoneState: WorkflowState, EmptyState {}
    }

    @Test("The system's scheduler uses real time, and releases machines")
    func system() async throws {
        let machine = StateMachine<Once>()
        machine.activate()
        let done = try await machine.wait(for: Once.DoneState.self)
        #expect(machine.state === done)
        weak var gone: StateMachine<Once>?
        do {
            let other = StateMachine<Once>()
            other.activate()
            gone = other
        }
        #expect(gone == nil)
    }

    @Test("A machine with callbacks on another thread delays no other machine, and gets its event afterwards")
    func busy() async throws {
        let (busy, free) = (try sent(1, by: 10), try sent(2, by: 20))
        whileCallbackRuns(of: busy) {
            clock.advance(by: .seconds(30))
            #expect(free.isIn(LapsedState.self))
            #expect(busy.isIn(SentState.self))
        }
        _ = try await busy.wait(for: LapsedState.self)
    }

    /// Calls a body while another thread is in a callback of a machine.
    private func whileCallbackRuns(of machine: StateMachine<some Workflow>, _ body: () -> Void) {
        let (begun, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let thread = onThread {
            try? machine.perform { _ in
                begun.signal()
                #expect(goOn.comes())
            }
        }
        #expect(begun.comes())
        body()
        goOn.signal()
        #expect(thread.comes())
    }

    @Test(
        "A date set back during the callbacks of a machine delays the deadlines due before",
        .timeLimit(.minutes(20))
    )
    func setBackWhileBusy() async throws {
        let busy = try sent(1, by: 10)
        whileCallbackRuns(of: busy) {
            clock.setDate(to: at(30))
            clock.setDate(to: at(5))
            #expect(clock.scheduler.count == 0)
        }
        // The deadline waits again after the task has looked at the date.
        while clock.scheduler.count == 0, busy.isIn(SentState.self) { await Task.yield() }
        #expect(busy.isIn(SentState.self) && clock.scheduler.count == 1)
        clock.setDate(to: at(9))
        #expect(busy.isIn(SentState.self))
        clock.setDate(to: at(10))
        #expect(busy.isIn(LapsedState.self))
    }
}

extension DeadlineTests {
    private struct Egg: Workflow {
        static var initial: any WorkflowState { RawState() }
        let boil = Event(from: RawState.self, DoneState.self, to: BoilingState.self)
        let takeOut = Event(from: BoilingState.self, to: RawState.self)
        let finish = Event(from: BoilingState.self, to: DoneState.self).due(\.until)
        final class RawState: WorkflowState, EmptyState {}
        final class BoilingState: WorkflowState {
            let until: Date
            init(until: Date) { self.until = until }
        }
        final class DoneState: WorkflowState, EmptyState {}
    }

    @Test("Of many deadlines the remaining ones fire in the order of their times, and of arming at equal times")
    func many() throws {
        // A fixed sequence of random times and eggs.
        var random: UInt64 = 1
        func next(below limit: Int) -> Int {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((random >> 33) % UInt64(limit))
        }
        // Mostly equal distances, with a few much longer or shorter ones.
        func seconds() -> Int {
            switch next(below: 10) {
            case 0: 1 + next(below: 20)
            case 1: 10_000
            case 2...4: 1 + next(below: 200)
            default: 60
            }
        }
        let finished = Lock<[Int]>([])
        let eggs = (0..<400).map { number in
            let egg = StateMachine<Egg>(scheduler: clock.scheduler)
            egg.onTransition { transition in
                if transition.event == "finish" { finished.withLock { $0.append(number) } }
            }
            return egg
        }
        var waiting: [Int: (due: Date, armed: Int)] = [:]
        func expectToFinish(by date: Date) {
            let expected = waiting.filter { $0.value.due <= date }
                .sorted { ($0.value.due, $0.value.armed) < ($1.value.due, $1.value.armed) }.map(\.key)
            clock.setDate(to: date)
            var numbers: [Int] = []
            finished.withLock { swap(&$0, &numbers) }
            #expect(numbers == expected)
            for number in expected { waiting[number] = nil }
        }
        // Enough rounds for a heap with some hundred deadlines, and for dropping those of removed elements.
        for round in 0..<3_000 {
            let number = next(below: eggs.count)
            if eggs[number].can.takeOut {
                try eggs[number].fire.takeOut()
                waiting[number] = nil
            } else {
                let due = clock.date.addingTimeInterval(Double(seconds()))
                try eggs[number].fire.boil(Egg.BoilingState(until: due))
                waiting[number] = (due, round)
            }
            if next(below: 200) == 0 { expectToFinish(by: clock.date.addingTimeInterval(Double(next(below: 10)))) }
            #expect(clock.scheduler.count == waiting.count)
            #expect(clock.scheduler.nextDeadline == waiting.values.map(\.due).min())
        }
        #expect(waiting.count > 50)
        expectToFinish(by: clock.date.addingTimeInterval(20_000))
        #expect(clock.scheduler.count == 0)
        // A deadline leaves its machine unretained, and the optimizer releases unused values.
        withExtendedLifetime(eggs) {}
    }
}
