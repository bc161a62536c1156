import Foundation
import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import PostgresStore
import StoreTesting
import Testing

/// Claims effects of ``Meter``.
func claim(effectsBy date: Date, of workflow: String = Meter.name, limit: Int) -> StoreClaim {
    StoreClaim(
        .effects(by: date, names: [Meter.Reading.name]),
        of: [workflow],
        newestVersion: 1,
        until: date + 3_600,
        by: "worker",
        limit: limit
    )
}

extension ArchiveStore {
    /// The machines of ``Meter`` with effects that wait at a date.
    func ids(withEffectsBy date: Date) async throws -> [String] {
        try await ids(query { ($0.workflows, $0.queue) = ([Meter.name], .effects(by: date, names: nil)) })
    }

    /// Carries out all waiting effects of ``Meter``.
    func deliver(
        machinesAtOnce: Int = 8,
        _ handle: @escaping @Sendable (Meter.Reading, EffectKey) throws -> Void = { _, _ in }
    ) async throws -> WorkReport {
        let handlers = EffectHandlers().on(Meter.Reading.self) { try handle($0, $1) }
        return try await workflow(Meter.self).deliver(
            policy: DeliveryPolicy(machinesAtOnce: machinesAtOnce),
            to: handlers
        )
    }
}

@Suite(
    "The store in a PostgreSQL database",
    .enabled(
        if: Server.isExpected,
        "No PostgreSQL server is installed; HERACLITUS_NEEDS_POSTGRES makes that a failure."
    )
)
struct PostgresStoreTests {
    @Test("The store passes the conformance checks")
    func conformance() async throws {
        let server = try await Server.shared.value
        let failures = try await StoreConformance.failures { try await PostgresStore(try await server.database()) }
        #expect(failures == [])
    }

    @Test("Two stores of one database pass the conformance checks together")
    func twoStores() async throws {
        let server = try await Server.shared.value
        let failures = try await StoreConformance.failures {
            let database = try await server.database()
            return AlternatingStore([
                try await PostgresStore(database, connections: 2), try await PostgresStore(database, connections: 2),
            ])
        }
        #expect(failures == [])
    }

    @Test("A database with serializable transactions passes the conformance checks")
    func serializable() async throws {
        let server = try await Server.shared.value
        let failures = try await StoreConformance.failures {
            try await PostgresStore(
                try await server.database() + " options='-c default_transaction_isolation=serializable'"
            )
        }
        #expect(failures == [])
    }

    @Test("A time-out of any length is accepted, and limited to 24 days")
    func timeouts() async throws {
        let most = Duration.seconds(Int64.max)
        let server = try await Server(port: try Proxy.freePort())
        let store = try await PostgresStore(
            try await server.database(),
            connectTimeout: most,
            statementTimeout: most,
            networkTimeout: most
        )
        #expect(try await store.save(archive("1")) == 1)
        let found = try await store.write { try $0.rows("show statement_timeout") }
        #expect(found == [["\(Int32.max)ms"]])
    }

    @Test("Stores opened concurrently make one table")
    func together() async throws {
        let database = try await Server.shared.value.database()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask { try await PostgresStore(database, connections: 1).save(archive("\(number)")) }
            }
            try await group.waitForAll()
        }
        #expect(try await PostgresStore(database).ids().count == 8)
    }

    @Test("Processes and tasks that change one machine lose no change", .timeLimit(.minutes(10)))
    func processes() async throws {
        let database = try await Server.shared.value.database()
        let store = try await PostgresStore(database)
        let counter = products.appending(path: "counter").path
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    let (status, output) = try await run(counter, ["postgres", database, "1", "40"])
                    #expect(status == 0, "\(output)")
                }
                group.addTask { for _ in 0..<40 { try await store.pass("1") } }
            }
            try await group.waitForAll()
        }
        #expect(try await store.passed("1") == 160)
        #expect(try await store.load("1")?.revision == 160)
    }

    @Test("An upgrade of ten thousand archives reports progress, and continues after an interruption")
    func upgrade() async throws {
        let server = try await Server.shared.value
        let database = try await server.database()
        let store = try await PostgresStore(database)
        let machine = try StateMachine<Turnstile>().archive()
        for start in stride(from: 0, to: 10_000, by: 1_000) {
            try await store.save(
                (start..<(start + 1_000)).map {
                    .save(
                        StoredArchive(
                            id: "\($0)",
                            revision: 0,
                            workflow: "Turnstile",
                            version: 1,
                            state: "ClosedState",
                            archive: machine
                        )
                    )
                }
            )
        }
        struct Interrupted: Error { let upgrade: WorkReport }
        let turnstiles = store.workflow(LaterTurnstile.self)
        let error = await #expect(throws: Interrupted.self) {
            try await turnstiles.upgrade { if $0.count == 4_000 { throw Interrupted(upgrade: $0) } }
        }
        let interrupted = try #require(error).upgrade
        #expect(interrupted.count == 4_000)
        let rest = try await turnstiles.upgrade(after: interrupted.lastID)
        #expect(rest.count == 6_000)
        #expect(try await turnstiles.upgrade().count == 0)
        let count = try await server.sql("select count(*) from machines where revision = 2", in: database)
        #expect(count.trimmingCharacters(in: .whitespacesAndNewlines) == "10000")
    }

    @Test("A query for a name with NUL finds nothing")
    func nul() async throws {
        let store = try await PostgresStore(try await Server.shared.value.database())
        _ = try await store.count("1")
        try await store.save(archive("2", due: .now, values: ["buyer": .text("ada\0")]))
        func ids(_ change: (inout ArchiveQuery) -> Void) async throws -> [String] { try await store.ids(query(change)) }
        #expect(try await ids { ($0.workflows, $0.states) = (["Lamp", "Lamp\0"], ["On"]) } == ["2"])
        #expect(try await ids { $0.values = [.equal("buyer", .text("ada\0"))] } == ["2"])
        for end in ["\0", "\0x"] {
            #expect(try await ids { $0.workflows = ["Lamp" + end] } == [])
            #expect(try await ids { $0.states = ["On" + end] } == [])
            #expect(try await ids { $0.values = [.equal("buyer" + end, .text("ada\0"))] } == [])
            #expect(try await ids { ($0.workflows, $0.queue) = (["Lamp" + end], .due(by: .distantFuture)) } == [])
            #expect(try await ids { $0.queue = .effects(by: .distantFuture, names: [Meter.Reading.name + end]) } == [])
            let claimed = try await store.claim(claim(effectsBy: .distantFuture, of: Meter.name + end, limit: 9))
            #expect(claimed == [])
        }
    }
}
