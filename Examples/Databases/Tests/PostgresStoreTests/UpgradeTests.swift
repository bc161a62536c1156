import Foundation
import Heraclitus
import HeraclitusStores
import PostgresStore
import StoreTesting
import Synchronization
import Testing

@Suite(
    "Tables of earlier releases",
    .enabled(
        if: Server.isExpected,
        "No PostgreSQL server is installed; HERACLITUS_NEEDS_POSTGRES makes that a failure."
    )
)
struct UpgradeTests {
    /// The tables of a program of version 2, whose archives contain the effects.
    private static let tables = [
        """
        create table machines (
        id bytea not null, id_hash bytea not null, id_rest bytea not null,
        revision bigint not null check (revision > 0), token bytea not null,
        workflow text, state text, due double precision, archive bytea, effects double precision,
        primary key (id, id_hash),
        check ((workflow is null) = (state is null) and (archive is null) = (state is null))
        )
        """,
        "create index machines_by_state on machines (workflow, state, id) where state is not null",
        "create index machines_by_workflow on machines (workflow, id) where state is not null",
        "create index machines_by_due on machines (workflow, due, id) where due is not null",
        "create index machines_by_effects on machines (workflow, effects, id) where effects is not null",
        "create table machines_schema (one bigint primary key check (one = 1), version bigint not null)",
        "insert into machines_schema (one, version) values (1, 2)",
    ]

    /// The archive of a meter with a number, without effects.
    private func meter(_ number: Int) throws -> String {
        let meter = StateMachine<Meter>()
        for _ in 0..<number { try meter.fire.count { counted in Meter.CountedState(counted.number + 1) } }
        return String(decoding: try meter.archive(), as: UTF8.self)
    }

    private func database() async throws -> String {
        let server = try await Server.shared.value
        let database = try await server.database()
        for statement in Self.tables { try await server.sql(statement, in: database) }
        let outbox =
            #","outbox":{"effects":[{"name":"Reading","data":{"number":1},"revision":1,"index":0}],"at":"2001-01-01T00:01:40.000Z"}}"#
        let waiting = String(try meter(1).dropLast()) + outbox
        try await server.sql(
            "insert into machines values ('1', '', '', 1, 'token', 'Meter', 'CountedState', null, convert_to('\(waiting)', 'UTF8'), 100)",
            "insert into machines values ('2', '', '', 5, 'token', 'Meter', 'CountedState', null, convert_to('\(try meter(1))', 'UTF8'), null)",
            "insert into machines values ('3', '', '', 7, 'token', null, null, null, null, null)",
            in: database
        )
        return database
    }

    /// Checks the machines of the earlier release, and delivers the effects of the first.
    private func check(_ store: PostgresStore, counted: Int = 1) async throws {
        #expect(try await store.ids() == ["1", "2"])
        #expect(try await store.ids(withEffectsBy: .now) == ["1"])
        let loaded = try #require(try await store.load("1"))
        #expect(loaded.effects?.next == "Reading")
        #expect(loaded.effects?.date == Date(timeIntervalSinceReferenceDate: 100))
        #expect(!String(decoding: loaded.archive, as: UTF8.self).contains("outbox"))
        let readings = Readings()
        #expect(try await store.deliver { reading, _ in readings.add(reading.number) }.count == counted)
        #expect(readings.all == Array(1...counted))
        #expect(try await store.load("1")?.effects == nil)
        #expect(try await store.count("2") == 2)
        #expect(try await store.count("3") == 1)
        #expect(try await store.load("3")?.revision == 8)
        #expect(try await store.ids(query { $0.values = [.equal("buyer", .text("ada"))] }) == [])
    }

    private final class Readings: Sendable {
        private let numbers = Mutex<[Int]>([])
        var all: [Int] { numbers.withLock { $0 } }
        func add(_ number: Int) { numbers.withLock { $0.append(number) } }
    }

    @Test("Effects within an archive of an earlier release are found and delivered")
    func former() async throws { try await check(try await PostgresStore(try await database())) }

    @Test("A save keeps the effects of an earlier release, and new effects come after them")
    func saving() async throws {
        let store = try await PostgresStore(try await database())
        let loaded = try #require(try await store.load("1"))
        #expect(try await store.save(loaded) == 2)
        #expect(try await store.load("1")?.effects?.date == loaded.effects?.date)
        try await check(store)
        let other = try await PostgresStore(try await database())
        #expect(try await other.count("1") == 2)
        try await check(other, counted: 2)
    }

    @Test("A worker leaves unknown effects of an earlier release to other workers")
    func unknown() async throws {
        let store = try await PostgresStore(try await database())
        var unknown = claim(effectsBy: .now, limit: 5)
        unknown.query.queue = .effects(by: .now, names: ["Other"])
        #expect(try await store.claim(unknown) == [])
        #expect(try await store.load("1")?.effects?.worker == nil)
        try await check(store)
    }

    @Test("Tables of each earlier version are upgraded once, even if several stores open them at once")
    func versions() async throws {
        for version in 1...2 {
            let server = try await Server.shared.value
            let database = try await database()
            if version == 1 {
                try await server.sql(
                    "delete from machines where effects is not null",
                    "alter table machines drop column effects",
                    "update machines_schema set version = 1",
                    in: database
                )
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 10..<16 {
                    group.addTask {
                        try await PostgresStore(database, connections: 1).save(archive("\(number)"))
                    }
                }
                try await group.waitForAll()
            }
            let store = try await PostgresStore(database)
            #expect(try await store.ids().count == (version == 1 ? 7 : 8))
            #expect(try await store.count("meter") == 1)
            #expect(try await store.ids(withEffectsBy: .now).contains("meter"))
        }
    }

    @Test(
        "Half-made and half-upgraded tables are completed",
        arguments: [
            ["alter table machines rename column effects to effects_date"],
            [
                "alter table machines rename column effects to effects_date",
                "alter table machines add column version bigint", "alter table machines add column found_by bytea",
            ],
            ["drop table machines_schema"], ["drop table machines_schema", "drop index machines_by_effects"],
        ]
    )
    func halfMade(statements: [String]) async throws {
        let server = try await Server.shared.value
        let database = try await database()
        for statement in statements { try await server.sql(statement, in: database) }
        try await check(try await PostgresStore(database))
    }

    @Test("A program of an earlier release fails to save, and loses no effects")
    func earlier() async throws {
        let server = try await Server.shared.value
        let database = try await database()
        _ = try await PostgresStore(database)
        // The statement that such a program sends.
        let save = "update machines set revision = revision + 1, token = 'A', effects = null where id = '1'"
        await #expect(throws: Server.Failed.self) { try await server.sql(save, in: database) }
        try await check(try await PostgresStore(database))
    }
}
