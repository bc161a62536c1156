import Foundation
import Heraclitus
import HeraclitusTesting
import Testing

@testable import Fixtures

extension UserInfo.Key<Int> { fileprivate static var cents: Self { Self("cents") } }

@Suite("Causes and facts in journals", .timeLimit(.minutes(5))) struct OccurrenceCauseTests {
    struct Spoilt: Error, CustomStringConvertible { let description = "the oven is cold" }

    final class OrderedState: WorkflowState, FactStating {
        let amount: Int
        init(amount: Int) { self.amount = amount }
        var facts: UserInfo { UserInfo((.cents, amount)) }
    }
    final class BakingState: WorkflowState, Working {
        let isCold: Bool
        init(isCold: Bool) { self.isCold = isCold }
        func work(_ call: WorkCall<Bakery>) async throws { if isCold { throw Spoilt() } }
    }
    final class BakedState: EmptyState {}
    final class BurntState: EmptyState {}
    final class SoldState: EmptyState {}

    struct Bakery: Workflow {
        static var initial: any WorkflowState { OrderedState(amount: 0) }
        static var journal: Int { 20 }
        let change = Event(updating: OrderedState.self)
        let bake = Event(from: OrderedState.self, to: BakingState.self)
        let give = Event(from: OrderedState.self, to: SoldState.self).when { $0.amount == 7 }
        let fail = Event(from: BakingState.self, to: BurntState.self).whenFailed()
        let done = Event(from: BakingState.self, to: BakedState.self).whenDone()
        let sell = Event(from: BakedState.self, to: SoldState.self).due(after: .seconds(60))
    }

    let clock = ManualClock()

    private func bakery() -> StateMachine<Bakery> { StateMachine<Bakery>(scheduler: clock.scheduler) }

    @Test(
        "The line of an automatic event has the cause: its due date, or completed or failed work"
    )
    func causes() async throws {
        let good = bakery()
        let heard = Lock<[Occurrence.Cause?]>([])
        good.observe { occurrence in heard.withLock { $0.append(occurrence.cause) } }
        try good.fire.bake(BakingState(isCold: false))
        await clock.advance(by: .seconds(60))
        let due = Date(timeIntervalSinceReferenceDate: 60)
        #expect(good.journal.map(\.cause) == [nil, .done, .due(due)])
        #expect(heard.withLock { $0 } == [nil, .done, .due(due)])
        let bad = bakery()
        try bad.fire.bake(BakingState(isCold: true))
        await clock.advance(by: .zero)
        #expect(bad.journal.map(\.cause) == [nil, .failure("the oven is cold")])
        let given = bakery()
        try given.fire.change(OrderedState(amount: 7))
        #expect(given.journal.map(\.cause) == [nil, .condition])
    }

    @Test("A line for a log has the cause of an automatic event, in one line of bounded length")
    func logged() async throws {
        let lines = Lock<[String]>([])
        let (good, bad) = (bakery(), bakery())
        for machine in [good, bad] { machine.observe { occurrence in lines.withLock { $0.append("\(occurrence)") } } }
        try good.fire.bake(BakingState(isCold: false))
        await clock.advance(by: .seconds(60))
        try bad.fire.bake(BakingState(isCold: true))
        await clock.advance(by: .zero)
        #expect(
            lines.withLock { $0 } == [
                "Bakery bake: OrderedState → BakingState", "Bakery done: BakingState → BakedState (work done)",
                "Bakery sell: BakedState → SoldState (due 2001-01-01T00:01:00.000Z)",
                "Bakery bake: OrderedState → BakingState",
                "Bakery fail: BakingState → BurntState (work failed: the oven is cold)",
            ]
        )
        let failure = Occurrence.Cause.failure(String(repeating: "cold ", count: 1_000))
        #expect(failure.text.count < 1_100)
    }

    @Test("Archives and JSON keep causes and facts, and the printed table shows them")
    func written() async throws {
        let machine = bakery()
        try machine.fire.change(OrderedState(amount: 250), userInfo: ["by": "me"])
        try machine.fire.bake(BakingState(isCold: false))
        await clock.advance(by: .seconds(60))
        let restored = try StateMachine<Bakery>(archive: machine.archive())
        #expect(restored.journal.map(\.cause) == machine.journal.map(\.cause))
        #expect(restored.journal.compactMap { $0.facts[.cents] } == [250])
        let decoded = try machine.journal.map {
            try JSONDecoder().decode(Occurrence.self, from: JSONEncoder().encode($0))
        }
        #expect(decoded.map(\.cause) == machine.journal.map(\.cause) && decoded[0].facts[.cents] == 250)
        let table = machine.journal.table
        #expect(table.contains("[by: me] [cents: 250]") && table.contains("work done"))
        #expect(table.contains("due 2001-01-01T00:01:00.000Z"))
    }

    /// A state whose facts change.
    final class CountedState: WorkflowState, FactStating {
        private let count = Lock(0)
        init() {}
        init(from decoder: any Decoder) throws {}
        func encode(to encoder: any Encoder) throws {}
        var facts: UserInfo {
            UserInfo(
                (
                    .cents,
                    count.withLock { count in
                        count += 1
                        return count
                    }
                )
            )
        }
    }

    struct Counted: Workflow {
        static var initial: any WorkflowState { CountedState() }
        let again = Event(from: CountedState.self, to: CountedState.self)
    }

    @Test("An occurrence keeps the facts of its moment")
    func factsOfTheMoment() throws {
        let machine = StateMachine<Counted>()
        let told = Lock<Occurrence?>(nil)
        machine.observe { occurrence in told.withLock { $0 = occurrence } }
        try machine.fire.again(CountedState())
        let occurrence = try #require(told.withLock { $0 })
        #expect(occurrence.kind == .transitioned && "\(occurrence)".hasPrefix("Counted again"))
        #expect(occurrence.facts[.cents] == 1 && occurrence.facts[.cents] == 1)
        #expect((occurrence.state as? CountedState)?.facts[.cents] == 2)
    }

    @Test("A cause of a later version is left out, and each known one survives coding")
    func coding() throws {
        let causes: [(json: String, cause: Occurrence.Cause?)] = [
            (#"{"date":5,"kind":"due"}"#, .due(Date(timeIntervalSinceReferenceDate: 5))),
            (#"{"error":"no","kind":"failure"}"#, .failure("no")),
            (#"{"kind":"done"}"#, .done),
            (#"{"kind":"condition"}"#, .condition),
            (#"{"kind":"completion","regions":["a","b"]}"#, .completion(["a", "b"])),
            (#"{"kind":"moon"}"#, nil),
            (#"{"kind":"due"}"#, nil),
        ]
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let line = #"{"kind":"transitioned","date":0,"workflow":"W","revision":1,"source":"a","message":"","cause":"#
        for (json, cause) in causes {
            let read = try JSONDecoder().decode(Occurrence.self, from: Data("\(line)\(json)}".utf8))
            #expect(read.cause == cause)
            let written = String(decoding: try encoder.encode(read), as: UTF8.self)
            #expect(written.contains("\"cause\":\(json)") == (cause != nil), "\(written)")
        }
    }

    final class BoxState: Composite {
        let bakery: StateMachine<Bakery>
        init(_ bakery: StateMachine<Bakery>) { self.bakery = bakery }
        var regions: [any Region] { [bakery] }
        func copied() -> BoxState { BoxState(bakery.copy()) }
    }
    struct Shop: Workflow {
        static var initial: any WorkflowState { BoxState(StateMachine<Bakery>()) }
        static var journal: Int { 5 }
        let close = Event(from: BoxState.self, to: SoldState.self).whenFinal(\.bakery)
    }

    @Test("The line of an event that has waited for inner machines names them")
    func completion() throws {
        let shop = StateMachine<Shop>()
        try (shop.state as? BoxState)?.bakery.fire.give()
        #expect(shop.journal.map(\.cause) == [.completion(["bakery"])])
    }
}
