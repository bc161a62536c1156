import Foundation
import Heraclitus
import HeraclitusStores
import PostgresStore
import SQLStores
import StoreTesting
import Synchronization
import Testing

@Suite(
    "Transactions with the user's own rows",
    .enabled(
        if: Server.isExpected,
        "No PostgreSQL server is installed; HERACLITUS_NEEDS_POSTGRES makes that a failure."
    )
)
struct TransactionTests {
    private struct Declined: Error {}

    /// A database with a table of payments, and a turnstile passed once.
    private func database(_ server: Server) async throws -> String {
        let database = try await server.database()
        try await PostgresStore(database).pass("1")
        try await server.sql("create table payments (number bigint primary key, amount double precision)", in: database)
        return database
    }

    private func payments(_ store: PostgresStore) async throws -> [[String?]] {
        try await store.write { try $0.rows("select number, amount from payments order by number") }
    }

    private func pass(_ id: String, _ store: PostgresStore, _ connection: PostgresTransaction) throws {
        try store.unit(in: connection) { unit in
            try unit.machine(id, of: store.workflow(Turnstile.self)).fire.pass { closed in
                Turnstile.ClosedState(passed: closed.passed + 1, closeBy: nil)
            }
        }
    }

    @Test("Machines and the user's own rows are saved together")
    func together() async throws {
        let store = try await PostgresStore(try await database(try await Server.shared.value))
        let count = try await store.write { connection in
            let count = try connection.execute("insert into payments values ($1, $2), ($3, $4)", [7, 9.5, 8, nil])
            try pass("1", store, connection)
            try pass("2", store, connection)
            try pass("1", store, connection)
            return count
        }
        #expect(count == 2)
        #expect(try await payments(store) == [["7", "9.5"], ["8", nil]])
        #expect(try await store.passed("1") == 3)
        #expect(try await store.passed("2") == 1)
    }

    @Test("Deleted machines and machines that lose values are saved together in a user's transaction")
    func several() async throws {
        let store = try await PostgresStore(try await database(try await Server.shared.value))
        let values = ["buyer": StoredValue.text("ada")]
        for id in ["a", "b", "c"] { try await store.save(archive(id, values: values)) }
        try await store.delete("b")
        let revisions = try await store.write { connection in
            try connection.save([
                .save(archive("c", replacing: 1)), .save(archive("b")),
                .save(archive("a", replacing: 1, values: values)),
            ])
        }
        #expect(revisions == [2, 2, 2])
        #expect(try await store.ids(query { $0.values = [.equal("buyer", .text("ada"))] }) == ["a"])
    }

    @Test("An error of the user's code undoes the machines, and a rejected event undoes the user's rows")
    func undone() async throws {
        let store = try await PostgresStore(try await database(try await Server.shared.value))
        await #expect(throws: Declined.self) {
            try await store.write { connection in
                try connection.execute("insert into payments values (7, 1)")
                try pass("1", store, connection)
                throw Declined()
            }
        }
        await #expect(throws: InvalidTransition.self) {
            try await store.write { connection in
                try connection.execute("insert into payments values (7, 1)")
                try store.unit(in: connection) { unit in
                    let turnstile = try unit.machine("1", of: store.workflow(Turnstile.self))
                    try turnstile.fire.open(Turnstile.OpenState(passed: 0, closeBy: .now))
                    try turnstile.fire.open(Turnstile.OpenState(passed: 0, closeBy: .now))
                }
            }
        }
        #expect(try await payments(store) == [])
        #expect(try await store.passed("1") == 1)
        #expect(try await store.load("1")?.revision == 1)
    }

    @Test("After a failed statement that the user catches, a machine throws in the same attempt")
    func machineAfterFailure() async throws {
        let store = try await PostgresStore(try await database(try await Server.shared.value))
        let attempts = Mutex(0)
        let error = await #expect(throws: DatabaseError.self) {
            try await store.write { connection in
                attempts.withLock { $0 += 1 }
                do { try connection.execute("insert into nowhere values (7)") } catch {}
                try pass("1", store, connection)
            }
        }
        guard case .failed("25P02", _) = error?.reason else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(attempts.withLock { $0 } == 1)
        #expect(try await store.passed("1") == 1)
    }

    @Test("A lost race that the user catches is retried, with a machine after it or without", arguments: [true, false])
    func raceCaught(hasMachine: Bool) async throws {
        let store = try await PostgresStore(try await database(try await Server.shared.value))
        let attempts = Mutex(0)
        try await store.write { connection in
            let attempt = attempts.withLock { attempts in
                attempts += 1
                return attempts
            }
            if attempt == 1 {
                let sql = "do $$ begin raise exception 'a race' using errcode = '40001'; end $$"
                do { try connection.execute(sql) } catch {}
            }
            if hasMachine { try pass("1", store, connection) }
        }
        #expect(attempts.withLock { $0 } == 2)
        #expect(try await store.passed("1") == (hasMachine ? 2 : 1))
    }

    @Test(
        "A failed statement of the user throws at once and undoes the machines, even if the user catches the error"
    )
    func failing() async throws {
        let store = try await PostgresStore(try await database(try await Server.shared.value))
        for isCaught in [true, false] {
            let attempts = Mutex(0)
            let error = await #expect(throws: DatabaseError.self) {
                try await store.write { connection in
                    attempts.withLock { $0 += 1 }
                    try pass("1", store, connection)
                    try connection.execute("insert into payments values (7, 1)")
                    do { try connection.execute("insert into payments values (7, 2)") } catch {
                        if !isCaught { throw error }
                    }
                }
            }
            let code = isCaught ? "25P02" : "23505"
            guard case .failed(code, _) = error?.reason else {
                return #expect(Bool(false), "\(String(describing: error))")
            }
            #expect(attempts.withLock { $0 } == 1)
        }
        #expect(try await payments(store) == [])
        #expect(try await store.passed("1") == 1)
    }

    @Test("Text with NUL is refused")
    func nul() async throws {
        let store = try await PostgresStore(try await database(try await Server.shared.value))
        let error = await #expect(throws: DatabaseError.self) {
            try await store.write { try $0.rows("select $1::text", ["a\0b"]) }
        }
        guard case .unstorable = error?.reason else { return #expect(Bool(false), "\(String(describing: error))") }
    }

    @Test("After a conflict the closure runs again, and its first changes are undone")
    func conflict() async throws {
        let database = try await database(try await Server.shared.value)
        let (store, other) = (try await PostgresStore(database), try await PostgresStore(database))
        let attempts = Mutex(0)
        try await store.write { connection in
            let attempt = attempts.withLock { attempts in
                attempts += 1
                return attempts
            }
            try connection.execute("insert into payments values ($1, 1)", [.integer(attempt)])
            try store.unit(in: connection) { unit in
                let turnstile = try unit.machine("1", of: store.workflow(Turnstile.self))
                if attempt == 1 {
                    let ended = DispatchSemaphore(value: 0)
                    Task {
                        try await other.pass("1")
                        ended.signal()
                    }
                    ended.wait()
                }
                try turnstile.fire.pass { closed in Turnstile.ClosedState(passed: closed.passed + 1, closeBy: nil) }
            }
        }
        #expect(try await payments(store) == [["2", "1"]])
        #expect(try await store.passed("1") == 3)
        // The conflict of a stale archive comes back after the last attempt.
        let stale = archive("1", replacing: 1)
        await #expect(throws: StoreError.self) {
            try await store.write(attempts: 2) { _ = try $0.save([.save(stale)]) }
        }
    }

    @Test("A transaction whose connection is cut before the commit is retried once")
    func cut() async throws {
        let store = try await PostgresStore(try await database(try await Server.shared.value), connections: 2)
        let attempts = Mutex(0)
        try await store.write { connection in
            let attempt = attempts.withLock { attempts in
                attempts += 1
                return attempts
            }
            try connection.execute("insert into payments values (7, 1)")
            if attempt == 1 { _ = try? connection.rows("select pg_terminate_backend(pg_backend_pid())") }
            try pass("1", store, connection)
        }
        #expect(attempts.withLock { $0 } == 2)
        #expect(try await payments(store) == [["7", "1"]])
        #expect(try await store.passed("1") == 2)
    }

    @Test(
        "A commit without an answer is recognized by its machine's token, and unclear without a machine",
        .timeLimit(.minutes(10)),
        arguments: [true, false]
    )
    func found(hasMachine: Bool) async throws {
        let server = try await Server(port: try Proxy.freePort())
        let name = try await database(server).split(separator: "dbname=")[1]
        let proxy = try Proxy(for: try #require(server.port))
        let store = try await PostgresStore(
            "host=127.0.0.1 port=\(proxy.port) user=owner dbname=\(name)",
            connections: 1,
            connectTimeout: .seconds(2),
            statementTimeout: .milliseconds(300),
            networkTimeout: .milliseconds(300)
        )
        let attempts = Mutex(0)
        func write() async throws {
            try await store.write { connection in
                attempts.withLock { $0 += 1 }
                try connection.execute("insert into payments values (7, 1)")
                if hasMachine { try pass("1", store, connection) }
                proxy.stallConnections(.ends)
            }
        }
        if hasMachine {
            try await write()
            #expect(try await store.passed("1") == 2)
        } else {
            let error = await #expect(throws: DatabaseError.self) { try await write() }
            guard case .unclear = error?.reason else { return #expect(Bool(false), "\(String(describing: error))") }
        }
        #expect(attempts.withLock { $0 } == 1)
        #expect(try await payments(store) == [["7", "1"]])
    }
}
