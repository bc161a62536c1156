public import Heraclitus
import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A clock that stands still until a test moves it, and a scheduler that goes by it: so no test sleeps.
///
/// ```swift
/// let clock = ManualClock()
/// let machine = StateMachine<Order>(scheduler: clock.scheduler)
/// try machine.fire.place(UnpaidState(…))
/// clock.advance(by: .seconds(86_400))
/// #expect(machine.isIn(LapsedState.self))
/// ```
///
/// What is due is carried out on the thread that moves the clock, in the order of time, before ``advance(by:)`` returns. Each
/// event sees the time at which it was due as the current one.
public final class ManualClock: Clock, Sendable {
    /// A point in the clock's time.
    public struct Instant: InstantProtocol, Hashable {
        /// How long after the clock was made.
        public let offset: Duration

        /// A later instant, or an earlier one.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

        /// How long it takes from this to another one.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        /// Whether an instant comes before another one.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let number: Int
        let end: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Contents {
        var now = Instant(offset: .zero)

        /// What somebody has set the date forward or back by.
        var shift = Duration.zero
        var sleepers: [Sleeper] = []
        var cancelled: Set<Int> = []
        var lastNumber = 0
    }

    private final class Storage: Sendable {
        let contents = Mutex(Contents())
        let start: Date

        init(start: Date) { self.start = start }

        var date: Date {
            let passed = contents.withLock { $0.now.offset + $0.shift }
            return start.addingTimeInterval(passed / .seconds(1))
        }
    }

    private let storage: Storage

    /// Carries out what is due when the clock is moved.
    public let scheduler: Scheduler

    /// Makes a clock that stands still.
    /// - Parameter start: The date that it shows; the beginning of 2001 unless said otherwise.
    public init(at start: Date = Date(timeIntervalSinceReferenceDate: 0)) {
        let storage = Storage(start: start)
        self.storage = storage
        scheduler = Scheduler(drivenByHand: { storage.date })
    }

    /// The instant that it shows.
    public var now: Instant { storage.contents.withLock { $0.now } }

    /// The date that it shows.
    public var date: Date { storage.date }

    /// The smallest difference between instants: none that matters.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Moves the clock, stopping at everything that is due on the way.
    /// - Parameter duration: By how much; not less than nothing.
    public func advance(by duration: Duration) {
        precondition(duration >= .zero, "Time does not go back; a date can be set back.")
        let end = now.advanced(by: duration)
        while true {
            scheduler.carryOutDue()
            let deadline = scheduler.nextDeadline
            let woken: [Sleeper]
            let isAtEnd: Bool
            (woken, isAtEnd) = storage.contents.withLock { contents in
                let next = deadline.map { instant(of: $0, contents) }
                let stop = ([end] + [next].compactMap(\.self) + contents.sleepers.map(\.end)).min() ?? end
                contents.now = max(contents.now, min(stop, end))
                let now = contents.now
                let woken = contents.sleepers.filter { $0.end <= now }
                contents.sleepers.removeAll { $0.end <= now }
                return (woken, contents.now >= end)
            }
            for sleeper in woken { sleeper.continuation.resume() }
            if isAtEnd { break }
        }
        scheduler.carryOutDue()
    }

    /// Sets the date, as a user or a time server does; the clock itself goes on as before.
    /// - Parameter date: The date that it shows from now on. What is due by then is carried out.
    public func setDate(to date: Date) {
        let seconds = date.timeIntervalSince(storage.date)
        storage.contents.withLock { $0.shift += .seconds(seconds) }
        scheduler.carryOutDue()
    }

    private func instant(of date: Date, _ contents: borrowing Contents) -> Instant {
        // Not before the date by a rounding of its binary digits.
        Instant(offset: .seconds(date.timeIntervalSince(storage.start)) - contents.shift + .microseconds(1))
    }

    /// Sleeps until the clock was moved to an instant.
    /// - Parameters:
    ///   - deadline: The instant.
    ///   - tolerance: Without effect.
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let number = storage.contents.withLock { contents in
            contents.lastNumber += 1
            return contents.lastNumber
        }
        defer { storage.contents.withLock { _ = $0.cancelled.remove(number) } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result: Result<Void, any Error>? = storage.contents.withLock { contents in
                    if contents.cancelled.remove(number) != nil { return .failure(CancellationError()) }
                    if deadline <= contents.now { return .success(()) }
                    contents.sleepers.append(Sleeper(number: number, end: deadline, continuation: continuation))
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let sleeper = storage.contents.withLock { contents in
                guard let index = contents.sleepers.firstIndex(where: { $0.number == number }) else {
                    contents.cancelled.insert(number)
                    return Sleeper?.none
                }
                return contents.sleepers.remove(at: index)
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }
}
