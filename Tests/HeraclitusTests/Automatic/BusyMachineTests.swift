import Foundation
import Heraclitus
import HeraclitusTesting
import Testing

@testable import Fixtures

/// Deadlines and waits during a turn of another thread.
@Suite("Busy machines with due events", .timeLimit(.minutes(20))) struct BusyMachineTests {
    private struct Egg: Workflow {
        static var initial: any WorkflowState { RawState() }
        let boil = Event(from: RawState.self, to: BoiledState.self).due(after: .seconds(10))
    }

    private struct Pan: Workflow {
        static var initial: HotState { HotState(egg: StateMachine()) }
        let shake = Event(updating: HotState.self)
    }

    private final class RawState: WorkflowState, EmptyState {}
    private final class BoiledState: WorkflowState, EmptyState {}

    private final class HotState: Composite {
        let egg: StateMachine<Egg>
        init(egg: StateMachine<Egg>) { self.egg = egg }
        var regions: [any Region] { [egg] }
        func copied() -> HotState { HotState(egg: egg.copy()) }
    }

    private let clock = ManualClock()

    /// A thread that holds the turn of a machine until it is told to go on.
    private func busyThread<W: Workflow>(
        _ machine: StateMachine<W>,
        then end: @escaping @Sendable () -> Void = {}
    ) -> (goOn: DispatchSemaphore, thread: Thread) {
        let (begun, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let thread = Thread {
            try? machine.perform { _ in
                begun.signal()
                #expect(goOn.comes())
                end()
            }
        }
        thread.start()
        #expect(begun.comes())
        return (goOn, thread)
    }

    @Test("A due event fires after the turn")
    func afterTurn() async throws {
        let egg = StateMachine<Egg>(scheduler: clock.scheduler)
        egg.activate()
        let (goOn, _) = busyThread(egg)
        await clock.advance(by: .seconds(10))
        #expect(egg.isIn(RawState.self))
        goOn.signal()
        _ = try await egg.wait(for: BoiledState.self)
    }

    @Test("A due event of an inner machine fires after the turn of the outer one")
    func inner() async throws {
        let pan = StateMachine<Pan>(scheduler: clock.scheduler)
        pan.activate()
        let egg = pan.state.egg
        let (goOn, _) = busyThread(pan)
        await clock.advance(by: .seconds(10))
        #expect(egg.isIn(RawState.self))
        goOn.signal()
        _ = try await egg.wait(for: BoiledState.self)
    }

    @Test("Waiting until a machine is settled includes another thread's turn and the events due in it")
    func settled() async throws {
        let egg = StateMachine<Egg>(scheduler: clock.scheduler)
        egg.activate()
        let (goOn, _) = busyThread(egg)
        await clock.advance(by: .seconds(10))
        let isSettled = Lock(false)
        async let settled: Void = {
            await egg.settled()
            isSettled.withLock { $0 = true }
        }()
        try await Task.sleep(for: .milliseconds(20))
        #expect(!isSettled.withLock { $0 })
        goOn.signal()
        await settled
        #expect(egg.isIn(BoiledState.self))
    }

    @Test("A wait is cancelled at once, during any turn")
    func cancelled() async throws {
        let egg = StateMachine<Egg>(scheduler: clock.scheduler)
        egg.activate()
        let (goOn, _) = busyThread(egg)
        let waiting = Task { await egg.settled() }
        try await Task.sleep(for: .milliseconds(5))
        waiting.cancel()
        await waiting.value
        #expect(egg.isIn(RawState.self))
        goOn.signal()
    }

    @Test("Due events fire despite any number of threads with turns")
    func crowd() async throws {
        // The rounds run one after the other: all threads at once would leave no time for other work.
        for _ in 1...20 { try await crowdOnce() }
    }

    private func crowdOnce() async throws {
        let clock = ManualClock()
        let egg = StateMachine<Egg>(scheduler: clock.scheduler)
        egg.activate()
        let isOver = Lock(false)
        let threads = (0..<3).map { _ in
            onThread {
                while !isOver.withLock({ $0 }) { try? egg.perform { _ in Thread.sleep(forTimeInterval: 0.0001) } }
            }
        }
        await clock.advance(by: .seconds(10))
        _ = try await egg.wait(for: BoiledState.self)
        isOver.withLock { $0 = true }
        for thread in threads { #expect(thread.comes()) }
    }
}
