import Foundation
import Heraclitus
import HeraclitusStores
import PostgresStore
import SQLStores
import StoreTesting
import Testing

@Suite(
    "Effects in a database of PostgreSQL",
    .enabled(
        if: Server.isExpected,
        "No PostgreSQL server is installed; HERACLITUS_NEEDS_POSTGRES makes that a failure."
    )
)
struct EffectTests {
    @Test(
        "Workers that are killed, and a server that is restarted, lose no save and no effect",
        .timeLimit(.minutes(60))
    )
    func kills() async throws {
        let server = try await Server()
        let database = try await server.database()
        let folder = try TemporaryFolder()
        let ledger = Ledger(at: folder.url.appending(path: "ledger"))
        let ids = ["1", "2", "3"]
        let others = [try Worker(database, ledger, ids: ids), try Worker(database, ledger, ids: ids)]
        for round in 1...rounds(10) {
            let worker = try Worker(database, ledger, ids: ids)
            let count = try ledger.savedCount
            if round % 5 == 0 {
                try await server.stop()
                try await server.start()
            }
            #expect(await wait { (try? ledger.savedCount) ?? 0 > count + 5 })
            try await Task.sleep(for: .milliseconds(Int.random(in: 0..<20)))
            worker.kill()
        }
        for other in others { other.kill() }
        let store = try await PostgresStore(database)
        try await store.deliverAll(into: ledger)
        #expect(try await ledger.differences(from: store, ids: ids) == [])
        #expect(try ledger.isInOrder())
    }

    @Test("A worker skips the machines that others are claiming, and does not wait for them")
    func skipping() async throws {
        let server = try await Server.shared.value
        let database = try await server.database()
        let store = try await PostgresStore(database)
        for id in ["1", "2", "3"] { _ = try await store.count(id) }
        let (began, begin) = AsyncStream<Void>.makeStream()
        let mayEnd = DispatchSemaphore(value: 0)
        let holding = Task {
            try await store.claim(effectsBy: .now + 60, of: Meter.name, limit: 2) { archive in
                begin.yield()
                // On a thread of the store's, until the other has what is left; not forever, if that one waits for this.
                _ = mayEnd.wait(timeout: .now() + 20)
                mayEnd.signal()
                return archive
            }
        }
        for await _ in began { break }
        let claimed = try await store.claim(effectsBy: .now + 60, of: Meter.name, limit: 3) { $0 }
        mayEnd.signal()
        #expect(claimed.map(\.id) == ["3"])
        #expect(try await holding.value.map(\.id) == ["1", "2"])
    }

    @Test("A table of the first version gets the column for effects, once, also when several open it at once")
    func upgrade() async throws {
        let server = try await Server.shared.value
        let database = try await server.database()
        try await PostgresStore(database).save(archive("1"))
        try await server.sql(
            "drop index machines_by_effects",
            "alter table machines drop column effects",
            "update machines_schema set version = 1",
            in: database
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 2..<8 {
                group.addTask { try await PostgresStore(database, connections: 1).save(archive("\(number)")) }
            }
            try await group.waitForAll()
        }
        let store = try await PostgresStore(database)
        #expect(try await store.ids().count == 7)
        #expect(try await store.count("meter") == 1)
        #expect(try await store.ids(withEffectsBy: .now, of: Meter.name, limit: 10) == ["meter"])
    }

    @Test("A table of the first version that was left half made is completed")
    func halfMade() async throws {
        let server = try await Server.shared.value
        let database = try await server.database()
        _ = try await PostgresStore(database)
        try await server.sql(
            "drop table machines_schema",
            "drop index machines_by_effects",
            "alter table machines drop column effects",
            in: database
        )
        let store = try await PostgresStore(database)
        #expect(try await store.count("meter") == 1)
        #expect(try await store.ids(withEffectsBy: .now, of: Meter.name, limit: 10) == ["meter"])
    }

    @Test("Rows that cannot be loaded hold up no others, however many of them come first")
    func damaged() async throws {
        let server = try await Server.shared.value
        let database = try await server.database()
        let store = try await PostgresStore(database)
        for number in 100..<140 { _ = try await store.count("\(number)") }
        try await server.sql("update machines set id_rest = 'A' where id < '130'", in: database)
        let claimed = try await store.claim(effectsBy: .now + 60, of: Meter.name, limit: 2) { $0 }
        #expect(claimed.map(\.id) == ["130", "131"])
        let delivered = try await store.deliver(Meter.self, policy: DeliveryPolicy(machinesAtOnce: 2)) { _, _ in }
        #expect(delivered == 10)
        let left = try await store.ids(withEffectsBy: .distantFuture, of: Meter.name, limit: 100)
        #expect(left == (100..<130).map { "\($0)" })
    }
}
