import Foundation
import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import Synchronization
import Testing

@testable import Fixtures

/// Saves and skipped saves of updates.
@Suite("Updates of stores") struct StoreUpdateTests {
    struct Tag: Codable, Hashable {
        let name: String
    }

    final class TaggedState: Copying {
        let tags: Set<String>
        let counts: [Tag: Int]
        let lamp: StateMachine<TicketLamp>
        init(_ tags: Set<String>) {
            self.tags = tags
            counts = Dictionary(uniqueKeysWithValues: tags.map { (Tag(name: $0), $0.count) })
            lamp = StateMachine()
        }
        func copied() -> TaggedState { TaggedState(tags) }
    }

    struct Tagging: Workflow {
        static var initial: any WorkflowState { TaggedState([]) }
        let tag = Event(updating: TaggedState.self)
    }

    private static let tags = Set((0..<50).map { "tag \($0)" })

    @Test("An update without changes saves nothing, also with a set in the state", arguments: StoreTests.kinds)
    func nothing(kind: String) async throws {
        let place = try StorePlace(kind)
        let store = place.store
        try await store.save(StateMachine<Tagging>(resumingIn: TaggedState(Self.tags)), as: "1", expecting: 0)
        for _ in 0..<5 { try await store.workflow(Tagging.self).update("1") { _ = $0.state } }
        #expect(try await store.load("1")?.revision == 1)
    }

    /// A store that claims a machine as due after its deletion.
    private final class LateStore: StoreAround {
        let inner = InMemoryStore()

        func claim(_ claim: StoreClaim) async throws -> [StoredArchive] {
            let claimed = await inner.claim(claim)
            for archive in claimed where archive.id == "deleted" { try await inner.delete("deleted") }
            return claimed
        }
    }

    @Test("A machine deleted after its claim stays deleted, and a wrong due date is corrected")
    func deletedMeanwhile() async throws {
        let store = LateStore()
        for id in ["1", "deleted"] {
            try await store.workflow(Tagging.self).update(id) { $0.activate() }
            let stored = try #require(try await store.load(id))
            #expect(try await store.save(stored.with(due: .distantPast)) == stored.revision + 1)
        }
        #expect(try await store.workflow(Tagging.self).fireDue().count == 2)
        #expect(try await store.ids() == ["1"])
        #expect(try await store.load("1")?.due == nil)
    }

    @Test(
        "An update saves a change of the state, of a machine in it, or of the activation",
        arguments: StoreTests.kinds
    )
    func something(kind: String) async throws {
        let place = try StorePlace(kind)
        let store = place.store
        try await store.save(StateMachine<Tagging>(resumingIn: TaggedState(Self.tags)), as: "1", expecting: 0)
        for number in 1...20 {
            try await store.workflow(Tagging.self).update("1") { machine in
                try (machine.state as? TaggedState)?.lamp.fire.toggle()
            }
            let found = try #require(try await store.workflow(Tagging.self).machine("1"))
            #expect(found.revision == number + 1)
            #expect((found.machine.state as? TaggedState)?.lamp.revision == number)
        }
        try await store.workflow(Tagging.self).update("1") { try $0.fire.tag(TaggedState(["new"])) }
        #expect((try await store.workflow(Tagging.self).machine("1")?.machine.state as? TaggedState)?.tags == ["new"])
        func made() -> StateMachine<Tagging> { StateMachine(resumingIn: TaggedState(["two"])) }
        try await store.workflow(Tagging.self).update("2", creating: made) { _ in }
        #expect(try await store.load("2")?.revision == 1)
        try await store.save(StateMachine<Tagging>(), as: "3", expecting: 0)
        try await store.workflow(Tagging.self).update("3") { $0.activate() }
        #expect(try await store.load("3")?.revision == 2)
        #expect(try await store.workflow(Tagging.self).machine("3")?.machine.isActive == false)
    }

    final class HoldingState: Copying {
        let inner: StateMachine<Tagging>
        init(_ tags: Set<String>) { inner = StateMachine(resumingIn: TaggedState(tags)) }
        init(_ inner: StateMachine<Tagging>) { self.inner = inner }
        func copied() -> HoldingState { HoldingState(inner.copy()) }
    }

    @Test("expectArchives accepts a machine with a set in its state")
    func expecting() throws {
        for _ in 0..<20 { try expectArchives(HoldingState(Self.tags)) }
    }

    /// A store's own thread.
    private final class OwnThread: TaskExecutor {
        private let queue = DispatchQueue(label: "a store's own")
        private let key = DispatchSpecificKey<Bool>()
        let arrivals = Atomic(0)

        init() { queue.setSpecific(key: key, value: true) }

        var isCurrent: Bool { DispatchQueue.getSpecific(key: key) ?? false }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            arrivals.wrappingAdd(1, ordering: .relaxed)
            queue.async { unsafe job.runSynchronously(on: unsafe self.asUnownedTaskExecutor()) }
        }
    }

    /// A store whose units of work run on its own thread, with a conflict at the first save.
    private final class ThreadedStore: ArchiveStore {
        let thread = OwnThread()
        private let inner = InMemoryStore()
        private let saves = Atomic(0)

        var executor: (any TaskExecutor)? { thread }

        func load(_ id: String) async throws -> StoredArchive? {
            #expect(thread.isCurrent)
            return await inner.load(id)
        }

        func save(_ changes: [StoreChange]) async throws -> [Int] {
            #expect(thread.isCurrent)
            guard saves.wrappingAdd(1, ordering: .relaxed).oldValue > 0 else {
                throw StoreError.conflict(id: changes[0].id, expected: 0, found: 1)
            }
            return try await inner.save(changes)
        }

        func ids(_ query: ArchiveQuery) async throws -> [String] { [] }
    }

    @Test("A unit of work runs on its store's threads: it switches to them once and leaves them at the end")
    func executor() async throws {
        let store = ThreadedStore()
        func expectUnit(arrivals: ClosedRange<Int>) async throws {
            let before = store.thread.arrivals.load(ordering: .relaxed)
            try await store.workflow(Tagging.self).update("1") { machine in
                #expect(store.thread.isCurrent)
                try machine.fire.tag(TaggedState(["new"]))
            } saved: { _ in
                #expect(store.thread.isCurrent)
            }
            #expect(!store.thread.isCurrent)
            #expect(arrivals.contains(store.thread.arrivals.load(ordering: .relaxed) - before))
        }
        // A second switch follows the delay after a conflict, unless the delay is zero.
        try await expectUnit(arrivals: 1...2)
        try await expectUnit(arrivals: 1...1)
        let journal = JournalFile(at: FileManager.default.temporaryDirectory.appendingPathComponent("no journal"))
        #expect(store.journaled(in: journal).executor === store.thread)
    }
}
