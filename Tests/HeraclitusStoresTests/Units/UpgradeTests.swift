import Foundation
import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import Testing

@testable import Fixtures

@Suite("Upgrades of stores") struct StoreUpgradeTests {
    final class OldCounter: WorkflowState {
        let count: Int
        init(_ count: Int) { self.count = count }
    }

    final class NewCounter: WorkflowState {
        let total: Int
        let due: Date?
        init(_ total: Int, due: Date?) { (self.total, self.due) = (total, due) }
    }

    struct First: Workflow {
        static var name: String { "Counting" }
        static var initial: any WorkflowState { OldCounter(0) }
        let add = Event(updating: OldCounter.self)
    }

    struct Second: Workflow {
        static var name: String { "Counting" }
        static var version: Int { 2 }
        static var migrations: [Migration] {
            [
                .state("OldCounter", becomes: "NewCounter", in: 2),
                .step("call it total, and end after a while", in: 2) { archive in
                    archive.data["total"] = archive.data["count"]
                    archive.data["due"] = "2001-01-01T00:01:00Z"
                },
            ]
        }
        static var initial: any WorkflowState { NewCounter(0, due: nil) }
        let end = Event(updating: NewCounter.self).due(\.due).enters { counter in NewCounter(counter.total, due: nil) }
    }

    private static func filled(_ store: any ArchiveStore, _ count: Int) async throws {
        for number in 0..<count {
            let machine = StateMachine<First>(resumingIn: OldCounter(number))
            try machine.fire.add { OldCounter($0.count + 1) }
            try await store.save(machine, as: "\(number)", expecting: 0)
        }
        try await store.save(StateMachine<TicketLamp>(), as: "lamp", expecting: 0)
    }

    @Test(
        "An upgrade replaces every archive of an older version with its columns, and nothing else",
        arguments: StoreTests.kinds
    )
    func all(kind: String) async throws {
        let place = try StorePlace(kind)
        let store = place.store
        try await Self.filled(store, 25)
        try await store.save(StateMachine<Second>(resumingIn: NewCounter(7, due: nil)), as: "new", expecting: 0)
        let seen = Lock<[WorkReport]>([])
        let upgrade = try await store.workflow(Second.self).upgrade(batch: 10) { upgrade in
            seen.withLock { $0.append(upgrade) }
        }
        #expect(upgrade.count == 25)
        #expect(upgrade.failures.isEmpty)
        #expect(upgrade.lastID == "new")
        #expect(seen.withLock { $0.map(\.count) } == [10, 20, 25])
        #expect(try await store.ids { $0.states = ["OldCounter"] } == [])
        #expect(try await store.ids { $0.states = ["NewCounter"] }.count == 26)
        #expect(try await store.ids(dueBy: Date(timeIntervalSinceReferenceDate: 60)).count == 25)
        for number in 0..<25 {
            let found = try #require(try await store.workflow(Second.self).machine("\(number)"))
            #expect((found.machine.state as? NewCounter)?.total == number + 1)
            #expect(found.machine.revision == 1)
            #expect(found.revision == 2)
        }
        #expect(try await store.load("new")?.revision == 1)
        #expect(try await store.load("lamp")?.revision == 1)
        #expect(try await store.workflow(Second.self).upgrade().count == 0)
    }

    @Test("An interrupted upgrade resumes where it stopped", arguments: StoreTests.kinds)
    func interrupted(kind: String) async throws {
        struct Interruption: Error { let upgrade: WorkReport }
        let place = try StorePlace(kind)
        try await Self.filled(place.store, 20)
        let error = await #expect(throws: Interruption.self) {
            try await place.store.workflow(Second.self).upgrade(batch: 6) {
                if $0.count == 12 { throw Interruption(upgrade: $0) }
            }
        }
        #expect(error?.upgrade.count == 12)
        let rest = try await place.store.workflow(Second.self).upgrade(after: error?.upgrade.lastID)
        #expect(rest.count == 8)
    }

    @Test(
        "An upgrade reports failures with their ids, counts newer machines, and upgrades the others",
        arguments: StoreTests.kinds
    )
    func broken(kind: String) async throws {
        let place = try StorePlace(kind)
        let store = place.store
        try await Self.filled(store, 5)
        for (id, archive) in [
            ("broken", "{"),
            (
                "newer",
                #"{"activated":true,"data":{},"format":1,"revision":0,"state":"NewCounter","version":9,"workflow":"Counting"}"#
            ),
        ] {
            try await store.save(
                StoredArchive(
                    id: id,
                    revision: 0,
                    workflow: "Counting",
                    version: nil,
                    state: "OldCounter",
                    archive: Data(archive.utf8)
                )
            )
        }
        let upgrade = try await store.workflow(Second.self).upgrade(batch: 3)
        #expect(upgrade.failures.map(\.id) == ["broken"] && upgrade.failureCount == 1)
        #expect(upgrade.failures.first?.error is ArchiveError)
        #expect(upgrade.count == 5 && upgrade.newerCount == 1 && upgrade.lastID == "newer")
        let again = try await store.workflow(Second.self).upgrade()
        #expect(again.count == 0 && again.failureCount == 1 && again.newerCount == 1)
    }

    /// A store in which another process saves each machine first, a few times.
    final class Crowded: StoreAround {
        let inner = InMemoryStore()
        let remaining: Lock<Int>
        init(_ times: Int) { remaining = Lock(times) }

        func save(_ changes: [StoreChange]) async throws -> [Int] {
            let isTaken = remaining.withLock { remaining in
                remaining -= 1
                return remaining >= 0
            }
            if isTaken, let found = await inner.load(changes[0].id) { try await inner.save(found) }
            return try await inner.save(changes)
        }
    }

    @Test("A concurrent save is kept, and is upgraded afterwards")
    func conflicts() async throws {
        let store = Crowded(0)
        try await Self.filled(store, 10)
        store.remaining.withLock { $0 = 14 }
        #expect(try await store.workflow(Second.self).upgrade().count == 10)
        #expect(try await store.ids { $0.states = ["OldCounter"] } == [])
        let endless = Crowded(0)
        try await Self.filled(endless, 2)
        endless.remaining.withLock { $0 = .max }
        let report = try await endless.workflow(Second.self).upgrade()
        #expect(report.count == 0 && report.failures.map(\.id) == ["0", "1"])
        for failure in report.failures {
            guard case StoreError.tooManyConflicts(failure.id, attempts: 100) = failure.error else {
                Issue.record(failure.error)
                continue
            }
        }
    }

    /// A store in which another process damages a machine before a save.
    private final class DamagingStore: StoreAround {
        let inner = InMemoryStore()

        /// The machine that is damaged before the next save.
        let next = Lock<String?>(nil)

        func save(_ changes: [StoreChange]) async throws -> [Int] {
            let id = next.withLock { next in
                defer { next = nil }
                return next
            }
            if let id, let found = await inner.load(id) { try await inner.save(found.with(archive: "{")) }
            return try await inner.save(changes)
        }
    }

    @Test("An archive that is unreadable after a conflict is reported, and the others are upgraded")
    func damagedMeanwhile() async throws {
        let store = DamagingStore()
        try await Self.filled(store, 3)
        store.next.withLock { $0 = "1" }
        let upgrade = try await store.workflow(Second.self).upgrade()
        #expect(upgrade.failures.map(\.id) == ["1"] && upgrade.failures.first?.error is ArchiveError)
        #expect(upgrade.count == 2)
        #expect(try await store.ids { $0.states = ["NewCounter"] } == ["0", "2"])
        #expect(await store.inner.load("1")?.archive == Data("{".utf8))
    }

    final class GrownState: WorkflowState {
        let total: Int
        let text: String
        init(_ total: Int, _ text: String) { (self.total, self.text) = (total, text) }
    }

    /// A workflow that makes one of the machines larger than some stores allow.
    struct Growing: Workflow {
        static var name: String { "Counting" }
        static var version: Int { 2 }
        static var migrations: [Migration] {
            [
                .state("OldCounter", becomes: "GrownState", in: 2),
                .step("write the total out", in: 2) { archive in
                    archive.data["total"] = archive.data["count"]
                    let isLarge = archive.data["count"]?.intValue == 3
                    archive.data["text"] = .string(String(repeating: "x", count: isLarge ? 2_000 : 1))
                },
            ]
        }
        static var initial: any WorkflowState { GrownState(0, "") }
        let add = Event(updating: GrownState.self)
    }

    @Test("Failing saves are reported with their ids, and other machines are upgraded once", arguments: [1, 2, 10])
    func unsaved(batch: Int) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try DirectoryStore(at: folder, limit: 1_000)
        try await Self.filled(store, 6)
        let upgrade = try await store.workflow(Growing.self).upgrade(batch: batch)
        #expect(upgrade.failures.map(\.id) == ["2"])
        guard case ArchiveError.tooLarge(_, limit: 1_000)? = upgrade.failures.first?.error else {
            throw try #require(upgrade.failures.first).error
        }
        #expect(upgrade.count == 5)
        #expect(try await store.ids { $0.states = ["OldCounter"] } == ["2"])
        for id in ["0", "1", "3", "4", "5"] { #expect(try await store.load(id)?.revision == 2) }
        #expect(try await store.workflow(Growing.self).upgrade().failures.map(\.id) == ["2"])
    }

    /// A store that cannot load some archives.
    private struct PartlyReadableStore: StoreAround {
        struct Cut: Error {}
        let inner = InMemoryStore()

        func load(_ id: String) async throws -> StoredArchive? {
            switch id {
            case "1": throw StoreError.damaged(id: id, explanation: "Its row is torn.")
            case "2": throw ArchiveError.inaccessibleFile("2.json", explanation: "Permission denied")
            case "cut": throw Cut()
            default: return await inner.load(id)
            }
        }
    }

    @Test("An archive that cannot be loaded is a failure, unless the store itself fails")
    func unloadable() async throws {
        let store = PartlyReadableStore()
        try await Self.filled(store, 4)
        let upgrade = try await store.workflow(Second.self).upgrade()
        #expect(upgrade.count == 2 && upgrade.failures.map(\.id) == ["1", "2"])
        #expect(upgrade.failures.first?.error is StoreError && upgrade.failures.last?.error is ArchiveError)
        try await store.save(StateMachine<First>(), as: "cut", expecting: 0)
        await #expect(throws: PartlyReadableStore.Cut.self) { try await store.workflow(Second.self).upgrade() }
    }

    /// A store that fails all saves from some time on.
    private final class EndingStore: StoreAround {
        struct Cut: Error {}
        let inner = InMemoryStore()
        let end = Lock<(any Error)?>(nil)

        func save(_ changes: [StoreChange]) async throws -> [Int] {
            if let error = end.withLock({ $0 }) { throw error }
            return try await inner.save(changes)
        }
    }

    @Test("A failure of the store itself ends the upgrade", arguments: [false, true])
    func unsavable(isCancelled: Bool) async throws {
        let store = EndingStore()
        try await Self.filled(store, 2)
        store.end.withLock { $0 = isCancelled ? CancellationError() : EndingStore.Cut() }
        let error = await #expect(throws: (any Error).self) {
            try await store.workflow(Second.self).upgrade()
        }
        #expect(isCancelled ? error is CancellationError : error is EndingStore.Cut)
    }

    // MARK: The same version

    class PlainState: WorkflowState, @unchecked Sendable {
        class var name: String { "Waiting" }
        let buyer: String
        init(_ buyer: String) { self.buyer = buyer }
    }

    final class FoundState: PlainState, Findable, @unchecked Sendable {
        var foundBy: [String: StoredValue] { ["buyer": .text(buyer)] }
    }

    final class EndedState: EmptyState {}

    struct Plain: Workflow {
        static var name: String { "Waiting" }
        static var initial: any WorkflowState { PlainState("ada") }
        let change = Event(updating: PlainState.self)
        let end = Event(from: PlainState.self, to: EndedState.self)
    }

    /// A workflow whose machines are found by their buyers, and end after a minute.
    struct Dated: Workflow {
        static var name: String { "Waiting" }
        static var initial: any WorkflowState { FoundState("ada") }
        let change = Event(updating: FoundState.self)
        let end = Event(from: FoundState.self, to: EndedState.self).due(after: .seconds(60))
    }

    @Test(
        "An added deadline counts from the upgrade, and added values are found after it, in both directions",
        arguments: StoreTests.kinds
    )
    func sameVersion(kind: String) async throws {
        let place = try StorePlace(kind)
        let store = place.store
        let clock = ManualClock()
        let plain = store.workflow(Plain.self, scheduler: clock.scheduler)
        let dated = store.workflow(Dated.self, scheduler: clock.scheduler)
        for id in ["1", "2"] { try await plain.update(id) { $0.activate() } }
        try await plain.update("ended") { try $0.fire.end() }
        let start = clock.date
        await clock.advance(by: .seconds(100))
        #expect(try await dated.fireDue().count == 0)
        #expect(try await dated.ids(where: .equal("buyer", .text("ada"))) == [])
        let upgrade = try await dated.upgrade()
        #expect(upgrade.count == 2 && upgrade.failures.isEmpty)
        #expect(try await dated.upgrade().count == 0)
        #expect(try await store.load("1")?.due == start + 160)
        #expect(try await store.load("1")?.entered == start)
        #expect(try await dated.ids(where: .equal("buyer", .text("ada"))) == ["1", "2"])
        await clock.advance(by: .seconds(30))
        // The deadline keeps its beginning.
        try await dated.update("1") { try $0.fire.change(FoundState("bob")) }
        try await dated.update("2") { _ in }
        #expect(try await store.load(["1", "2"]).map(\.due) == [start + 160, start + 160])
        let back = try await plain.upgrade()
        #expect(back.count == 2)
        #expect(try await store.load(["1", "2"]).map(\.due) == [nil, nil])
        #expect(try await dated.ids(where: .equal("buyer", .text("bob"))) == [])
        #expect(try await dated.upgrade().count == 2)
        await clock.advance(by: .seconds(61))
        #expect(try await dated.fireDue().count == 2)
        #expect(try await dated.ids(in: [EndedState.self]) == ["1", "2", "ended"])
    }

    @Test("An upgrade updates a value that differs only in its UTF-8", arguments: StoreTests.kinds)
    func spelling(kind: String) async throws {
        let place = try StorePlace(kind)
        let dated = place.store.workflow(Dated.self, scheduler: ManualClock().scheduler)
        try await dated.update("1") { try $0.fire.change(FoundState("n\u{E9}")) }
        var row = try #require(try await place.store.load("1"))
        row.values = ["buyer": .text("ne\u{301}")]
        try await place.store.save(row)
        #expect(try await dated.ids(where: .equal("buyer", .text("n\u{E9}"))) == [])
        #expect(try await dated.upgrade().count == 1)
        #expect(try await dated.ids(where: .equal("buyer", .text("n\u{E9}"))) == ["1"])
        #expect(try await dated.ids(where: .equal("buyer", .text("ne\u{301}"))) == [])
        #expect(try await dated.upgrade().count == 0)
        #expect(try await place.store.load("1")?.revision == 3)
    }
}
