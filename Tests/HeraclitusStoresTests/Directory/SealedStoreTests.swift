import Foundation
import Heraclitus
import HeraclitusStores
import Testing

@testable import Fixtures

@Suite("Sealed stores") struct SealedStoreTests {
    private let place = DirectoryPlace()

    /// A row with a secret in each sealed part.
    private static func row(_ id: String, replacing revision: Int = 0, buyer: String = "ada") -> StoredArchive {
        StoredArchive(
            id: id,
            revision: revision,
            workflow: "Lamp",
            version: 1,
            state: "On",
            entered: DirectoryPlace.date,
            due: DirectoryPlace.date,
            values: ["buyer": .text(buyer)],
            archive: Data("secret\nsecret".utf8),
            handled: Data("secret".utf8)
        )
    }

    private static let effects = WaitingEffects(
        content: Data("secret".utf8),
        next: "Mail",
        date: DirectoryPlace.date,
        worker: nil
    )

    /// A mask of a value that hides the value.
    private static func masked(_ value: StoredValue) -> StoredValue {
        if case .text(let text) = value {
            .text(String(text.utf8.reduce(5381) { $0 &* 33 &+ Int($1) }, radix: 36))
        } else {
            value
        }
    }

    /// The readable content of a file.
    private func text(_ file: String) throws -> String {
        String(decoding: try Data(contentsOf: place.folder.appendingPathComponent(file)), as: UTF8.self)
    }

    @Test("Archives, effects and handled messages are unreadable in the store, and survive")
    func secret() async throws {
        let base = try place.store()
        let store = base.sealed(by: Seal())
        try await store.save([.save(Self.row("1"), effects: (nil, Self.effects))])
        #expect(try !text("1.json").contains("secret"))
        #expect(try text("1.json").contains(#""values":{"buyer":"ada"}"#))
        var expected = Self.row("1")
        (expected.revision, expected.effects) = (1, Self.effects)
        #expect(try await store.load("1") == expected)
        #expect(try await store.load(["1"]) == [expected])
        #expect(try await store.claim(DirectoryPlace.claim()) == [expected])
        #expect(try await store.counts(ArchiveQuery()) == ["On": 1])
    }

    @Test("Sealed bytes begin with a line of the values, as those of earlier rows do")
    func bytes() async throws {
        let base = InMemoryStore()
        var row = Self.row("1")
        row.values["total"] = .number(7.5)
        try await base.sealed(seal: { $0 }, open: { $0 }).save([.save(row)])
        let sealed = try #require(await base.load("1"))
        #expect(String(decoding: sealed.archive, as: UTF8.self) == #"{"buyer":"ada","total":7.5}"# + "\nsecret\nsecret")
    }

    @Test("Mapped values are unreadable, find their machine, and survive")
    func values() async throws {
        let store = try place.store().sealed(by: Seal(), sealValue: Self.masked)
        try await store.save([.save(Self.row("1")), .save(Self.row("2", buyer: "bob"))])
        #expect(try !text("1.json").contains("ada"))
        let query = ArchiveQuery { $0.values = [.equal("buyer", .text("ada"))] }
        #expect(try await store.ids(query) == ["1"])
        #expect(try await store.counts(query) == ["On": 1])
        #expect(try await store.load("2")?.values == ["buyer": .text("bob")])
    }

    @Test("A value that is mapped to an infinite number finds its machine")
    func mappedToInfinity() async throws {
        let store = try place.store().sealed(by: Seal(), sealValue: { _ in .number(.infinity) })
        try await store.save([.save(Self.row("1"))])
        let query = ArchiveQuery { $0.values = [.equal("buyer", .text("ada"))] }
        #expect(try await store.ids(query) == ["1"])
        #expect(try await store.load("1")?.values == ["buyer": .text("ada")])
    }

    @Test("Only a change with the current effects replaces effects, although their sealed bytes differ each time")
    func replacedEffects() async throws {
        let store = try place.store().sealed(by: Seal())
        try await store.save([.save(Self.row("1"), effects: (nil, Self.effects))])
        let new = WaitingEffects(content: Data("new".utf8), next: nil, date: DirectoryPlace.date, worker: "me")
        try await store.save([.effects(of: "1", (Self.effects, new))])
        #expect(try await store.load("1")?.effects == new)
        for old in [Self.effects, nil] {
            await #expect(throws: StoreError.self) {
                try await store.save([.effects(of: "1", (old, nil))])
            }
        }
        #expect(try await store.load("1")?.effects == new)
    }

    @Test("With a wrong key, archives are damaged, which workers are told")
    func wrongKey() async throws {
        let base = try place.store()
        try await base.sealed(by: Seal()).save(Self.row("1"))
        let store = base.sealed(by: Seal(key: 3))
        await #expect(throws: StoreError.self) { try await store.load("1") }
        let error = await #expect(throws: StoreError.self) { try await store.claim(DirectoryPlace.claim()) }
        guard case .damaged("1", _) = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(try await store.ids() == ["1"])
        // Unsealed rows are damaged, too.
        try await base.save(DirectoryPlace.row("2"))
        await #expect(throws: StoreError.self) { try await store.load("2") }
    }

    @Test("A unit of work without changes saves nothing, also with mapped values")
    func unchanged() async throws {
        let tickets = try place.store().sealed(by: Seal(), sealValue: Self.masked).workflow(Ticket.self)
        try await tickets.update("1") { try $0.fire.add(QueuedState(["a"])) }
        try await tickets.update("1") { _ in }
        #expect(try await tickets.store.load("1")?.revision == 1)
        #expect((try await tickets.machine("1")?.machine.state as? QueuedState)?.urls == ["a"])
    }

    @Test("A claim of one machine gets the readable one behind many unreadable ones")
    func unreadableBefore() async throws {
        let base = try place.store()
        for number in 0..<10 {
            let other = base.sealed(by: Seal(key: 3))
            try await other.save([.save(Self.row("\(number)"), effects: (nil, Self.effects))])
        }
        let store = base.sealed(by: Seal())
        try await store.save([.save(Self.row("readable"), effects: (nil, Self.effects))])
        let date = DirectoryPlace.date
        for queue in [ArchiveQuery.Queue.due(by: date), .effects(by: date, names: ["Mail"])] {
            #expect(try await store.claim(DirectoryPlace.claim(queue, limit: 1)).map(\.id) == ["readable"])
        }
    }

    @Test("With a wrong key, a claim of one machine at a time throws, and leases few machines")
    func fewLeases() async throws {
        let base = InMemoryStore()
        let store = base.sealed(by: Seal())
        for number in 0..<30 {
            try await store.save([.save(Self.row("\(number)"), effects: (nil, Self.effects))])
        }
        let wrong = base.sealed(by: Seal(key: 3))
        let claim = DirectoryPlace.claim(.effects(by: DirectoryPlace.date, names: nil), limit: 1)
        let error = await #expect(throws: StoreError.self) { try await wrong.claim(claim) }
        // The error has the first machine.
        guard case .damaged("0", _) = error else { return #expect(Bool(false), "\(String(describing: error))") }
        let leased = try await base.load(base.ids()).filter { $0.effects?.worker != nil }
        #expect((1...16).contains(leased.count))
    }
}
