import Foundation
import Heraclitus
import HeraclitusTesting
import Synchronization
import Testing

@Suite("The clock that tests move", .timeLimit(.minutes(20))) struct ManualClockTests {
    final class WaitingState: EmptyState {}
    final class DoneState: EmptyState {}
    struct Wait: Workflow {
        static var initial: any WorkflowState { WaitingState() }
        let end = Event(from: WaitingState.self, to: DoneState.self).due(after: .seconds(5))
    }

    @Test("What a callback moves it by counts, and its two measures stay together")
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

    @Test("However many threads move it, it never goes back")
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
