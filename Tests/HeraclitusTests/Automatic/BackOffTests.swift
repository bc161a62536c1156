import Foundation
import Heraclitus
import Testing

@Suite("Back-off") struct BackOffTests {
    private func delays(_ backOff: BackOff, _ failures: ClosedRange<Int>) -> [Double] {
        failures.map { backOff.delay(after: $0) / .seconds(1) }
    }

    @Test("Each failure multiplies the delay, up to the limit")
    func growing() {
        let backOff = BackOff(first: .seconds(1), factor: 3, limit: .seconds(20), jitter: 0)
        #expect(delays(backOff, 1...5) == [1, 3, 9, 20, 20])
        #expect(backOff.delay(after: .max) == .seconds(20))
        let failure = Date(timeIntervalSinceReferenceDate: 7)
        #expect(backOff.date(after: 2, since: failure) == failure.addingTimeInterval(3))
    }

    @Test("A factor of one or less keeps or shortens the delay")
    func shrinking() {
        #expect(delays(BackOff(first: .seconds(4), factor: 0.5, jitter: 0), 1...3) == [4, 2, 1])
        #expect(delays(BackOff(first: .seconds(4), factor: 1, jitter: 0), 1...3) == [4, 4, 4])
    }

    @Test("Every delay is between zero and the limit")
    func bounds() {
        #expect(delays(BackOff(first: .seconds(-1), jitter: 0), 0...2) == [0, 0, 0])
        #expect(delays(BackOff(first: .seconds(10), limit: .seconds(4), jitter: 0), 1...2) == [4, 4])
    }

    @Test("Jitter shortens a delay by at most its share, by different amounts")
    func jitter() {
        let backOff = BackOff(first: .seconds(8), jitter: 0.25)
        let drawn = (1...200).map { _ in backOff.delay(after: 1) / .seconds(1) }
        #expect(drawn.allSatisfy { (6...8).contains($0) })
        #expect(Set(drawn).count > 100)
        #expect((6.0...6.5).contains(drawn.min() ?? 0) && (7.5...8).contains(drawn.max() ?? 0))
    }

    @Test("A small factor reaches the limit, too")
    func slow() {
        let backOff = BackOff(first: .seconds(1), factor: 1.001, limit: .seconds(600), jitter: 0)
        #expect(backOff.delay(after: 10_000) == .seconds(600))
    }
}
