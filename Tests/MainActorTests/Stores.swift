import Foundation
import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import Testing

// Stores in a module whose default isolation is the main actor.

private nonisolated final class OpenTicket: WorkflowState {
    let priority: Int
    init(priority: Int) { self.priority = priority }
}

private nonisolated final class ClosedTicket: WorkflowState, EmptyState {}

private nonisolated struct Ticket: Workflow {
    static var initial: OpenTicket { OpenTicket(priority: 1) }
    let raise = Event(updating: OpenTicket.self)
}

private nonisolated struct Parcel: Workflow {
    static var initial: any WorkflowState { OpenTicket(priority: 1) }
    let close = Event(from: OpenTicket.self, to: ClosedTicket.self).due(after: .seconds(1))
}

private nonisolated final class OwnThread: TaskExecutor {
    private let queue = DispatchQueue(label: "a store's own")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: unsafe self.asUnownedTaskExecutor()) }
    }
}

/// A store that runs its units of work on its own thread.
private nonisolated struct ThreadedStore: ArchiveStore {
    let executor: (any TaskExecutor)? = OwnThread()
    private let inner = InMemoryStore()

    func load(_ id: String) async throws -> StoredArchive? { await inner.load(id) }
    func save(_ changes: [StoreChange]) async throws -> [Int] { try await inner.save(changes) }
    func ids(_ query: ArchiveQuery) async throws -> [String] { await inner.ids(query) }
}

@Suite("Stores and the main actor") struct StoreTests {
    @Test("Closures of updates and units use the view's data on the main actor, on any executor of the store")
    func update() async throws {
        try await update(in: InMemoryStore())
        try await update(in: ThreadedStore())
    }

    private func update(in store: any ArchiveStore) async throws {
        // A view of the main actor, which is not Sendable.
        final class View { var texts: [String] = [] }
        let view = View()
        let priority = try await store.workflow(Ticket.self).update("a") { ticket in
            MainActor.assertIsolated()
            view.texts.append("changing")
            try ticket.fire.raise { open in OpenTicket(priority: open.priority + 1) }
            return ticket.state.priority
        } saved: { transitions in
            MainActor.assertIsolated()
            view.texts.append("\(transitions.count) saved")
        }
        try await store.unit { unit in
            for id in ["a", "b"] {
                let ticket = try await unit.machine(id, of: store.workflow(Ticket.self))
                MainActor.assertIsolated()
                view.texts.append("\(id): \(ticket.state.priority)")
            }
        } saved: { _ in
            MainActor.assertIsolated()
            view.texts.append("saved")
        }
        #expect(priority == 2)
        #expect(view.texts == ["changing", "1 saved", "a: 2", "b: 1", "saved"])
    }

    @Test("Closures of `fireDue` and `upgrade` run on the main actor")
    func due() async throws {
        let store = InMemoryStore()
        let clock = ManualClock()
        try await store.workflow(Parcel.self, scheduler: clock.scheduler).update("a") { parcel in parcel.activate() }
        await clock.advance(by: .seconds(2))
        var told: [String] = []
        let report = try await store.workflow(Parcel.self, scheduler: clock.scheduler).fireDue { id, _ in
            told.append(id)
        }
        let upgrade = try await store.workflow(Parcel.self).upgrade { report in
            told.append("up to \(report.lastID ?? "")")
        }
        #expect(report.count == 1 && upgrade.failures.isEmpty && told == ["a", "up to a"])
    }

    @Test("A test on the main actor checks its own store")
    func conformance() async throws {
        var count = 0
        let failures = try await StoreConformance.failures {
            count += 1
            return InMemoryStore()
        }
        #expect(failures == [] && count > 0)
    }
}
