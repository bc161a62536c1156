import Foundation
import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import Testing

@testable import Fixtures

@Suite("A message that arrives twice") struct MessageTests {
    typealias StockedState = UnitTests.StockedState
    typealias Stock = UnitTests.Stock

    struct Stop: Error {}

    private let store: any ArchiveStore = InMemoryStore()
    private let clock = ManualClock()

    private var stock: StoredWorkflow<Stock> { store.workflow(Stock.self, scheduler: clock.scheduler) }

    /// Handles a message, which takes a ticket.
    /// - Returns: Whether the message was new.
    private func handle(
        _ message: String,
        _ memory: MessageMemory = .last(100),
        in stock: StoredWorkflow<Stock>? = nil
    ) async throws -> Bool {
        try await (stock ?? self.stock).update("tea", once: message, remembering: memory) { stock in
            try stock.fire.take { StockedState($0.count - 1) }
        } != nil
    }

    @Test("A message is handled once, by any number of tasks and stores of one folder", arguments: StoreTests.kinds)
    func once(kind: String) async throws {
        let place = try StorePlace(kind)
        let stores = try [place.store, place.folder.map { try DirectoryStore(at: $0) } ?? place.store]
        let handled = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<20 {
                let stock = stores[number % 2].workflow(Stock.self)
                group.addTask { try await handle("message \(number / 4)", in: stock) }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(handled == 5)
        #expect(try await stores[0].workflow(Stock.self).machine("tea")?.machine.revision == 5)
    }

    @Test("A message whose handling fails counts as unhandled")
    func failed() async throws {
        await #expect(throws: Stop.self) { try await stock.update("tea", once: "1") { _ in throw Stop() } }
        #expect(try await store.load("tea") == nil)
        #expect(try await handle("1"))
        #expect(try await !handle("1"))
    }

    @Test("A message is remembered without changes of the machine, and across updates")
    func unchanged() async throws {
        #expect(try await handle("0"))
        let before = try #require(try await store.load("tea"))
        #expect(try await stock.update("tea", once: "1") { _ in "seen" } == "seen")
        let after = try #require(try await store.load("tea"))
        #expect(after.archive == before.archive && after.revision == before.revision + 1)
        try await stock.update("tea") { try $0.fire.take(StockedState(7)) }
        let (machine, revision) = try #require(try await stock.machine("tea"))
        try await stock.save(machine, as: "tea", expecting: revision)
        var told: Int?
        let second = try await stock.update("tea", once: "1") { _ in
            "seen"
        } saved: {
            told = $0.count
        }
        #expect(second == nil && told == 0)
        #expect(try await !handle("0"))
    }

    @Test("A machine remembers a number of messages, and forgets the oldest")
    func byCount() async throws {
        for message in ["1", "2", "3"] { #expect(try await handle(message, .last(2))) }
        #expect(try await !handle("3", .last(2)))
        #expect(try await !handle("2", .last(2)))
        #expect(try await handle("1", .last(2)))
        #expect(try await handle("2", .last(2)))
        #expect(try await !handle("2", .last(0)))
    }

    @Test("A machine remembers messages for a time, by the scheduler's clock")
    func byTime() async throws {
        let memory = MessageMemory.within(.seconds(60))
        #expect(try await handle("1", memory))
        await clock.advance(by: .seconds(60))
        #expect(try await !handle("1", memory))
        #expect(try await handle("2", memory))
        await clock.advance(by: .seconds(1))
        #expect(try await handle("1", memory))
        #expect(try await !handle("2", memory))
        let handled = try #require(try await store.load("tea")?.handled)
        #expect(handled.count < 100)
    }

    @Test("Messages with different UTF-8 differ, and a machine created again remembers none")
    func exact() async throws {
        #expect(try await handle("\u{E9}"))
        #expect(try await handle("e\u{301}"))
        #expect(try await !handle("\u{E9}"))
        try await store.delete("tea")
        #expect(try await handle("\u{E9}"))
    }

    @Test("In a unit with several machines, a message that was handled before changes none of them")
    func inUnit() async throws {
        let (store, stock) = (store, stock)
        for round in 0..<2 {
            try await store.unit { unit in
                guard let tea = try await unit.machine("tea", of: stock, once: "1") else {
                    #expect(round == 1)
                    return
                }
                let milk = try await unit.machine("milk", of: stock)
                for machine in [tea, milk] { try machine.fire.take(StockedState(1)) }
            }
        }
        #expect(try await store.load("milk")?.revision == 1)
        #expect(try await store.load("tea")?.revision == 1)
    }

    @Test(
        "Unreadable handled messages are an error for a message, and not for an update without one",
        arguments: ["[{", "{}", #"[{"id":"1"}]"#]
    )
    func damaged(handled: String) async throws {
        #expect(try await handle("1"))
        var row = try #require(try await store.load("tea"))
        row.handled = Data(handled.utf8)
        try await store.save(row)
        let stored = try await store.load("tea")
        for message in ["1", "2"] {
            let error = await #expect(throws: StoreError.self) { try await handle(message) }
            guard case .damaged("tea", _) = error else { return #expect(Bool(false), "\(String(describing: error))") }
        }
        #expect(try await store.load("tea") == stored)
        try await stock.update("tea") { try $0.fire.take(StockedState(7)) }
        let updated = try #require(try await store.load("tea"))
        #expect(updated.revision == row.revision + 2 && updated.handled == row.handled)
        #expect((try await stock.machine("tea")?.machine.state as? StockedState)?.count == 7)
    }

    @Test("A message is remembered as long as its own call asks, independent of other calls")
    func memoriesBesideOneAnother() async throws {
        let memory = MessageMemory.within(.seconds(86_400))
        #expect(try await handle("notice", memory))
        for click in 1...3 { #expect(try await handle("click \(click)", .last(1))) }
        #expect(try await !handle("notice", memory))
        // Another release remembers fewer messages.
        for message in 1...5 { #expect(try await handle("\(message)", .last(5))) }
        #expect(try await handle("6", .last(2)))
        #expect(try await !handle("3", .last(5)))
    }

    @Test("A call with a smaller memory does not handle a message again that the machine remembers")
    func smallerMemory() async throws {
        #expect(try await handle("notice", .last(100)))
        #expect(try await handle("payment", .within(.seconds(86_400))))
        for click in 1...10 { #expect(try await handle("click \(click)", .last(10))) }
        #expect(try await !handle("notice", .last(10)))
        #expect(try await !handle("payment", .last(1)))
    }
}
