import Foundation
import Heraclitus
import HeraclitusStores
import PostgresStore
import StoreTesting
import Testing

@Suite(
    "Effects in a PostgreSQL database",
    .enabled(
        if: Server.isExpected,
        "No PostgreSQL server is installed; HERACLITUS_NEEDS_POSTGRES makes that a failure."
    )
)
struct EffectTests {
    @Test(
        "Killed workers and server restarts lose no save and no effect",
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

    @Test("A claim skips locked machines without waiting")
    func skipping() async throws {
        let server = try await Server.shared.value
        let database = try await server.database()
        let store = try await PostgresStore(database)
        for id in ["1", "2", "3"] { _ = try await store.count(id) }
        let (began, begin) = AsyncStream<Void>.makeStream()
        let mayEnd = DispatchSemaphore(value: 0)
        let holding = Task {
            try await store.write { connection in
                try connection.execute("update machines set due = due where id in ('1', '2')")
                begin.yield()
                // Blocks a thread of the store until the claim returns. The time-out ends the test if the claim waits for the lock.
                _ = mayEnd.wait(timeout: .now() + 20)
                mayEnd.signal()
            }
        }
        for await _ in began { break }
        let claimed = try await store.claim(claim(effectsBy: .now + 60, limit: 3))
        mayEnd.signal()
        #expect(claimed.map(\.id) == ["3"])
        try await holding.value
    }

    @Test("Unreadable rows do not delay other rows, even when many of them come first")
    func damaged() async throws {
        let server = try await Server.shared.value
        let database = try await server.database()
        let store = try await PostgresStore(database)
        for number in 100..<140 { _ = try await store.count("\(number)") }
        try await server.sql("update machines set id_rest = 'A' where id < '130'", in: database)
        #expect(try await store.claim(claim(effectsBy: .distantPast, limit: 2)) == [])
        #expect(try await store.deliver(machinesAtOnce: 2).count == 10)
        let left = try await store.ids(withEffectsBy: .distantFuture).sorted()
        #expect(left == (100..<130).map { "\($0)" })
        let claimed = try await store.claim(claim(effectsBy: .distantFuture, limit: 2))
        #expect(claimed == [])
    }
}
