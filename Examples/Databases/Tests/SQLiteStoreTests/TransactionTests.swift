import Foundation
import GRDB
import Heraclitus
import HeraclitusStores
import SQLStores
import SQLiteStore
import StoreTesting
import Testing

@Suite("Machines and the program's own rows in one transaction") struct TransactionTests {
    private let place: Place
    private let database: DatabasePool
    private let store: SQLiteStore

    private struct Refused: Error {}

    init() async throws {
        place = try Place()
        database = try DatabasePool(path: place.file.path)
        try await database.write { try $0.execute(sql: "create table bills (number integer)") }
        store = try await SQLiteStore(database)
    }

    private var bills: Int {
        get async throws { try await database.read { try Int.fetchOne($0, sql: "select count(*) from bills") ?? 0 } }
    }

    /// Passes a turnstile in a transaction.
    private func pass(_ id: String, _ db: Database) throws {
        try store.unit(in: db) { unit in
            try unit.machine(id, of: store.workflow(Turnstile.self)).fire.pass { closed in
                Turnstile.ClosedState(passed: closed.passed + 1, closeBy: nil)
            }
        }
    }

    @Test("Machines and rows are saved together")
    func together() async throws {
        for _ in 0..<3 {
            try await database.write { db in
                try pass("1", db)
                try db.execute(sql: "insert into bills values (1)")
                try pass("1", db)
                try pass("2", db)
            }
        }
        #expect(try await store.passed("1") == 6)
        #expect(try await store.passed("2") == 3)
        #expect(try await bills == 3)
    }

    @Test("An error of the program's own code leaves the machines unchanged")
    func ownFailure() async throws {
        try await store.pass("1")
        await #expect(throws: Refused.self) {
            try await database.write { db in
                try pass("1", db)
                try pass("new", db)
                throw Refused()
            }
        }
        await #expect(throws: GRDB.DatabaseError.self) {
            try await database.write { db in
                try pass("1", db)
                try db.execute(sql: "insert into nothing values (1)")
            }
        }
        #expect(try await store.passed("1") == 1)
        #expect(try await store.load("new") == nil)
    }

    @Test("A rejected event leaves the program's own rows unchanged")
    func rejection() async throws {
        await #expect(throws: InvalidTransition.self) {
            try await database.write { db in
                try db.execute(sql: "insert into bills values (1)")
                try store.unit(in: db) { unit in
                    let machine = try unit.machine("1", of: store.workflow(Turnstile.self))
                    try machine.fire.pass { $0 }
                    try machine.fire.close { _ in Turnstile.ClosedState(passed: 9, closeBy: nil) }
                }
            }
        }
        #expect(try await bills == 0)
        #expect(try await store.load("1") == nil)
    }

    @Test("A transaction continues without a unit whose error is caught")
    func caught() async throws {
        try await database.write { db in
            try pass("1", db)
            do {
                try store.unit(in: db) { unit in
                    try unit.machine("2", of: store.workflow(Turnstile.self)).fire.pass { $0 }
                    try db.execute(sql: "insert into bills values (1)")
                    throw Refused()
                }
            } catch is Refused {}
        }
        #expect(try await store.passed("1") == 1)
        #expect(try await store.load("2") == nil)
        #expect(try await bills == 0)
    }

    @Test("A unit sees the changes of its transaction, and leaves effects and values like any other unit")
    func content() async throws {
        try await database.write { db in
            for number in 1...3 {
                try store.unit(in: db) { unit in
                    let meter = try unit.machine("1", of: store.workflow(Meter.self))
                    #expect((meter.state as? Meter.CountedState)?.number == number - 1)
                    try meter.fire.count { Meter.CountedState($0.number + 1) }
                }
            }
        }
        let ledger = Ledger(at: place.folder.url.appending(path: "ledger"))
        try await store.deliverAll(into: ledger)
        #expect(try await ledger.differences(from: store, ids: ["1"]) == [])
        #expect(try await store.load("1")?.revision == 3)
    }

    @Test("The bell rings after a commit, and stays silent after a rollback")
    func bell() async throws {
        let bell = try #require(store.bell)
        @Sendable func open(_ id: String, _ db: Database) throws {
            try store.unit(in: db) { unit in
                try unit.machine(id, of: store.workflow(Turnstile.self)).fire.open { closed in
                    Turnstile.OpenState(passed: closed.passed, closeBy: .now)
                }
            }
        }
        try await database.write { db in
            try open("1", db)
            #expect(bell.rings == 0)
        }
        #expect(bell.rings == 1)
        try? await database.write { db in
            try open("2", db)
            throw Refused()
        }
        #expect(bell.rings == 1)
        try await database.write { try $0.execute(sql: "insert into bills values (1)") }
        #expect(bell.rings == 1)
        try await store.save(archive("3", due: .now))
        #expect(bell.rings == 2)
    }

    @Test("An event fired after its unit is rejected")
    func afterwards() async throws {
        let machine = try await database.write { db in
            try store.unit(in: db) { try $0.machine("1", of: store.workflow(Turnstile.self)) }
        }
        #expect(throws: InvalidTransition.self) { try machine.fire.pass { $0 } }
    }

    @Test("The tables of a store stand beside those of the program, which stay unchanged")
    func beside() async throws {
        try await store.pass("1")
        let again = try await SQLiteStore(DatabaseQueue(path: place.file.path))
        #expect(try await again.passed("1") == 1)
        let alone = try await place.store()
        #expect(try await alone.passed("1") == 1)
        #expect(try place.text("pragma application_id") == ["0"])
        #expect(try place.text("pragma user_version") == ["0"])
        #expect(try place.text("select version from machines_schema") == ["3"])
    }

    @Test("A store refuses tables of another program, and of a newer version")
    func others() async throws {
        let other = try Place()
        try other.change("create table machines (number integer)")
        let error = await #expect(throws: SQLStores.DatabaseError.self) {
            try await SQLiteStore(DatabaseQueue(path: other.file.path))
        }
        guard case .otherTables = error?.reason else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(try other.text("select name from sqlite_schema") == ["machines"])
        try place.change("update machines_schema set version = 7")
        let newer = await #expect(throws: SQLStores.DatabaseError.self) { try await SQLiteStore(database) }
        #expect(newer?.reason == .newerSchema(found: 7, supported: 3))
    }
}
