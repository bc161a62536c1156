import Foundation
import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import Synchronization
import Testing

// What is due in the machines of a store.

extension DeadlineTests {
    @Test(
        "A store says what is due without decoding a machine, and fires it as units of work",
        arguments: [false, true]
    )
    func store(inFiles: Bool) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let store: any ArchiveStore = inFiles ? try DirectoryStore(at: folder) : InMemoryStore()
        for (number, seconds) in [30.0, 10, 20].enumerated() {
            try await store.update("\(number)", of: Bill.self, scheduler: clock.scheduler) {
                try $0.fire.send(SentState(number, by: at(seconds)))
            }
        }
        try await store.update("draft", of: Bill.self, scheduler: clock.scheduler) { $0.activate() }
        #expect(clock.scheduler.count == 0)
        #expect(try await store.load("1")?.due == at(10))
        #expect(try await store.load("draft")?.due == nil)
        #expect(try await store.ids(dueBy: at(20), of: "Bill") == ["1", "2"])
        #expect(try await store.ids(dueBy: at(20), of: "Other") == [])
        #expect(try await store.ids(dueBy: at(1_000), of: nil) == ["1", "2", "0"])
        await clock.advance(by: .seconds(25))
        #expect(try await store.fireDue(Bill.self, scheduler: clock.scheduler) == ["1", "2"])
        #expect(try await store.ids(of: Bill.self, in: LapsedState.self) == ["1", "2"])
        // Lapsed at 25, and so forgotten at 85.
        #expect(try await store.load("1")?.due == at(85))
        await clock.advance(by: .seconds(100))
        #expect(try await store.fireDue(Bill.self, scheduler: clock.scheduler) == ["0", "1", "2"])
        #expect(try await store.ids(of: Bill.self, in: ClosedState.self) == ["1", "2"])
        #expect(try await store.ids(of: Bill.self, in: LapsedState.self) == ["0"])
        #expect(try await store.fireDue(Bill.self, by: at(10_000), scheduler: clock.scheduler) == ["0"])
        #expect(try await store.ids(dueBy: .distantFuture, of: nil) == [])
    }

    /// A store in which somebody deletes a machine between the look for what is due and its update.
    private struct Losing: StoreAround {
        let inner = InMemoryStore()

        func ids(dueBy date: Date, of workflow: String?) async throws -> [String] {
            let ids = try await inner.ids(dueBy: date, of: workflow)
            for id in ids { try await inner.delete(id) }
            return ids
        }
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

    @Test("A deadline that no store can write down does not make an update save that changed nothing")
    func unwritable() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try DirectoryStore(at: folder)
        for (id, deadline) in [("late", 1e12), ("early", -1e12), ("exact", 12.345_678_9)] {
            // Not sent, but made there: what has passed already would be due at once.
            let machine = StateMachine<Far>(alreadyIn: Far.WaitingState(deadline), scheduler: clock.scheduler)
            try await store.save(machine, as: id, expecting: 0)
            for _ in 0..<3 { try await store.update(id, of: Far.self, scheduler: clock.scheduler) { _ in } }
            #expect(try await store.load(id)?.revision == 1, "\(id)")
        }
        #expect(try await store.ids(dueBy: at(0), of: nil) == ["early"])
    }

    @Test("A machine that was deleted meanwhile does not come back")
    func deleted() async throws {
        let store = Losing()
        try await store.update("1", of: Bill.self, scheduler: clock.scheduler) {
            try $0.fire.send(SentState(1, by: at(10)))
        }
        await clock.advance(by: .seconds(20))
        #expect(try await store.fireDue(Bill.self, scheduler: clock.scheduler) == ["1"])
        #expect(try await store.ids() == [])
    }

    @Test("A machine that a store makes goes by the store's scheduler")
    func made() async throws {
        let store = InMemoryStore()
        try await store.update("1", of: Steps.self, scheduler: clock.scheduler) { $0.activate() }
        #expect(await store.load("1")?.due == at(10))
    }

    @Test("One machine that cannot be changed does not keep a store from the others")
    func failures() async throws {
        let store = InMemoryStore()
        for number in 0..<3 {
            try await store.update("\(number)", of: Bill.self, scheduler: clock.scheduler) {
                try $0.fire.send(SentState(number, by: at(10)))
            }
        }
        let kept = try #require(await store.load("1"))
        try await store.save(
            StoredArchive(
                id: "1",
                revision: kept.revision,
                workflow: "Bill",
                state: "SentState",
                due: kept.due,
                archive: Data("{".utf8)
            )
        )
        let failed = Journal()
        await clock.advance(by: .seconds(20))
        try await store.fireDue(Bill.self, scheduler: clock.scheduler) { id, error in
            failed.write("\(id) \(error is ArchiveError)")
        }
        #expect(failed.entries == ["1 true"])
        #expect(try await store.ids(of: Bill.self, in: LapsedState.self) == ["0", "2"])
        await #expect(throws: ArchiveError.self) {
            try await store.fireDue(Bill.self, scheduler: clock.scheduler)
        }
    }

    @Test("A task that is cancelled amid what is due stops there, and says so")
    func cancelled() async throws {
        let store = InMemoryStore()
        for id in ["0", "1", "2"] {
            try await store.update(id, of: Bill.self, scheduler: clock.scheduler) {
                try $0.fire.send(SentState(1, by: at(5)))
            }
        }
        await clock.advance(by: .seconds(1_000))
        let failed = Journal()
        let task = Task {
            try await store.fireDue(Bill.self, scheduler: clock.scheduler) { id, _ in
                failed.write(id)
            } saved: { _, _ in
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(failed.entries == [])
        #expect(try await store.ids(of: Bill.self, in: LapsedState.self).count == 1)
    }

    private struct Stubborn: Workflow {
        static var initial: any WorkflowState { ReadyState() }
        let start = Event(from: ReadyState.self, to: WaitingState.self)
        let lapse = Event(from: WaitingState.self, to: ReadyState.self).due(\.until)
            .guarded { _, _, _ in throw Declined(number: declined.wrappingAdd(1, ordering: .relaxed).newValue) }
        let forget = Event(from: WaitingState.self, to: ReadyState.self).due(\.until)
            .guarded { _, _, _ in throw Declined(number: declined.wrappingAdd(1, ordering: .relaxed).newValue) }
        /// Never the same twice, as one that says how long it is still too early.
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

    @Test("What a guard declines each time that a store fires it is written down once, and saved once")
    func declinedAgain() async throws {
        let store = InMemoryStore()
        func create() -> StateMachine<Stubborn> { StateMachine(journal: .last(5), scheduler: clock.scheduler) }
        try await store.update("1", of: Stubborn.self, scheduler: clock.scheduler, creating: create) {
            try $0.fire.start(Stubborn.WaitingState(until: at(60)))
        }
        await clock.advance(by: .seconds(90))
        for _ in 0..<10 {
            let tried = try await store.fireDue(Stubborn.self, scheduler: clock.scheduler) { id, error in
                Issue.record("\(id): \(error)")
            } saved: { id, _ in
                Issue.record("\(id) was saved without a transition.")
            }
            #expect(tried == ["1"])
        }
        let saved = try #require(try await store.machine("1", of: Stubborn.self)).machine
        let lines = saved.journal.map { "\($0.kind) \($0.event ?? "")" }
        #expect(lines == ["transitioned start", "rejected lapse", "rejected forget"])
        #expect(await store.load("1")?.revision == 2)
    }
}
