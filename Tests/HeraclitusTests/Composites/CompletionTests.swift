import Foundation
import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import Testing

@testable import Fixtures

/// A journey that ends with its parts: automatic events, deadlines and observers across a tree.
@Suite("Automatic events of composites") struct CompletionTests {
    final class OpenState: EmptyState {}
    final class PaidState: EmptyState {}
    final class LapsedState: EmptyState {}

    struct Ticket: Workflow {
        static var initial: any WorkflowState { OpenState() }
        let pay = Event(from: OpenState.self, to: PaidState.self)
        let stamp = Event(updating: PaidState.self)
        let lapse = Event(from: OpenState.self, to: LapsedState.self).due(after: .seconds(60))
    }

    final class PlannedState: EmptyState {}
    final class BookedState: Composite, RegionObserving {
        let mayStart: Bool
        let train: StateMachine<Ticket>
        let hotel: StateMachine<Ticket>
        init(
            mayStart: Bool = true,
            train: StateMachine<Ticket> = StateMachine(),
            hotel: StateMachine<Ticket> = StateMachine()
        ) {
            self.mayStart = mayStart
            self.train = train
            self.hotel = hotel
        }
        var regions: [any Region] { [train, hotel] }
        func copied() -> BookedState { BookedState(mayStart: mayStart, train: train.copy(), hotel: hotel.copy()) }
        func regionDidTransition(_ transition: StateTransition, path: String) {
            Forest.journal.write("state \(path) \(transition)")
        }
    }
    final class UnderWayState: WorkflowState {
        let trainIsPaid: Bool
        init(_ trainIsPaid: Bool) { self.trainIsPaid = trainIsPaid }
    }
    final class ForgottenState: EmptyState {}

    struct Journey: Workflow {
        static var initial: any WorkflowState { PlannedState() }
        let book = Event(from: PlannedState.self, to: BookedState.self)
        let change = Event(updating: BookedState.self)
        let start = Event(from: BookedState.self, to: UnderWayState.self)
            .whenFinal(\.train, \.hotel).enters { UnderWayState($0.train.isIn(PaidState.self)) }
            .guarded { booked, _, _ in if !booked.mayStart { throw Objection() } }
        let forget = Event(from: BookedState.self, to: ForgottenState.self).due(after: .seconds(100))
    }

    /// A workflow whose own deadline comes before those of its regions, and is declined.
    struct Delayed: Workflow {
        static var initial: any WorkflowState { PlannedState() }
        static var journal: Int { 10 }
        let book = Event(from: PlannedState.self, to: BookedState.self)
        let forget = Event(from: BookedState.self, to: ForgottenState.self).due(after: .seconds(50))
            .guarded { _, _, _ in throw Objection() }
    }

    /// A workflow that waits for its first region only, and needs no builder for its completion.
    struct Errand: Workflow {
        static var initial: any WorkflowState { BookedState() }
        let done = Event(from: BookedState.self, to: ForgottenState.self).whenFinal(\.train)
    }

    private let clock = ManualClock()

    private func booked(_ state: BookedState = BookedState()) throws -> StateMachine<Journey> {
        let journey = StateMachine<Journey>(scheduler: clock.scheduler)
        try journey.fire.book(state)
        return journey
    }

    @Test("When the last machine has ended, the event fires in the same turn")
    func all() throws {
        let state = BookedState()
        let journey = try booked(state)
        try state.train.fire.pay()
        #expect(journey.state as AnyObject === state)
        try state.hotel.fire.pay()
        #expect((journey.state as? UnderWayState)?.trainIsPaid == true)
        #expect(journey.revision == 2)
    }

    @Test("A machine that has ended counts after a cancelled run of it, too")
    func cancelledRun() async throws {
        let state = BookedState()
        let journey = try booked(state)
        try state.train.fire.pay()
        let run = Task { try await state.train.run() }
        run.cancel()
        _ = await run.result
        try state.hotel.fire.pay()
        #expect(journey.isIn(UnderWayState.self))
    }

    @Test("One machine of several may be enough, and an empty state needs no builder")
    func one() throws {
        let errand = StateMachine<Errand>()
        let state = try #require(errand.state as? BookedState)
        try state.hotel.fire.pay()
        #expect(errand.state as AnyObject === state)
        try state.train.fire.pay()
        #expect(errand.isIn(ForgottenState.self))
        #expect(throws: InvalidTransition.self) { try state.train.fire.stamp(PaidState()) }
    }

    @Test("A declined completion is tried again after the next transition or update, and not after a rejected fire")
    func declined() throws {
        let state = BookedState(mayStart: false)
        let journey = try booked(state)
        let journal = CallLog()
        journey.observe { journal.write($0.reason ?? $0.event ?? "") }
        try state.train.fire.pay()
        try state.hotel.fire.pay()
        #expect(throws: InvalidTransition.self) { try state.hotel.fire.pay() }
        #expect(journal.entries == ["declined"])
        try state.hotel.fire.stamp(PaidState())
        #expect(journal.entries == ["declined", "declined"])
        try journey.fire.change(BookedState(train: state.train, hotel: state.hotel))
        #expect(journal.entries == ["declined", "declined", "change", "start"])
    }

    @Test("If the machines have already ended, the event fires when their state is entered or restored")
    func alreadyEnded() throws {
        let journey = try booked(
            BookedState(train: StateMachine(resumingIn: PaidState()), hotel: .init(resumingIn: PaidState()))
        )
        #expect(journey.isIn(UnderWayState.self))
        let waiting = try booked(BookedState(mayStart: false))
        for ticket in try #require(waiting.state as? BookedState).regions {
            try (ticket as? StateMachine<Ticket>)?.fire.pay()
        }
        let json = try #require(String(data: waiting.archive(), encoding: .utf8))
        let restored = try StateMachine<Journey>(
            archive: Data(json.replacingOccurrences(of: "\"mayStart\":false", with: "\"mayStart\":true").utf8),
            scheduler: clock.scheduler
        )
        #expect(restored.isIn(BookedState.self))
        restored.activate()
        #expect(restored.isIn(UnderWayState.self))
    }

    @Test("Deadlines of inner machines use their holder's scheduler, and end when the holder leaves")
    func deadlines() throws {
        let state = BookedState()
        let journey = try booked(state)
        #expect(clock.scheduler.count == 3)
        #expect(journey.nextDeadline == state.train.nextDeadline)
        clock.advance(by: .seconds(60))
        #expect((journey.state as? UnderWayState)?.trainIsPaid == false)
        #expect(state.train.isIn(LapsedState.self) && clock.scheduler.count == 0)

        let left = BookedState()
        let other = try booked(left)
        try other.fire.forget()
        #expect(clock.scheduler.count == 0 && left.train.isIn(OpenState.self))
        do {
            let gone = try booked(BookedState())
            #expect(clock.scheduler.count == 3 && gone.isActive)
        }
        #expect(clock.scheduler.count == 0)
    }

    @Test("A machine that has ended fires nothing in a holder that is about to leave")
    func aboutToLeave() throws {
        let state = BookedState(train: StateMachine(resumingIn: PaidState()))
        let journey = try booked(state)
        let journal = CallLog()
        journey.observe { journal.write($0.reason ?? $0.event ?? "") }
        state.hotel.onTransition { _ in #expect(throws: Never.self) { try journey.fire.forget() } }
        try state.hotel.fire.pay()
        #expect(journal.entries == ["forget"])
    }

    /// A workflow that ends before the deadlines of its machines.
    struct Trip: Workflow {
        static var initial: any WorkflowState { PlannedState() }
        let book = Event(from: PlannedState.self, to: BookedState.self)
        let forget = Event(from: BookedState.self, to: ForgottenState.self).due(after: .seconds(10))
    }

    @Test("A copy that leaves its state at its activation leaves the machines in it as well")
    func copiedAndLeft() throws {
        let trip = StateMachine<Trip>(scheduler: clock.scheduler)
        try trip.fire.book(BookedState())
        let copy = trip.copy()
        // The tickets have lapsed by now, too, but the trip had ended before.
        clock.advance(by: .seconds(100))
        let journal = CallLog()
        let train = try #require(copy.state as? BookedState).train
        train.willExit(OpenState.self) { _, transition in journal.write("willExit \(transition.event ?? "")") }
        train.didExit(OpenState.self) { _, transition in journal.write("didExit \(transition.event ?? "")") }
        train.didRestore(OpenState.self) { _, _ in journal.write("didRestore") }
        copy.activate()
        #expect(copy.isIn(ForgottenState.self) && train.isIn(OpenState.self))
        #expect(journal.entries == ["willExit forget", "didExit forget"])
    }

    @Test("A store finds and fires due events anywhere in a tree")
    func stores() async throws {
        let store = InMemoryStore()
        try await store.workflow(Journey.self, scheduler: clock.scheduler).update("1") {
            try $0.fire.book(BookedState())
        }
        #expect(clock.scheduler.count == 0)
        let start = clock.scheduler.date
        let due = try #require(await store.load("1")?.due)
        #expect(abs(due.timeIntervalSince(start) - 60) < 1)
        #expect(try await store.ids(dueBy: start.addingTimeInterval(30)).isEmpty)
        await clock.advance(by: .seconds(70))
        #expect(try await store.workflow(Journey.self, scheduler: clock.scheduler).fireDue().count == 1)
        let machine = try #require(try await store.workflow(Journey.self).machine("1")).machine
        #expect((machine.state as? UnderWayState)?.trainIsPaid == false)
    }

    @Test("A store asks a declining guard once, despite other due events in the tree")
    func declinedInStore() async throws {
        let store = InMemoryStore()
        try await store.workflow(Delayed.self, scheduler: clock.scheduler).update("1") {
            try $0.fire.book(BookedState())
        }
        await clock.advance(by: .seconds(70))
        try await store.workflow(Delayed.self, scheduler: clock.scheduler).fireDue()
        let machine = try #require(try await store.workflow(Delayed.self).machine("1")).machine
        #expect(machine.journal.map { $0.reason ?? $0.event } == ["book", "declined"])
        let booked = try #require(machine.state as? BookedState)
        #expect(booked.train.isIn(LapsedState.self) && booked.hotel.isIn(LapsedState.self))
        // The next call after the claim asks again, as an activation does. The journal records it once.
        await clock.advance(by: .seconds(60))
        try await store.workflow(Delayed.self, scheduler: clock.scheduler).fireDue()
        let again = try #require(try await store.workflow(Delayed.self).machine("1")).machine
        #expect(again.journal.map { $0.reason ?? $0.event } == ["book", "declined"])
    }

    @Test(
        "The state and observers of the tree get inner transitions with a path; observers of the machine do not"
    )
    func observers() throws {
        try Forest.noting { journal in
            let state = BookedState()
            let journey = try booked(state)
            journey.observe { journal.write("own \($0.event ?? "")") }
            journey.observe(regions: true) { journal.write("tree \($0.path ?? "-") \($0.reason ?? $0.event ?? "")") }
            state.hotel.observe { journal.write("hotel \($0.event ?? "")") }
            try state.hotel.fire.pay()
            #expect(throws: InvalidTransition.self) { try state.train.fire.stamp(PaidState()) }
            try state.train.fire.pay()
            #expect(
                journal.entries == [
                    "state hotel pay: OpenState → PaidState", "tree hotel pay", "hotel pay",
                    "tree train notAllowed",
                    "state train pay: OpenState → PaidState", "tree train pay",
                    "own start", "tree - start",
                ]
            )
        }
    }

    @Test("Observers of a tree hear later machines at any depth, and an occurrence keeps its path in JSON")
    func deepObservers() throws {
        let order = StateMachine<Forest.Order>()
        let occurrences = Lock<[Occurrence]>([])
        order.observe(regions: true) { occurrence in occurrences.withLock { $0.append(occurrence) } }
        try order.fire.place(Forest.PlacedState())
        try order.second.fire.begin(Forest.BusyState())
        try order.second.lamp.fire.light()
        #expect(occurrences.withLock { $0.map { $0.path ?? "-" } } == ["-", "second", "second.lamp"])
        let last = try #require(occurrences.withLock { $0.last })
        let json = try JSONEncoder().encode(last)
        #expect(try JSONDecoder().decode(Occurrence.self, from: json).path == "second.lamp")
    }

    // MARK: Definitions

    final class LooseState: Copying {
        let ticket: StateMachine<Ticket>
        init(_ ticket: StateMachine<Ticket> = StateMachine()) { self.ticket = ticket }
        func copied() -> LooseState { LooseState(ticket.copy()) }
    }
    struct Loose: Workflow {
        static var initial: any WorkflowState { LooseState() }
        let end = Event(from: LooseState.self, to: ForgottenState.self).whenFinal(\.ticket)
        let book = Event(from: BookedState.self, to: ForgottenState.self).whenFinal(\.train)
            .or(from: LooseState.self, to: ForgottenState.self)
    }

    @Test("An event that waits for machines in a state that is not Composite is a problem")
    func problems() {
        #expect(Loose.diagnostics.facts == ["completionWithoutRegions end LooseState"])
        #expect(Loose.diagnostics.allSatisfy { $0.stopsTheProgram })
        #expect(Journey.diagnostics.isEmpty && Errand.diagnostics.isEmpty)
    }

    final class GreenState: EmptyState {}
    final class RedState: EmptyState {}
    struct Signal: Workflow {
        static var initial: any WorkflowState { GreenState() }
        let stop = Event(from: GreenState.self, to: RedState.self)
        let go = Event(from: RedState.self, to: GreenState.self)
        let dim = Event(updating: RedState.self)
    }
    final class CrossingState: Composite {
        let signal: StateMachine<Signal>
        let ticket: StateMachine<Ticket>
        init(_ signal: StateMachine<Signal> = StateMachine(), _ ticket: StateMachine<Ticket> = StateMachine()) {
            (self.signal, self.ticket) = (signal, ticket)
        }
        var regions: [any Region] { [signal, ticket] }
        func copied() -> CrossingState { CrossingState(signal.copy(), ticket.copy()) }
    }
    struct Crossing: Workflow {
        static var initial: any WorkflowState { CrossingState() }
        let cross = Event(from: CrossingState.self, to: ForgottenState.self).whenFinal(\.signal, \.ticket)
        let leave = Event(from: CrossingState.self, to: ForgottenState.self).whenFinal(\.ticket)
    }

    @Test("An event that waits for machines without a final state is a problem only in the diagnostics")
    func endless() throws {
        #expect(Crossing.diagnostics.facts == ["completionWithoutEnd cross Signal"])
        #expect(Crossing.diagnostics.allSatisfy { !$0.stopsTheProgram })
        try StateMachine<Crossing>().fire.cross()
    }

    final class CountedState: WorkflowState {}
    struct Counting: Workflow {
        static var initial: any WorkflowState { CountedState() }
        let count = Event(updating: CountedState.self)
    }
    final class TallyState: Composite {
        let counting: StateMachine<Counting>
        init(_ counting: StateMachine<Counting> = StateMachine()) { self.counting = counting }
        var regions: [any Region] { [counting] }
        func copied() -> TallyState { TallyState(counting.copy()) }
    }
    struct Tally: Workflow {
        static var initial: any WorkflowState { TallyState() }
        let end = Event(from: TallyState.self, to: ForgottenState.self).whenFinal(\.counting)
    }

    @Test("A state that events only update is final for an event that waits for its machine")
    func updatedEnd() throws {
        #expect(Counting.table.finals == ["CountedState"])
        #expect(Tally.diagnostics.facts == [])
        let tally = StateMachine<Tally>()
        tally.activate()
        #expect(tally.state is ForgottenState)
    }

    final class HalfState: Composite {
        let listed: StateMachine<Ticket>
        let forgotten: StateMachine<Ticket>
        init(_ listed: StateMachine<Ticket> = StateMachine(), _ forgotten: StateMachine<Ticket> = StateMachine()) {
            self.listed = listed
            self.forgotten = forgotten
        }
        var regions: [any Region] { [listed] }
        func copied() -> HalfState { HalfState(listed.copy(), forgotten.copy()) }
    }
    struct Half: Workflow {
        static var initial: any WorkflowState { PlannedState() }
        let book = Event(from: PlannedState.self, to: HalfState.self)
        let end = Event(from: HalfState.self, to: ForgottenState.self).whenFinal(\.listed, \.forgotten)
    }

    @Test("A state that omits a machine for whose end an event waits stops the program when it is entered")
    func unlisted() async throws {
        let fired = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try StateMachine<Half>().fire.book(HalfState())
        }
        let made = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = StateMachine<Half>(resumingIn: HalfState())
        }
        for result in [fired, made] {
            let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
            #expect(text.contains("HalfState of Half does not list in `regions` the machine of Ticket"))
        }
    }

    // MARK: Work

    /// A state that works until it is cancelled, and records that.
    final class DiggingState: Working {
        let ended: CallLog
        init(_ ended: CallLog) { self.ended = ended }
        init(from decoder: any Decoder) throws { ended = CallLog() }
        func encode(to encoder: any Encoder) throws {}
        func work(_ call: WorkCall<Dig>) async throws {
            ended.write("begun")
            do {
                try await Task.sleep(for: .seconds(600))
            } catch {
                ended.write("cancelled")
                try call.fire.find(PaidState())
            }
        }
    }
    struct Dig: Workflow {
        static var initial: any WorkflowState { OpenState() }
        let begin = Event(from: OpenState.self, to: DiggingState.self)
        let find = Event(from: DiggingState.self, to: PaidState.self)
    }
    final class SiteState: Composite {
        let dig: StateMachine<Dig>
        init(dig: StateMachine<Dig> = StateMachine()) { self.dig = dig }
        var regions: [any Region] { [dig] }
        func copied() -> SiteState { SiteState(dig: dig.copy()) }
    }
    struct Site: Workflow {
        static var initial: any WorkflowState { SiteState() }
        let close = Event(from: SiteState.self, to: ForgottenState.self)
    }

    @Test("Leaving the holder's state cancels the work of its machines, whose fires come too late then")
    func work() async throws {
        let site = StateMachine<Site>()
        let dig = try #require(site.state as? SiteState).dig
        let late = CallLog()
        let ended = CallLog()
        dig.observe { late.write($0.reason ?? "") }
        try dig.fire.begin(DiggingState(ended))
        for _ in 0..<30_000 where ended.entries.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
        try site.fire.close()
        await site.settled()
        for _ in 0..<30_000 where late.entries.count < 2 { try await Task.sleep(for: .milliseconds(10)) }
        #expect(ended.entries == ["begun", "cancelled"])
        #expect(late.entries == ["", "notCurrent"])
        #expect(dig.isIn(DiggingState.self))
    }

    final class RawState: Composite {
        let `my pay`: StateMachine<Ticket>
        let `v1.2`: StateMachine<Ticket>
        var regions: [any Region] { [`my pay`, `v1.2`] }
        init(_ pay: StateMachine<Ticket> = .init(), _ other: StateMachine<Ticket> = .init()) {
            `my pay` = pay
            `v1.2` = other
        }
        func copied() -> RawState { RawState(`my pay`.copy(), `v1.2`.copy()) }
    }
    struct Raw: Workflow {
        static var initial: any WorkflowState { PlannedState() }
        let book = Event(from: PlannedState.self, to: RawState.self)
        let start = Event(from: RawState.self, to: ForgottenState.self).whenFinal(\.`my pay`, \.`v1.2`)
    }
    struct RawAtFirst: Workflow {
        static var initial: any WorkflowState { RawState() }
        let leave = Event(from: RawState.self, to: ForgottenState.self)
    }

    @Test("A property name in backticks appears without them in paths and tables")
    func raw() throws {
        let machine = StateMachine<Raw>(resumingIn: RawState())
        let state = try #require(machine.state as? RawState)
        let paths = Lock<[String?]>([])
        machine.observe(regions: true) { occurrence in paths.withLock { $0.append(occurrence.path) } }
        try state.`my pay`.fire.pay()
        let error = try #require(throws: InvalidTransition.self) { try state.`my pay`.fire.pay() }
        #expect(error.path == "Raw.my pay")
        try state.`v1.2`.fire.pay()
        #expect(paths.withLock { $0 } == ["my pay", "my pay", "v1.2", nil])
        #expect(Raw.table.regions.map(\.name) == ["my pay", "v1.2"])
        #expect(RawAtFirst.table.regions.map(\.name) == ["my pay", "v1.2"])
    }
}
