import Foundation
import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import Testing

@testable import Fixtures

@Suite("Finding stored machines") struct FindingTests {
    final class OpenState: EmptyState {}

    class PaidState: WorkflowState, Findable, @unchecked Sendable {
        let buyer: String
        let total: Double
        init(_ buyer: String, _ total: Double) { (self.buyer, self.total) = (buyer, total) }
        var foundBy: [String: StoredValue] {
            ["buyer": .text(buyer), "total": .number(total), "isLarge": .number(total > 100 ? 1 : 0)]
        }
    }

    final class GiftState: PaidState, @unchecked Sendable {}

    struct Order: Workflow {
        static var initial: any WorkflowState { OpenState() }
        static var states: [any WorkflowState.Type] { [GiftState.self] }
        let pay = Event(from: OpenState.self, PaidState.self, to: PaidState.self)
        let correct = Event(updating: PaidState.self)
        let reopen = Event(from: PaidState.self, to: OpenState.self)
    }

    private let clock = ManualClock()

    private func orders(_ store: any ArchiveStore) -> StoredWorkflow<Order> {
        store.workflow(Order.self, scheduler: clock.scheduler)
    }

    private func filled(_ kind: String) async throws -> (StorePlace, StoredWorkflow<Order>) {
        let place = try StorePlace(kind)
        let orders = orders(place.store)
        let buyers = [("1", "ada", 5.0), ("2", "bob", 50), ("3", "ada", 500), ("4", "Ada", 0)]
        for (id, buyer, total) in buyers {
            try await orders.update(id) { try $0.fire.pay(PaidState(buyer, total)) }
            await clock.advance(by: .seconds(10))
        }
        try await orders.update("5") { try $0.fire.pay(GiftState("ada", 7)) }
        try await orders.update("open") { $0.activate() }
        try await place.store.save(StateMachine<TicketLamp>(), as: "lamp", expecting: 0)
        return (place, orders)
    }

    @Test("Machines are found by the values of their states", arguments: StoreTests.kinds)
    func values(kind: String) async throws {
        let (place, orders) = try await filled(kind)
        #expect(try await orders.ids(where: .equal("buyer", .text("ada"))) == ["1", "3", "5"])
        let large = try await orders.ids(where: .equal("buyer", .text("ada")), .greaterOrEqual("total", .number(7)))
        #expect(large == ["3", "5"])
        #expect(try await orders.ids(where: .greater("total", .number(5)), .less("total", .number(500))) == ["2", "5"])
        #expect(try await orders.ids(where: .lessOrEqual("total", .number(5))) == ["1", "4"])
        #expect(try await orders.ids(where: .equal("isLarge", .number(1))) == ["3"])
        #expect(try await orders.ids(in: [GiftState.self], where: .equal("buyer", .text("ada"))) == ["5"])
        #expect(try await orders.ids(where: .equal("buyer", .number(5))) == [])
        #expect(try await orders.ids(where: .equal("nothing", .text("ada"))) == [])
        #expect(try await orders.ids(where: .equal("buyer", .text("ada")), after: "1", limit: 1) == ["3"])
        // Another state, an update, and a deletion.
        try await orders.update("1") { try $0.fire.reopen() }
        try await orders.update("3") { try $0.fire.correct(PaidState("bob", 500)) }
        try await place.store.delete("5")
        #expect(try await orders.ids(where: .equal("buyer", .text("ada"))) == [])
        #expect(try await orders.ids(where: .equal("buyer", .text("bob"))) == ["2", "3"])
        #expect(try await place.store.load("1")?.values == [:])
    }

    @Test(
        "Machines are found by the date of entering their state, which an update keeps",
        arguments: StoreTests.kinds
    )
    func entered(kind: String) async throws {
        let (place, orders) = try await filled(kind)
        let start = Date(timeIntervalSinceReferenceDate: 0)
        #expect(try await orders.ids(in: [PaidState.self], enteredBefore: start + 15) == ["1", "2"])
        #expect(try await orders.ids(enteredBefore: start + 40, enteredAfter: start + 10) == ["3", "4"])
        #expect(try await place.store.load("3")?.entered == start + 20)
        try await orders.update("3") { try $0.fire.correct(PaidState("eve", 1)) }
        #expect(try await place.store.load("3")?.entered == start + 20)
        try await orders.update("3") { try $0.fire.pay(PaidState("eve", 1)) }
        #expect(try await place.store.load("3")?.entered == clock.date)
        try await orders.update("3") { $0.activate() }
        await clock.advance(by: .seconds(10))
        try await orders.update("3") { try $0.fire.correct(PaidState("eve", 2)) }
        #expect(try await place.store.load("3")?.entered == clock.date - 10)
    }

    @Test("Machines are listed in pages by state, and counted", arguments: StoreTests.kinds)
    func pages(kind: String) async throws {
        let (place, orders) = try await filled(kind)
        // The folder is removed with the place.
        defer { withExtendedLifetime(place) {} }
        var (found, last) = ([[String]](), String?.none)
        repeat {
            let page = try await orders.ids(in: [PaidState.self, GiftState.self], after: last, limit: 2)
            if !page.isEmpty { found.append(page) }
            last = page.last
        } while last != nil
        #expect(found == [["1", "2"], ["3", "4"], ["5"]])
        #expect(try await orders.counts() == ["PaidState": 4, "GiftState": 1, "OpenState": 1])
        #expect(try await orders.counts(where: .equal("buyer", .text("ada"))) == ["PaidState": 2, "GiftState": 1])
    }

    @Test("The machines of a workflow come one after the other, passive, up to the last page")
    func machines() async throws {
        let (place, orders) = try await filled("memory")
        for number in 0..<450 { try await orders.update("n\(1_000 + number)") { try $0.fire.pay(PaidState("n", 1)) } }
        var ids: [String] = []
        for try await (id, order) in orders.machines(in: [PaidState.self]) {
            #expect(order.isIn(PaidState.self) && !order.isActive)
            ids.append(id)
            // A deleted machine is skipped.
            if id == "4" { try await place.store.delete("n1300") }
        }
        #expect(ids.count == 453 && ids == ids.sorted() && ids.first == "1" && ids.last == "n1449")
        var bought: [String] = []
        for try await (id, _) in orders.machines(where: .equal("buyer", .text("ada"))) { bought.append(id) }
        #expect(bought == ["1", "3", "5"])
    }

    @Test("Values are compared exactly")
    func storedValues() {
        #expect(StoredValue.date(Date(timeIntervalSinceReferenceDate: 12.5)) == .number(12.5))
        let found: [String: StoredValue] = ["name": .text("e\u{301}"), "number": .number(2)]
        for (condition, isMet) in [
            (.equal("name", .text("e\u{301}")), true), (.equal("name", .text("\u{E9}")), false),
            (.greater("name", .text("e")), true), (.less("name", .text("f")), true),
            (.greaterOrEqual("name", .text("e\u{301}")), true), (.lessOrEqual("name", .text("e\u{301}")), true),
            (.greaterOrEqual("number", .number(2)), true), (.lessOrEqual("number", .number(2)), true),
            (.greaterOrEqual("number", .number(3)), false), (.lessOrEqual("number", .number(1)), false),
            (.less("number", .number(2)), false), (.greater("number", .number(2)), false),
            (.equal("number", .text("2")), false), (.less("number", .text("3")), false),
        ] as [(StoredCondition, Bool)] {
            #expect(condition.isMet(by: found) == isMet, "\(condition)")
        }
        // As in databases, a value that is no number meets no condition.
        for condition: StoredCondition in [
            .greater("x", .number(1)), .greaterOrEqual("x", .number(1)), .less("x", .number(1)),
            .lessOrEqual("x", .number(1)), .equal("x", .number(1)),
        ] {
            #expect(!condition.isMet(by: ["x": .number(.nan)]), "\(condition)")
        }
        let beyond: StoredCondition = .greater("x", .number(.nan))
        #expect(!beyond.isMet(by: ["x": .number(1)]))
    }

    @Test("Texts with different UTF-8 are different values, although Swift calls them equal")
    func spellings() {
        let (decomposed, precomposed) = ("ne\u{301}", "n\u{E9}")
        #expect(decomposed == precomposed)
        let values = [StoredValue.text(decomposed), .text(precomposed)]
        #expect(Set(values + values).count == 2)
        #expect(StoredValue.text(decomposed) != .text(precomposed))
        #expect(StoredValue.text(decomposed) == .text(decomposed))
        #expect(StoredValue.text("7") != .number(7))
    }

    @Test("The largest finite number stands for an infinite one")
    func infinite() {
        let largest = Double.greatestFiniteMagnitude
        let query = ArchiveQuery {
            $0.values = [.equal("x", .number(.infinity)), .less("x", .number(-.infinity)), .greater("x", .text("inf"))]
            $0.values.append(.lessOrEqual("x", .date(Date(timeIntervalSinceReferenceDate: -.infinity))))
            $0.values.append(.greaterOrEqual("x", .number(largest)))
        }
        let expected: [StoredCondition] = [
            .equal("x", .number(largest)), .less("x", .number(-largest)), .greater("x", .text("inf")),
            .lessOrEqual("x", .number(-largest)), .greaterOrEqual("x", .number(largest)),
        ]
        #expect(query.values == expected)
    }

    final class SharedState: WorkflowState, Findable {
        let part: Double
        let whole: Double
        init(_ part: Double, of whole: Double) { (self.part, self.whole) = (part, whole) }
        var foundBy: [String: StoredValue] { ["share": .number(part / whole), "part": .number(part)] }
    }

    struct Sharing: Workflow {
        static var initial: any WorkflowState { OpenState() }
        let share = Event(from: OpenState.self, to: SharedState.self)
    }

    @Test("Every store finds infinite values as the largest numbers, and stores no NaN")
    func notFinite() async throws {
        let place = DirectoryPlace()
        let directory = try place.store()
        for store in [InMemoryStore(), directory, InMemoryStore().sealed(by: Seal())] as [any ArchiveStore] {
            let shares = store.workflow(Sharing.self, scheduler: clock.scheduler)
            for (id, part, whole) in [("least", -1.0, 0.0), ("most", 1, 0), ("none", 0, 0), ("six", 6, 1)] {
                try await shares.update(id) { try $0.fire.share(SharedState(part, of: whole)) }
                // A value that differs from itself would be saved again and again.
                try await shares.update(id) { _ in }
                #expect(try await store.load(id)?.revision == 1)
            }
            #expect(try await shares.ids(where: .greaterOrEqual("share", .number(5))) == ["most", "six"])
            #expect(try await shares.ids(where: .equal("share", .number(.infinity))) == ["most"])
            #expect(try await shares.ids(where: .equal("share", .number(-.infinity))) == ["least"])
            #expect(try await shares.ids(where: .less("share", .number(5))) == ["least"])
            #expect(try await shares.ids(where: .lessOrEqual("share", .number(.infinity))) == ["least", "most", "six"])
            let all = try await shares.ids(where: .greaterOrEqual("share", .number(-.infinity)))
            #expect(all == ["least", "most", "six"])
            #expect(try await shares.ids(where: .equal("share", .number(.nan))) == [])
            #expect(try await shares.ids(where: .equal("part", .number(0))) == ["none"])
            #expect(try await store.load("none")?.values == ["part": .number(0)])
            #expect(try await shares.upgrade().count == 0)
        }
        withExtendedLifetime(place) {}
    }
}
