import Foundation
import Heraclitus
import HeraclitusTesting
import Testing

@testable import Fixtures

@Suite("Many observers with one date") struct ManyObserversTests {
    @Test("All observers of a transition and the journal get one date from any clock")
    func oneDate() throws {
        let seconds = Lock(0.0)
        let scheduler = Scheduler(ContinuousClock()) {
            Date(
                timeIntervalSinceReferenceDate: seconds.withLock {
                    $0 += 1
                    return $0
                }
            )
        }
        let door = StateMachine<Door>(journal: 10, scheduler: scheduler)
        let dates = Lock<[Date]>([])
        for _ in 0..<3 { door.observe { occurrence in dates.withLock { $0.append(occurrence.date) } } }
        try door.fire.open(OpenState())
        let first = Set(dates.withLock { $0 })
        #expect(first.count == 1 && dates.withLock { $0.count } == 3)
        #expect(door.journal.last?.date == first.first)
        try door.fire.close()
        // The next transition has its own date.
        #expect(Set(dates.withLock { $0 }).count == 2)
    }

    /// The processor time for adding and cancelling some observers.
    private func time(_ count: Int) -> Duration {
        let door = StateMachine<Door>()
        return ContinuousClock().measure {
            let registrations = (0..<count).map { _ in door.observe { _ in } }
            for registration in registrations { registration.cancel() }
        }
    }

    @Test("Adding and cancelling observers takes linear time")
    func linear() {
        let ratios = (0..<5).map { _ in time(20_000) / time(2_500) }
        // 8 if linear, and 64 if quadratic.
        #expect(ratios.min() ?? 64 < 24)
    }
}
