import Foundation
import Heraclitus
import HeraclitusTesting
import Synchronization
import Testing

@testable import Fixtures

@Suite("The clock that tests move", .timeLimit(.minutes(20))) struct ManualClockTests {
    final class WaitingState: EmptyState {}
    final class DoneState: EmptyState {}
    struct Wait: Workflow {
        static var initial: any WorkflowState { WaitingState() }
        let end = Event(from: WaitingState.self, to: DoneState.self).due(after: .seconds(5))
    }

    @Test("A callback's advance counts, and instant and date stay together")
    func within() {
        let clock = ManualClock()
        let start = clock.date
        let machine = StateMachine<Wait>(scheduler: clock.scheduler)
        machine.onTransition { _ in clock.advance(by: .seconds(100)) }
        machine.activate()
        clock.advance(by: .seconds(10))
        #expect(clock.now.offset == .seconds(105) && clock.date == start + 105)
        clock.advance(by: .zero)
        #expect(clock.now.offset == .seconds(105) && clock.date == start + 105)
    }

    final class DatedState: WorkflowState {
        let date: Date
        init(_ date: Date) { self.date = date }
    }
    struct Dated: Workflow {
        static var initial: any WorkflowState { WaitingState() }
        let wait = Event(from: WaitingState.self, to: DatedState.self)
        let end = Event(from: DatedState.self, to: DoneState.self).due(\.date)
    }

    @Test("A deadline fires at the small step that reaches it, and not earlier", arguments: [0, 1.0 / 3])
    func smallSteps(_ start: Double) throws {
        for before in 0..<30 {
            let clock = ManualClock(at: Date(timeIntervalSinceReferenceDate: start))
            for _ in 0..<before { clock.advance(by: .milliseconds(100)) }
            let machines = try (1..<40).map { steps in
                let machine = StateMachine<Dated>(scheduler: clock.scheduler)
                try machine.fire.wait(DatedState(clock.date.addingTimeInterval(Double(steps) / 10)))
                return machine
            }
            for steps in 1..<40 {
                clock.advance(by: .milliseconds(100))
                let done = machines.filter { $0.isIn(DoneState.self) }.count
                #expect(done == steps, "from \(start), after \(before) and \(steps) steps")
            }
        }
    }

    @Test("Small steps continue from a date that was set")
    func smallStepsFromASetDate() {
        let clock = ManualClock()
        for _ in 0..<7 { clock.advance(by: .milliseconds(100)) }
        clock.setDate(to: Date(timeIntervalSinceReferenceDate: 1_000))
        for _ in 0..<8 { clock.advance(by: .milliseconds(100)) }
        #expect(clock.date == Date(timeIntervalSinceReferenceDate: 1_000.8))
        #expect(clock.now.offset == .milliseconds(1_500))
    }

    @Test("A sleep ends with its task, whether the task is cancelled before the sleep, at its beginning or later")
    func cancelledSleeps() async {
        let clock = ManualClock()
        let end = clock.now.advanced(by: .seconds(1))
        for number in 0..<2_000 {
            let sleeper = Task { try await clock.sleep(until: end) }
            for _ in 0..<(number % 4) { await Task.yield() }
            sleeper.cancel()
            await #expect(throws: CancellationError.self) { try await sleeper.value }
        }
        // No sleeper is left.
        await clock.advance(by: .seconds(2))
        await #expect(throws: Never.self) { try await clock.sleep(until: end) }
    }

    @Test("Any number of threads move the clock forward only")
    func threads() {
        for _ in 0..<20 {
            let clock = ManualClock()
            let isDone = Atomic(false)
            let wentBack = Atomic(false)
            let reader = onThread {
                var last = clock.now
                while !isDone.load(ordering: .relaxed) {
                    let now = clock.now
                    if now < last { wentBack.store(true, ordering: .relaxed) }
                    last = now
                }
            }
            onThreads(2) { number in for _ in 0..<100 { clock.advance(by: .seconds(number == 0 ? 1 : 50)) } }
            isDone.store(true, ordering: .relaxed)
            #expect(reader.comes() && !wentBack.load(ordering: .relaxed))
            #expect(clock.now.offset >= .seconds(5_000))
        }
    }
}
