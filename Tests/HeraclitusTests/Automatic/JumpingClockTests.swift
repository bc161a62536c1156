import Foundation
import Heraclitus
import Testing

@testable import Fixtures

/// A clock whose sleepers a test wakes.
private final class NapClock: Clock, Sendable {
    struct Nap: Sendable {
        let duration: Duration
        let end: CheckedContinuation<Void, Never>
    }

    let now = ContinuousClock().now
    let minimumResolution = Duration.nanoseconds(1)
    private let naps: AsyncStream<Nap>
    private let begun: AsyncStream<Nap>.Continuation

    init() { (naps, begun) = AsyncStream.makeStream() }

    /// Waits for a sleeper.
    func nextNap() async throws -> Nap {
        for await nap in naps { return nap }
        throw CancellationError()
    }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        await withCheckedContinuation { _ = begun.yield(Nap(duration: now.duration(to: deadline), end: $0)) }
    }
}

/// A date that a test sets.
private final class SetDate: Sendable {
    private let seconds = Lock(0.0)

    var date: Date { Date(timeIntervalSinceReferenceDate: seconds.withLock { $0 }) }

    func move(by seconds: Double) { self.seconds.withLock { $0 += seconds } }
}

private struct Reservation: Workflow {
    static var initial: any WorkflowState { HeldState(until: 0) }
    let lapse = Event(from: HeldState.self, to: LapsedState.self).due(\.until)

    final class HeldState: WorkflowState {
        let until: Date
        init(until seconds: Double) { until = Date(timeIntervalSinceReferenceDate: seconds) }
    }
    final class LapsedState: EmptyState {}
}

@Suite("Clocks that jump", .timeLimit(.minutes(20))) struct JumpingClockTests {
    private let clock = NapClock()
    private let time = SetDate()
    private let scheduler: Scheduler
    private let lapsed = CallLog()

    init() {
        let time = time
        scheduler = Scheduler(clock) { time.date }
    }

    private func held(until seconds: Double) -> StateMachine<Reservation> {
        let machine = StateMachine<Reservation>(resumingIn: Reservation.HeldState(until: seconds), scheduler: scheduler)
        machine.onTransition { [lapsed] in lapsed.write("\($0.due?.timeIntervalSinceReferenceDate ?? -1)") }
        machine.activate()
        return machine
    }

    /// Waits until machines have lapsed, and their observers were told.
    private func lapse(_ machines: StateMachine<Reservation>...) async throws {
        for machine in machines {
            _ = try await machine.wait(for: Reservation.LapsedState.self)
            await machine.settled()
        }
    }

    @Test("Deadlines that passed while a computer slept fire in order after the longest nap")
    func suspended() async throws {
        let middle = held(until: 1_000)
        let replaced = try await clock.nextNap()
        let early = held(until: 500)
        let nap = try await clock.nextNap()
        let late = held(until: 2_000)
        // Both naps end before the deadline.
        #expect([replaced.duration, nap.duration] == Array(repeating: .seconds(Scheduler.longestNap), count: 2))
        replaced.end.resume()
        time.move(by: 1_500)
        nap.end.resume()
        try await lapse(early, middle)
        #expect(lapsed.entries == ["500.0", "1000.0"] && late.isIn(Reservation.HeldState.self))
        let last = try await clock.nextNap()
        time.move(by: 1_500)
        last.end.resume()
        try await lapse(late)
        #expect(lapsed.entries.count == 3 && scheduler.count == 0)
    }

    @Test("After the date is set back, a deadline waits longer and fires once")
    func back() async throws {
        let machine = held(until: 10)
        let first = try await clock.nextNap()
        #expect(first.duration == .seconds(10))
        time.move(by: -100)
        first.end.resume()
        let second = try await clock.nextNap()
        #expect(second.duration == .seconds(Scheduler.longestNap))
        #expect(machine.isIn(Reservation.HeldState.self))
        time.move(by: 200)
        second.end.resume()
        try await lapse(machine)
        time.move(by: -200)
        #expect(lapsed.entries == ["10.0"] && scheduler.count == 0)
    }
}
