import Foundation
import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import Synchronization
import Testing

@testable import Fixtures

/// Due machines of a store.
@Suite("Due machines in a store") struct DueMachinesTests {
    private let clock = ManualClock()

    /// A date a number of seconds after the clock's beginning.
    private func at(_ seconds: Double) -> Date { Date(timeIntervalSinceReferenceDate: seconds) }

    private func bills(_ store: any ArchiveStore) -> StoredWorkflow<Bill> {
        store.workflow(Bill.self, scheduler: clock.scheduler)
    }

    @Test(
        "A store finds due machines without decoding them, and fires them in units of work",
        arguments: StoreTests.kinds
    )
    func store(kind: String) async throws {
        let place = try StorePlace(kind)
        let store = place.store
        let bills = bills(store)
        for (number, seconds) in [30.0, 10, 20].enumerated() {
            try await bills.update("\(number)") { try $0.fire.send(Bill.SentState(number, by: at(seconds))) }
        }
        try await bills.update("draft") { $0.activate() }
        #expect(clock.scheduler.count == 0)
        #expect(try await store.load("1")?.due == at(10))
        #expect(try await store.load("draft")?.due == nil)
        #expect(try await store.ids(dueBy: at(20)) == ["1", "2"])
        #expect(try await store.ids { ($0.queue, $0.workflows) = (.due(by: at(20)), ["Other"]) } == [])
        #expect(try await store.ids(dueBy: at(1_000)) == ["1", "2", "0"])
        await clock.advance(by: .seconds(25))
        var told: [String] = []
        let report = try await bills.fireDue { id, transitions in
            told.append("\(id) \(transitions.compactMap(\.event))")
        }
        #expect(report.count == 2 && report.failures.isEmpty)
        #expect(told.sorted() == [#"1 ["lapse"]"#, #"2 ["lapse"]"#])
        #expect(try await bills.ids(in: [Bill.LapsedState.self]) == ["1", "2"])
        // The machine has lapsed at 25, and is therefore forgotten at 85.
        #expect(try await store.load("1")?.due == at(85))
        await clock.advance(by: .seconds(100))
        #expect(try await bills.fireDue().count == 3)
        #expect(try await bills.ids(in: [Bill.ClosedState.self]) == ["1", "2"])
        #expect(try await bills.ids(in: [Bill.LapsedState.self]) == ["0"])
        #expect(try await bills.fireDue(by: at(10_000)).count == 1)
        #expect(try await store.ids(dueBy: .distantFuture) == [])
    }

    @Test(
        "A machine whose early event was rejected is retried after its claim has ended",
        arguments: StoreTests.kinds
    )
    func aheadOfTime(kind: String) async throws {
        let place = try StorePlace(kind)
        let bills = bills(place.store)
        let lapsed = StateMachine<Bill>(resumingIn: Bill.LapsedState(number: 13), scheduler: clock.scheduler)
        try await bills.save(lapsed, as: "1", expecting: 0)
        #expect(try await bills.fireDue(by: at(10_000)).count == 1)
        #expect(try await bills.fireDue(by: at(10_000)).count == 0)
        await clock.advance(by: .seconds(29))
        #expect(try await bills.fireDue(by: at(10_000)).count == 0)
        await clock.advance(by: .seconds(1))
        #expect(try await bills.fireDue(by: at(10_000)).count == 1)
        await clock.advance(by: .seconds(31))
        #expect(try await bills.fireDue().count == 1)
    }

    private struct Far: Workflow {
        static var initial: any WorkflowState { DoneState() }
        let end = Event(from: WaitingState.self, to: DoneState.self)
            .due { Date(timeIntervalSinceReferenceDate: $0.seconds) }
        final class WaitingState: WorkflowState {
            let seconds: Double
            init(_ seconds: Double) { self.seconds = seconds }
        }
        final class DoneState: WorkflowState, EmptyState {}
    }

    @Test("A deadline too far away to be stored leaves an unchanged machine unsaved")
    func unwritable() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try DirectoryStore(at: folder)
        for (id, deadline) in [("late", 1e12), ("early", -1e12), ("exact", 12.345_678_9)] {
            // The machine is made in the store, because a passed deadline would fire at once.
            let machine = StateMachine<Far>(resumingIn: Far.WaitingState(deadline), scheduler: clock.scheduler)
            let machines = store.workflow(Far.self, scheduler: clock.scheduler)
            try await machines.save(machine, as: id, expecting: 0)
            for _ in 0..<3 { try await machines.update(id) { _ in } }
            #expect(try await store.load(id)?.revision == 1, "\(id)")
        }
        #expect(try await store.ids(dueBy: at(0)) == ["early"])
    }

    /// A store in which a due machine is deleted between its claim and its unit of work.
    private struct LosingStore: StoreAround {
        let inner = InMemoryStore()

        func claim(_ claim: StoreClaim) async throws -> [StoredArchive] {
            let claimed = await inner.claim(claim)
            for archive in claimed { try await inner.delete(archive.id) }
            return claimed
        }
    }

    @Test("Due machines after an unreadable one are fired in the same call")
    func unreadable() async throws {
        let base = InMemoryStore()
        let store = base.sealed(by: Seal())
        for (id, key) in [("0", 3), ("1", 0x5A), ("2", 0x5A), ("3", 0x5A)] as [(String, UInt8)] {
            let bills = bills(base.sealed(by: Seal(key: key)))
            try await bills.update(id) { try $0.fire.send(Bill.SentState(1, by: at(Double(id) ?? 0))) }
        }
        await clock.advance(by: .seconds(25))
        let report = try await bills(store).fireDue(batch: 2)
        #expect(report.count == 3 && report.failures.isEmpty)
        #expect(try await bills(store).ids(in: [Bill.LapsedState.self]) == ["1", "2", "3"])
    }

    @Test("An unreadable machine that is claimed alone is reported, with the machines before it")
    func unreadableAlone() async throws {
        let base = InMemoryStore()
        for (id, key) in [("1", 0x5A), ("2", 0x5A), ("3", 3)] as [(String, UInt8)] {
            let bills = bills(base.sealed(by: Seal(key: key)))
            try await bills.update(id) { try $0.fire.send(Bill.SentState(1, by: at(Double(id) ?? 0))) }
        }
        await clock.advance(by: .seconds(25))
        let report = try await bills(base.sealed(by: Seal())).fireDue(batch: 2)
        #expect(report.count == 2 && report.failures.map(\.id) == ["3"])
    }

    @Test("A machine deleted after its claim stays deleted")
    func deleted() async throws {
        let store = LosingStore()
        try await bills(store).update("1") { try $0.fire.send(Bill.SentState(1, by: at(10))) }
        await clock.advance(by: .seconds(20))
        #expect(try await bills(store).fireDue().count == 1)
        #expect(try await store.ids() == [])
    }

    private struct Steps: Workflow {
        static var initial: any WorkflowState { OneState() }
        let second = Event(from: OneState.self, to: TwoState.self).due(after: .seconds(10))
        final class OneState: WorkflowState, EmptyState {}
        final class TwoState: WorkflowState, EmptyState {}
    }

    @Test("A machine made by a store uses the store's scheduler")
    func made() async throws {
        let store = InMemoryStore()
        try await store.workflow(Steps.self, scheduler: clock.scheduler).update("1") { $0.activate() }
        #expect(await store.load("1")?.due == at(10))
    }

    @Test(
        "Failures of due machines are reported together, and the other machines are changed",
        arguments: [1, 2, 100]
    )
    func failures(batch: Int) async throws {
        let store = InMemoryStore()
        for number in 0..<5 {
            try await bills(store).update("\(number)") { try $0.fire.send(Bill.SentState(number, by: at(10))) }
        }
        for id in ["1", "3"] { try await store.save(try #require(await store.load(id)).with(archive: "{")) }
        await clock.advance(by: .seconds(20))
        struct Refusal: Error {}
        let report = try await bills(store).fireDue(batch: batch) { id, _ in if id == "4" { throw Refusal() } }
        #expect(report.count == 5 && report.failureCount == 3)
        #expect(report.failures.map(\.id).sorted() == ["1", "3", "4"])
        for failure in report.failures {
            #expect(failure.id == "4" ? failure.error is Refusal : failure.error is ArchiveError)
            #expect(failure.effect == nil)
        }
        #expect(try await bills(store).ids(in: [Bill.LapsedState.self]) == ["0", "2", "4"])
    }

    @Test("A cancelled task stops between due machines, and throws")
    func cancelled() async throws {
        let store = InMemoryStore()
        for id in ["0", "1", "2"] {
            try await bills(store).update(id) { try $0.fire.send(Bill.SentState(1, by: at(5))) }
        }
        await clock.advance(by: .seconds(1_000))
        let bills = bills(store)
        let task = Task {
            try await bills.fireDue { _, _ in unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await bills.ids(in: [Bill.LapsedState.self]).count == 1)
    }

    private struct Stubborn: Workflow {
        static var initial: any WorkflowState { ReadyState() }
        let start = Event(from: ReadyState.self, to: WaitingState.self)
        let lapse = Event(from: WaitingState.self, to: ReadyState.self).due(\.until)
            .guarded { _, _, _ in throw Declined(number: declined.wrappingAdd(1, ordering: .relaxed).newValue) }
        let forget = Event(from: WaitingState.self, to: ReadyState.self).due(\.until)
            .guarded { _, _, _ in throw Declined(number: declined.wrappingAdd(1, ordering: .relaxed).newValue) }
        /// An error whose text differs each time, such as a remaining time.
        struct Declined: Error {
            let number: Int
        }
        private static let declined = Atomic(0)
        final class ReadyState: WorkflowState, EmptyState {}
        final class WaitingState: WorkflowState {
            let until: Date
            init(until: Date) { self.until = until }
        }
    }

    @Test("Repeated rejections of a due event are recorded and saved once")
    func declinedAgain() async throws {
        let store = InMemoryStore()
        let machines = store.workflow(Stubborn.self, scheduler: clock.scheduler)
        func create() -> StateMachine<Stubborn> { StateMachine(journal: 5, scheduler: clock.scheduler) }
        try await machines.update("1", creating: create) { try $0.fire.start(Stubborn.WaitingState(until: at(60))) }
        await clock.advance(by: .seconds(90))
        for _ in 0..<10 {
            let report = try await machines.fireDue { id, _ in Issue.record("\(id) was saved without a transition.") }
            #expect(report.failures.isEmpty && report.count >= 1)
            // The saved journal makes the machine due again at once; later it is due after the claim.
            #expect(try await machines.fireDue().count <= 1)
            #expect(try await machines.fireDue().count == 0)
            await clock.advance(by: .seconds(31))
        }
        let saved = try #require(try await machines.machine("1")).machine
        let lines = saved.journal.map { "\($0.kind) \($0.event ?? "")" }
        #expect(lines == ["transitioned start", "rejected lapse", "rejected forget"])
        #expect(await store.load("1")?.revision == 2)
    }

    /// A store that fails after a number of claims, so that an endless call ends.
    private final class LimitedStore: StoreAround {
        let inner = InMemoryStore()
        private let claims = Atomic(0)

        func claim(_ claim: StoreClaim) async throws -> [StoredArchive] {
            if claims.wrappingAdd(1, ordering: .relaxed).newValue > 20 { throw Objection() }
            return await inner.claim(claim)
        }
    }

    @Test("Machines whose journals have no place for all rejections hold up no others, and the call ends")
    func declinedBeyondJournal() async throws {
        let store = LimitedStore()
        let machines = store.workflow(Stubborn.self, scheduler: clock.scheduler)
        func create() -> StateMachine<Stubborn> { StateMachine(journal: 1, scheduler: clock.scheduler) }
        for id in ["1", "2"] {
            try await machines.update(id, creating: create) {
                try $0.fire.start(Stubborn.WaitingState(until: at(60)))
            }
        }
        await clock.advance(by: .seconds(90))
        let report = try await machines.fireDue(batch: 1) { id, _ in
            Issue.record("\(id) was saved without a transition.")
        }
        #expect((2...4).contains(report.count) && report.failures.isEmpty)
        for id in ["1", "2"] {
            let saved = try #require(try await machines.machine(id)).machine
            #expect(saved.journal.map { "\($0.kind) \($0.event ?? "")" } == ["rejected lapse"])
        }
    }

    @Test("A journal without a place for all rejections is saved once, so that a worker sleeps")
    func fullOfRejections() async throws {
        let store = InMemoryStore()
        let machines = store.workflow(Stubborn.self, scheduler: clock.scheduler)
        func create() -> StateMachine<Stubborn> { StateMachine(journal: 1, scheduler: clock.scheduler) }
        try await machines.update("1", creating: create) { try $0.fire.start(Stubborn.WaitingState(until: at(60))) }
        await clock.advance(by: .seconds(90))
        for _ in 0..<5 { _ = try await machines.fireDue() }
        #expect(await store.load("1")?.revision == 2)
    }

    @Test("A journal full of rejected fires of callers still gets the rejection of a due event")
    func afterRejectedFires() async throws {
        let store = InMemoryStore()
        let machines = store.workflow(Stubborn.self, scheduler: clock.scheduler)
        func create() -> StateMachine<Stubborn> { StateMachine(journal: 2, scheduler: clock.scheduler) }
        try await machines.update("1", creating: create) { machine in
            try machine.fire.start(Stubborn.WaitingState(until: at(60)))
            for _ in 0..<3 { try? machine.fire.lapse() }
        }
        await clock.advance(by: .seconds(90))
        for _ in 0..<5 { _ = try await machines.fireDue() }
        let saved = try #require(try await machines.machine("1")).machine
        #expect(saved.journal.map { $0.event ?? "" } == ["lapse", "forget"])
        #expect(await store.load("1")?.revision == 2)
    }

    @Test(
        "Machines with rejected events hold up no others, also in a store without claims",
        arguments: [1, 3]
    )
    func rejectedBefore(batch: Int) async throws {
        for store in [PlainStore(), InMemoryStore()] as [any ArchiveStore] {
            // Machine 13 is never forgotten. The rejected machines are due first, and are more than a small claim
            // covers.
            for number in 0..<60 {
                let lapsed = StateMachine<Bill>(
                    resumingIn: Bill.LapsedState(number: number < 40 ? 13 : number),
                    since: at(Double(number) - 100),
                    scheduler: clock.scheduler
                )
                try await bills(store).save(lapsed, as: "\(100 + number)", expecting: 0)
            }
            await clock.advance(by: .seconds(100))
            let report = try await bills(store).fireDue(batch: batch)
            #expect(report.failures.isEmpty && report.count == 60)
            #expect(try await bills(store).ids(in: [Bill.ClosedState.self]).count == 20)
        }
    }

    @Test("Any number of workers fire each due event once, on different machines", arguments: StoreTests.kinds)
    func workers(kind: String) async throws {
        let place = try StorePlace(kind)
        let bills = bills(place.store)
        for number in 0..<40 { try await bills.update("\(number)") { try $0.fire.send(Bill.SentState(1, by: at(10))) } }
        await clock.advance(by: .seconds(20))
        let saved = CallLog()
        let tried = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    try await bills.fireDue(batch: 3) { id, transitions in
                        for _ in transitions { saved.write(id) }
                    }.count
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(saved.entries.sorted() == (0..<40).map { "\($0)" }.sorted())
        // One worker claims each machine.
        #expect(tried == 40)
    }

    @Test("Other workers take the machines of a dead worker after the claim has ended")
    func claimEnds() async throws {
        let store = InMemoryStore()
        try await bills(store).update("1") { try $0.fire.send(Bill.SentState(1, by: at(10))) }
        await clock.advance(by: .seconds(20))
        let claim = StoreClaim(
            .due(by: clock.date),
            of: [Bill.name],
            newestVersion: 1,
            until: clock.date + 30,
            by: "dead",
            limit: 10
        )
        #expect(await store.claim(claim).count == 1)
        #expect(try await bills(store).fireDue().count == 0)
        await clock.advance(by: .seconds(31))
        #expect(try await bills(store).fireDue().count == 1)
    }

    /// The next release of bills.
    private struct NewerBill: Workflow {
        static var name: String { "Bill" }
        static var version: Int { 2 }
        static var migrations: [Migration] { [.unchanged(in: 2)] }
        static var initial: any WorkflowState { Bill.DraftState() }
        let send = Event(from: Bill.DraftState.self, to: Bill.SentState.self)
        let lapse = Event(from: Bill.SentState.self, to: Bill.LapsedState.self)
            .due(\.deadline).enters { Bill.LapsedState(number: $0.number) }
    }

    @Test("Due machines of a newer version are skipped and counted, and older ones are fired")
    func newer() async throws {
        let store = InMemoryStore()
        let newer = store.workflow(NewerBill.self, scheduler: clock.scheduler)
        try await newer.update("new") { try $0.fire.send(Bill.SentState(1, by: at(10))) }
        try await newer.update("draft") { $0.activate() }
        try await bills(store).update("old") { try $0.fire.send(Bill.SentState(1, by: at(10))) }
        await clock.advance(by: .seconds(20))
        let stored = await store.load("new")
        var report = try await bills(store).fireDue()
        #expect(report.count == 1 && report.newerCount == 1 && report.failures.isEmpty)
        #expect(await store.load("new") == stored)
        #expect(try await bills(store).rehearseMigration().newerCount == 2)
        var query = ArchiveQuery()
        (query.workflows, query.oldestVersion) = ([Bill.name], Bill.version + 1)
        #expect(try await store.counts(query).values.reduce(0, +) == 2)
        #expect(try await bills(store).ids() == ["old"])
        #expect(try await bills(store).counts() == ["LapsedState": 1])
        report = try await newer.fireDue()
        #expect(report.count == 1 && report.newerCount == 0)
    }
}
