import Foundation
import Heraclitus
import HeraclitusTesting
import Testing

@testable import Fixtures

@Suite("Dates in archives of exercised states") struct DateLossTests {
    struct Unreachable: Error {}

    final class ConnectingState: WorkflowState, Working {
        let failures: Int
        init(failures: Int = 0) { self.failures = failures }
        func work(_ call: WorkCall<Connection>) async throws { throw Unreachable() }
    }
    final class BackoffState: WorkflowState {
        let failures: Int
        let until: Date
        init(failures: Int, until: Date) { (self.failures, self.until) = (failures, until) }
    }
    struct Connection: Workflow {
        static var initial: any WorkflowState { ConnectingState() }
        static let backOff = BackOff(first: .seconds(1))

        let fail = Event(from: ConnectingState.self, to: BackoffState.self).whenFailed().enters { connecting, call in
            let failures = connecting.failures + 1
            return BackoffState(failures: failures, until: backOff.date(after: failures, since: call.now))
        }
        let retry = Event(from: BackoffState.self, to: ConnectingState.self).due(\.until)
            .enters { backoff in ConnectingState(failures: backoff.failures) }
    }

    @Test("A state keeps the date of a back-off with jitter")
    func jitter() throws {
        for _ in 0..<10 {
            #expect(try exercise(Connection.self).untried.isEmpty)
        }
    }

    struct Period: Codable, Equatable, CustomStringConvertible {
        var start: Date
        var forgotten: Date
        var isForgetful = false
        var description: String { "a period" }

        init(_ start: Double, forgetting forgotten: Double? = nil) {
            self.start = Date(timeIntervalSinceReferenceDate: start)
            self.forgotten = Date(timeIntervalSinceReferenceDate: forgotten ?? start)
            isForgetful = forgotten != nil
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            start = try container.decode(Date.self, forKey: .start)
            isForgetful = try container.decode(Bool.self, forKey: .isForgetful)
            forgotten = isForgetful ? start : try container.decode(Date.self, forKey: .forgotten)
        }
    }
    final class DatedState: WorkflowState {
        let period: Period
        let last: Date?
        let dates: [String: Date]
        init(_ period: Period, last: Double? = nil) {
            self.period = period
            self.last = last.map(Date.init(timeIntervalSinceReferenceDate:))
            dates = ["a": period.start, "b": period.forgotten]
        }
    }

    @Test("Dates that differ only below a nanosecond are kept, also in other values")
    func rounded() throws {
        let date = 0.1 + 0.2 + 1e-12
        try expectArchives(DatedState(Period(date), last: date))
        try expectArchives(DatedState(Period(-date), last: 800_000_000 + date))
    }

    @Test("A lost date is told with its decimals, also within a value that prints alike")
    func lost() {
        let error = #expect(throws: LostInArchive.self) {
            try expectArchives(DatedState(Period(0.25, forgetting: 0.000_001)))
        }
        #expect(
            error?.properties == [
                "period.forgotten was 2001-01-01T00:00:00.000001Z and is 2001-01-01T00:00:00.25Z"
            ]
        )
    }

    /// A value that never equals another.
    struct Unlike: Codable, Equatable { static func == (left: Unlike, right: Unlike) -> Bool { false } }
    final class UnlikeState: WorkflowState {
        let value: Unlike
        init(_ value: Unlike) { self.value = value }
    }

    @Test("Values that print alike are told apart in words")
    func alike() {
        let error = #expect(throws: LostInArchive.self) { try expectArchives(UnlikeState(Unlike())) }
        #expect(error?.properties == ["value was Unlike() and is another value with this text"])
    }

    final class PlanState: WorkflowState {
        let dates: Set<Date>
        let counts: [Date: Int]
        let isForgetful: Bool

        init(_ dates: [Date], isForgetful: Bool = false) {
            (self.dates, self.isForgetful) = (Set(dates), isForgetful)
            counts = Dictionary(dates.map { ($0, 1) }) { first, _ in first }
        }

        enum CodingKeys: CodingKey { case dates, counts, isForgetful }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let dates = try container.decode(Set<Date>.self, forKey: .dates)
            isForgetful = try container.decode(Bool.self, forKey: .isForgetful)
            self.dates = isForgetful ? Set(dates.map { $0 == dates.min() ? $0 + 1 : $0 }) : dates
            counts = try container.decode([Date: Int].self, forKey: .counts)
        }
    }

    @Test("Dates in sets and as keys are kept to the nanosecond, and a changed one is found")
    func setsAndKeys() throws {
        let dates = (1...20).map { Date(timeIntervalSinceReferenceDate: Double($0) / 3) }
        #expect(throws: Never.self) { try expectArchives(PlanState(dates)) }
        let lost = #expect(throws: LostInArchive.self) { try expectArchives(PlanState(dates, isForgetful: true)) }
        #expect(lost?.description.contains("counts") == false)
    }
}
