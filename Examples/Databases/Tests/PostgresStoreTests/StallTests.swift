import Foundation
import Heraclitus
import HeraclitusStores
import SQLStores
import StoreTesting
import Testing

@testable import PostgresStore

@Suite(
    "A network that stalls between the store and its server",
    .enabled(
        if: Server.isExpected,
        "No PostgreSQL server is installed; HERACLITUS_NEEDS_POSTGRES makes that a failure."
    )
)
struct StallTests {
    private func store(_ proxy: Proxy, _ database: String) async throws -> PostgresStore {
        try await PostgresStore(
            "host=127.0.0.1 port=\(proxy.port) user=owner dbname=\(database)",
            connections: 1,
            connectTimeout: .seconds(5),
            statementTimeout: .seconds(1),
            networkTimeout: .seconds(1)
        )
    }

    @Test(
        "A stalled connection times out, and a save is stored once, whichever direction stalls",
        .timeLimit(.minutes(20)),
        arguments: Proxy.Direction.allCases
    )
    func connections(direction: Proxy.Direction) async throws {
        let server = try await Server(port: try Proxy.freePort())
        try await server.sql("create database shop", in: "postgres")
        let proxy = try Proxy(for: try #require(server.port))
        let store = try await store(proxy, "shop")
        for number in 1...3 {
            _ = try await store.save(archive("\(number)"))
            proxy.stallConnections(direction)
            let start = ContinuousClock.now
            #expect(try await store.save(archive("\(number)", replacing: 1, content: "[\(number)]")) == 2)
            #expect(ContinuousClock.now - start < .seconds(20))
            proxy.stallConnections(direction)
            let other = try await PostgresStore(server.place("shop"))
            #expect(try await other.load("\(number)") == archive("\(number)", replacing: 2, content: "[\(number)]"))
        }
    }

    @Test(
        "Effects, values, deletions and several machines are saved once, whichever direction stalls",
        .timeLimit(.minutes(20)),
        arguments: Proxy.Direction.allCases
    )
    func changes(direction: Proxy.Direction) async throws {
        let server = try await Server(port: try Proxy.freePort())
        try await server.sql("create database shop", in: "postgres")
        let proxy = try Proxy(for: try #require(server.port))
        let store = try await store(proxy, "shop")
        func effects(_ worker: String?) -> WaitingEffects {
            WaitingEffects(content: Data("effects".utf8), next: "Ring", date: .distantPast, worker: worker)
        }
        let values = ["buyer": StoredValue.text("ada")]
        func save(_ changes: StoreChange...) async throws -> [Int] {
            // Uses an open connection, because a new one would time out.
            _ = try await store.load("1")
            proxy.stallConnections(direction)
            return try await store.save(changes)
        }
        #expect(try await save(.save(archive("1", values: values), effects: (nil, effects(nil)))) == [1])
        #expect(try await save(.effects(of: "1", (effects(nil), effects("worker")))) == [1])
        let both = try await save(
            .save(archive("2", values: values)),
            .save(
                archive("1", replacing: 1, values: ["buyer": .text("bob")]),
                effects: (effects("worker"), effects(nil))
            )
        )
        #expect(both == [1, 2])
        #expect(try await store.ids(query { $0.values = [.equal("buyer", .text("ada"))] }) == ["2"])
        #expect(try await store.load("1")?.effects == effects(nil))
        #expect(try await save(.delete("2", expecting: nil)) == [1])
        #expect(try await save(.delete("1", expecting: 2)) == [2])
        #expect(try await server.sql("select count(*) from machine_values", in: "shop").hasPrefix("0"))
        #expect(try await store.ids() == [])
    }

    @Test(
        "A stalled network causes errors in time, and acknowledged changes are there afterwards",
        .timeLimit(.minutes(20))
    )
    func all() async throws {
        let server = try await Server(port: try Proxy.freePort())
        try await server.sql("create database shop", in: "postgres")
        let proxy = try Proxy(for: try #require(server.port))
        let store = try await store(proxy, "shop")
        _ = try await store.count("1")
        proxy.setStalled(true)
        let start = ContinuousClock.now
        let error = await #expect(throws: DatabaseError.self) { try await store.count("1") }
        #expect(error?.id == "1")
        let saving = await #expect(throws: DatabaseError.self) { try await store.save(archive("2")) }
        // The reason is `inaccessible` if the store noticed the loss before sending.
        switch saving?.reason {
        case .unclear, .inaccessible: break
        default: Issue.record("\(String(describing: saving))")
        }
        #expect(ContinuousClock.now - start < .seconds(120))
        proxy.setStalled(false)
        #expect(await wait { (try? await store.load("1")) != nil })
        #expect(try await store.count("1") == 2)
    }

    @Test("A signal to a thread that waits for the server does not end the wait")
    func signals() async throws {
        let store = try await PostgresStore(try await Server.shared.value.database(), connections: 1)
        // Profilers send this signal, and the threads block most others. An ignored signal would interrupt nothing.
        signal(SIGPROF) { _ in }
        let answer = try await store.pool.run(for: nil, isChange: true) { connection, mayBeCommitted in
            #expect(!mayBeCommitted, "The connection was given up.")
            let (waiting, ended) = (pthread_self(), DispatchSemaphore(value: 0))
            Thread.detachNewThread {
                for _ in 0..<10 {
                    Thread.sleep(forTimeInterval: 0.02)
                    pthread_kill(waiting, SIGPROF)
                }
                ended.signal()
            }
            // The thread must not end before the last signal is sent.
            defer { ended.wait() }
            var answer: Int?
            try connection.run(Command("select 7 from pg_sleep(0.5)")) { answer = connection.integer(0) }
            return answer
        }
        #expect(answer == 7)
    }

    @Test("A late insert of a timed-out save does not restore a deleted machine")
    func late() async throws {
        let server = try await Server.shared.value
        let database = try await server.database()
        let store = try await PostgresStore(
            database,
            connections: 1,
            connectTimeout: .seconds(10),
            statementTimeout: .seconds(2),
            networkTimeout: .milliseconds(500)
        )
        // The first save prepares the statement, so that the stopped server already has it.
        try await store.save(archive("0"))
        let found = try await store.write { try $0.rows("select pg_backend_pid()") }
        let backend = try #require(Int32(found[0][0] ?? ""))
        kill(backend, SIGSTOP)
        defer { kill(backend, SIGCONT) }
        #expect(try await store.save(archive("1")) == 1)
        #expect(try await store.delete("1", expecting: 1))
        kill(backend, SIGCONT)
        // The server process ends when it finds its connection closed.
        let query = "select count(*) from pg_stat_activity where pid = \(backend)"
        #expect(await wait { (try? await server.sql(query, in: database))?.hasPrefix("0") == true })
        #expect(try await store.load("1") == nil)
        #expect(try await store.save(archive("1")) == 2)
    }
}
