import Foundation
import Heraclitus
import PostgresStore
import StoreTesting
import Testing

@Suite(
    "Two PostgreSQL machines, one of which dies",
    // Each round uses two servers.
    .serialized,
    .enabled(
        if: Server.isExpected,
        "No PostgreSQL server is installed; HERACLITUS_NEEDS_POSTGRES makes that a failure."
    )
)
struct TwoMachinesTests {
    @Test(
        "After a takeover by the standby, every acknowledged transition is there once, and every effect is there with one content",
        .timeLimit(.minutes(60)),
        arguments: 1...rounds(1)
    )
    func takeover(round: Int) async throws {
        let ports = [try Proxy.freePort(), try Proxy.freePort()]
        let primary = try await Server(port: ports[0])
        let standby = try await Server(port: ports[1], standbyOf: primary)
        try await primary.sql(
            "alter system set synchronous_standby_names = 'standby'",
            "select pg_reload_conf()",
            in: "postgres"
        )
        #expect(
            await wait {
                let state = try? await primary.sql("select sync_state from pg_stat_replication", in: "postgres")
                return state?.hasPrefix("sync") == true
            }
        )
        let name = "shop"
        try await primary.sql("create database \(name)", in: "postgres")
        let database =
            "host=127.0.0.1,127.0.0.1 port=\(ports[0]),\(ports[1]) user=owner dbname=\(name) "
            + "target_session_attrs=read-write"
        let folder = try TemporaryFolder()
        let ledger = Ledger(at: folder.url.appending(path: "ledger"))
        let ids = (1...6).map { "\($0)" }
        let workers = try (0..<4).map { _ in try Worker(database, ledger, ids: ids) }
        #expect(await wait { (try? ledger.savedCount) ?? 0 > 200 })
        try primary.kill()
        let before = try ledger.savedCount
        try await standby.promote()
        #expect(await wait { (try? ledger.savedCount) ?? 0 > before + 200 })
        for worker in workers { worker.kill() }
        let store = try await PostgresStore(database)
        try await store.deliverAll(into: ledger)
        #expect(try await ledger.differences(from: store, ids: ids) == [])
        #expect(try ledger.isInOrder())
        let saved = try ledger.savedCount
        print("two machines: \(before) transitions before the primary was killed, \(saved - before) after it")
    }
}
