import Foundation
import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import Testing

@testable import Fixtures

@Suite("Endless deadlines", .timeLimit(.minutes(20))) struct EndlessDeadlineTests {
    final class TickingState: WorkflowState {
        let count: Int
        init(_ count: Int) { self.count = count }
        var next: TickingState { TickingState(count + 1) }
    }
    final class StoppedState: EmptyState {}

    /// A workflow with a deadline since the entry, which an update keeps.
    struct SinceEntry: Workflow {
        static var initial: any WorkflowState { TickingState(0) }
        let tick = Event(updating: TickingState.self).due(after: .zero).enters(\.next)
        let stop = Event(from: TickingState.self, to: StoppedState.self)
    }

    /// A workflow whose closure always returns a past date.
    struct AlwaysPast: Workflow {
        static var initial: any WorkflowState { TickingState(0) }
        let tick = Event(updating: TickingState.self).due({ _ in .distantPast }).enters(\.next)
    }

    private let clock = ManualClock()
    private var limit: Int { StateMachine<SinceEntry>.chainLimit }

    private func journal<W: Workflow>(of machine: StateMachine<W>) -> CallLog {
        let journal = CallLog()
        machine.observe(regions: true) { occurrence in
            guard let error = occurrence.error as? InvalidTransition else { return }
            journal.write("\(error.reason) \(error.event ?? "") \(error.path ?? "")")
        }
        return journal
    }

    @Test("An update that is due again at once is rejected as an endless chain, and the machine goes on")
    func updates() throws {
        let machine = StateMachine<SinceEntry>(scheduler: clock.scheduler)
        let heard = journal(of: machine)
        machine.activate()
        #expect(heard.entries == ["endlessChain tick "])
        #expect((machine.state as? TickingState)?.count == limit && machine.revision == limit)
        #expect(clock.scheduler.count == 0)
        clock.advance(by: .seconds(1_000))
        #expect(machine.revision == limit)

        let restored = try StateMachine<SinceEntry>(archive: machine.archive(), scheduler: clock.scheduler)
        let again = journal(of: restored)
        restored.activate()
        #expect(again.entries == ["endlessChain tick "] && restored.revision == 2 * limit)
        try restored.fire[named: "stop"](StoppedState())
        #expect(restored.isIn(StoppedState.self) && clock.scheduler.count == 0)
    }

    @Test("An endless chain of updates leaves the scheduler to other machines")
    func scheduled() throws {
        struct Slow: Workflow {
            static var initial: any WorkflowState { TickingState(0) }
            let tick = Event(updating: TickingState.self).due(after: .seconds(10)).enters(\.next)
        }
        let (slow, other) = (
            StateMachine<Slow>(scheduler: clock.scheduler), StateMachine<DeadlineTests.Bill>(scheduler: clock.scheduler)
        )
        let heard = journal(of: slow)
        slow.activate()
        try other.fire.send(DeadlineTests.SentState(1, by: Date(timeIntervalSinceReferenceDate: 11)))
        clock.advance(by: .seconds(20))
        #expect(heard.entries == ["endlessChain tick "] && slow.revision == limit + 1)
        #expect(other.isIn(DeadlineTests.LapsedState.self))
    }

    // MARK: In trees

    final class HoldingState: Composite {
        let ticker: StateMachine<SinceEntry>
        init(_ ticker: StateMachine<SinceEntry>) { self.ticker = ticker }
        var regions: [any Region] { [ticker] }
        func copied() -> HoldingState { HoldingState(ticker.copy()) }
        var next: HoldingState { HoldingState(StateMachine(resumingIn: StoppedState())) }
    }
    struct Holder: Workflow {
        static var initial: any WorkflowState { HoldingState(StateMachine()) }
        let renew = Event(updating: HoldingState.self).whenFinal(\.ticker).enters(\.next)
        let end = Event(from: HoldingState.self, to: StoppedState.self)
    }

    @Test("A chain of a region concerns only the region, and names its place")
    func regions() throws {
        let holder = StateMachine<Holder>(scheduler: clock.scheduler)
        let heard = journal(of: holder)
        holder.activate()
        #expect(heard.entries == ["endlessChain tick Holder.ticker"])
        let ticker = try #require(holder.state as? HoldingState).ticker
        #expect(ticker.revision == limit && holder.revision == 0)
        try holder.fire.end()
    }

    @Test("Completions that trigger themselves are rejected as an endless chain")
    func completions() throws {
        let holder = StateMachine<Holder>(scheduler: clock.scheduler)
        let heard = journal(of: holder)
        try holder.fire.renew(HoldingState(StateMachine(resumingIn: StoppedState())))
        // Its first region has ticked as well.
        #expect(heard.entries == ["endlessChain tick Holder.ticker", "endlessChain renew "])
        #expect(holder.revision == limit + 1)
        try holder.fire.end()
        #expect(holder.isIn(StoppedState.self))
    }

    // MARK: Stores

    @Test("A store saves the events before the chain's end, and reports the chain")
    func stores() async throws {
        let store = InMemoryStore()
        for id in ["a", "b"] {
            try await store.workflow(SinceEntry.self, scheduler: clock.scheduler).update(id) { $0.activate() }
        }
        var transitions = 0
        let report = try await store.workflow(SinceEntry.self, scheduler: clock.scheduler).fireDue { _, saved in
            transitions += saved.count
        }
        let failures = report.failures.map { failure in
            let error = failure.error as? InvalidTransition
            return "\(failure.id) \(error?.reason.rawValue ?? "") \(error?.event ?? "")"
        }
        #expect(failures.sorted() == ["a endlessChain tick", "b endlessChain tick"])
        #expect(report.count == 2 && transitions == 2 * limit)
        let machine = try #require(try await store.workflow(SinceEntry.self).machine("a")).machine
        #expect(machine.revision == limit)
    }

    @Test("A long but finite chain of deadlines fires in several calls of a store")
    func catchingUp() async throws {
        struct Hourly: Workflow {
            static var initial: any WorkflowState { TickingState(0) }
            let tick = Event(updating: TickingState.self)
                .due({ Date(timeIntervalSinceReferenceDate: Double($0.count)) }).enters(\.next)
        }
        let store = InMemoryStore()
        try await store.workflow(Hourly.self, scheduler: clock.scheduler).update("a") { $0.activate() }
        let date = Date(timeIntervalSinceReferenceDate: Double(limit) + 10)
        var failures = 0
        for _ in 0..<2 {
            let hourly = store.workflow(Hourly.self, scheduler: clock.scheduler)
            failures += try await hourly.fireDue(by: date).failureCount
        }
        #expect(failures == 1)
        #expect(try await store.workflow(Hourly.self).machine("a")?.machine.revision == limit + 11)
    }

    // MARK: Definitions

    @Test("An update due since the entry is a problem, unless a guard may decline it")
    func diagnostics() {
        struct Guarded: Workflow {
            static var initial: any WorkflowState { TickingState(0) }
            let tick = Event(updating: TickingState.self).due(after: .seconds(1)).enters(\.next)
                .guarded { ticking, _, _ in if ticking.count > 2 { throw Objection() } }
        }
        #expect(SinceEntry.diagnostics.facts == ["endlessDeadline tick"])
        #expect(SinceEntry.diagnostics.allSatisfy { !$0.stopsTheProgram })
        #expect(AlwaysPast.diagnostics.isEmpty && Guarded.diagnostics.isEmpty)
        #expect(SinceEntry.diagnostics[0].description.contains("is due again at once after each fire"))
        let machine = StateMachine<Guarded>(scheduler: clock.scheduler)
        let heard = journal(of: machine)
        machine.activate()
        clock.advance(by: .seconds(1))
        #expect(machine.revision == 3 && heard.entries == ["declined tick "])
    }

    @Test(
        "An event back to its own state without a delay is a problem; a delay or another destination is valid"
    )
    func selfTransitions() {
        struct Hasty: Workflow {
            static var initial: any WorkflowState { TickingState(0) }
            let negative = Event(from: TickingState.self, to: TickingState.self).due(after: .seconds(-1)).enters(\.next)
            let zero = Event(from: TickingState.self, to: TickingState.self).due(after: .zero).enters(\.next)
            let patient = Event(from: TickingState.self, to: TickingState.self).due(after: .seconds(1)).enters(\.next)
            let guarded = Event(from: TickingState.self, to: TickingState.self).due(after: .zero).enters(\.next)
                .guarded { _, _, _ in throw Objection() }
            let leaving = Event(from: TickingState.self, to: StoppedState.self).due(after: .zero)
            let back = Event(from: StoppedState.self, to: TickingState.self)
        }
        #expect(Hasty.diagnostics.facts == ["endlessDeadline negative", "endlessDeadline zero"])
    }
}
