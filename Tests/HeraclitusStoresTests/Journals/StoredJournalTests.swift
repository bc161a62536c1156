import Foundation
import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import Testing

@testable import Fixtures

@Suite("Journals of stored machines") struct StoredJournalTests {
    @Test(
        "A unit of work saves the machine and its journal together: each line once, despite conflicts",
        arguments: StoreTests.kinds
    )
    func unitsOfWork(kind: String) async throws {
        let place = try StorePlace(kind)
        let store = place.store
        let first = StateMachine<SilentParcel>(journal: 1_000)
        try first.fire.send(SentState("0"))
        try await store.save(first, as: "2", expecting: 0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    for round in 0..<10 {
                        try await store.workflow(SilentParcel.self).update("2", attempts: 1_000) { parcel in
                            try parcel.fire.track(SentState("x"), userInfo: ["task": task, "round": round])
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let found = try #require(try await store.workflow(SilentParcel.self).machine("2")).machine
        #expect(found.journal.map(\.revision) == Array(1...41) && found.revision == 41)
        let marks = found.journal.dropFirst().map { occurrence in
            "\(occurrence.userInfo["task", as: Int.self] ?? -1) \(occurrence.userInfo["round", as: Int.self] ?? -1)"
        }
        #expect(Set(marks).count == 40)
        for task in 0..<4 {
            #expect(marks.filter { $0.hasPrefix("\(task) ") } == (0..<10).map { "\(task) \($0)" })
        }
    }

    @Test("A rejection caught by the closure is saved; a thrown one discards the unit")
    func rejectionsInStores() async throws {
        let store = InMemoryStore()
        try await store.workflow(Parcel.self).update("1") { parcel in
            _ = #expect(throws: InvalidTransition.self) { try parcel.fire.lose() }
        }
        let saved = try #require(try await store.workflow(Parcel.self).machine("1")).machine
        #expect(saved.journal.map(\.kind) == [.rejected] && saved.revision == 0)
        await #expect(throws: InvalidTransition.self) {
            try await store.workflow(Parcel.self).update("1") { parcel in try parcel.fire.lose() }
        }
        let unchanged = try #require(try await store.workflow(Parcel.self).machine("1")).machine
        #expect(unchanged.journal.count == 1)
        #expect(await store.load("1")?.revision == 1)
        try await store.workflow(Parcel.self).update("1") { parcel in _ = parcel.state }
        #expect(await store.load("1")?.revision == 1)
    }

    struct Reminder: Workflow {
        static var initial: any WorkflowState { PackedState() }
        static var journal: Int { 10 }
        let send = Event(from: PackedState.self, to: SentState.self).due(after: .seconds(60)).enters { _ in
            SentState("x")
        }
    }

    @Test("A due event fired by a store is in the journal, with the date of the scheduler")
    func fireDue() async throws {
        let clock = ManualClock()
        let store = InMemoryStore()
        try await store.workflow(Reminder.self, scheduler: clock.scheduler).update("1") { $0.activate() }
        await clock.advance(by: .seconds(90))
        try await store.workflow(Reminder.self, scheduler: clock.scheduler).fireDue()
        let machine = try #require(try await store.workflow(Reminder.self).machine("1")).machine
        #expect(machine.journal.map(\.event) == ["send"])
        #expect(machine.journal.first?.date == clock.scheduler.date)
    }
}
