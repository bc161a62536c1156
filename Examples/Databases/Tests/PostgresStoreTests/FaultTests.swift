import Foundation
import Heraclitus
import HeraclitusStores
import PostgresStore
import SQLStores
import StoreTesting
import Testing

@Suite(
    "Faulty servers and databases",
    .enabled(
        if: Server.isExpected,
        "No PostgreSQL server is installed; HERACLITUS_NEEDS_POSTGRES makes that a failure."
    )
)
struct FaultTests {
    private func reason(_ place: String) async -> DatabaseError? {
        await #expect(throws: DatabaseError.self) {
            try await PostgresStore(place, connectTimeout: .seconds(2))
        }
    }

    @Test("A wrong password or a missing server causes an error without the password")
    func credentials() async throws {
        let server = try await Server()
        let database = try await server.database()
        try await server.sql("create role guest login password 'right'", in: database)
        try await server.sql("grant all on schema public to guest", in: database)
        let rules = "local all owner trust\nlocal all all scram-sha-256\n"
        try await server.sql(
            "copy (select '\(rules.split(separator: "\n")[0])' union all select '\(rules.split(separator: "\n")[1])') to '\(server.folder.url.path)/data/pg_hba.conf'",
            "select pg_reload_conf()",
            in: database
        )
        let guest = database.replacing("user=owner", with: "user=guest")
        for _ in 0..<100 where (try? await PostgresStore(guest + " password=wrong")) != nil {
            try await Task.sleep(for: .milliseconds(20))
        }
        let error = await reason(guest + " password=wrong-secret")
        guard case .inaccessible(let explanation) = error?.reason else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(explanation.contains("password authentication failed"))
        #expect(error.map { "\($0)".contains("wrong-secret") } == false)
        try await PostgresStore(guest + " password=right").save(archive("1"))
        for place in [
            "host=/nowhere dbname=x", "no description", "postgres://[",
            database.replacing("dbname=", with: "dbname=no"),
        ] {
            guard case .inaccessible = await reason(place)?.reason else {
                Issue.record("\(place)")
                continue
            }
        }
    }

    @Test("A store refuses tables of a newer version and of other programs")
    func tables() async throws {
        let server = try await Server.shared.value
        let database = try await server.database()
        try await PostgresStore(database).save(archive("1"))
        try await server.sql("update machines_schema set version = 7", in: database)
        #expect(await reason(database)?.reason == .newerSchema(found: 7, supported: 3))
        try await server.sql("update machines_schema set version = 3", in: database)
        let store = try await PostgresStore(database)
        #expect(try await store.ids() == ["1"])
        try await server.sql("alter table machines rename column token to coin", in: database)
        guard case .otherTables(let explanation) = await reason(database)?.reason else { return #expect(Bool(false)) }
        #expect(explanation.contains("token"))
        let error = await #expect(throws: DatabaseError.self) { try await store.save(archive("2")) }
        #expect(error?.id == "2")
        let other = try await server.database()
        try await server.sql("create table machines (number integer)", in: other)
        guard case .otherTables = await reason(other)?.reason else { return #expect(Bool(false)) }
    }

    @Test(
        "A load of a damaged row throws with its id; other rows are found, and the row can be deleted",
        arguments: ["archive = null", "id_rest = 'A'", "revision = 0", "workflow = null", "found_by = 'A'"]
    )
    func damaged(change: String) async throws {
        let server = try await Server.shared.value
        let database = try await server.database()
        let store = try await PostgresStore(database)
        for id in ["1", "2", "3"] { try await store.save(archive(id)) }
        try await server.sql(
            "alter table machines drop constraint machines_check, drop constraint machines_revision_check",
            "update machines set \(change) where id = '2'",
            in: database
        )
        let error = await #expect(throws: StoreError.self) { try await store.load("2") }
        guard case .damaged("2", _) = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(try await store.load("3") == archive("3", replacing: 1))
        #expect(try await store.ids().contains("3"))
        #expect(try await store.delete("2"))
        #expect(try await store.ids() == ["1", "3"])
    }

    @Test("A column of another type causes an error, never a trap")
    func types() async throws {
        let server = try await Server.shared.value
        let database = try await server.database()
        let store = try await PostgresStore(database)
        try await store.save(archive("1"))
        try await server.sql("alter table machines alter column due type text", in: database)
        let anew = try await PostgresStore(database)
        try await server.sql("update machines set due = 'soon'", in: database)
        await #expect(throws: StoreError.self) { try await anew.load("1") }
        await #expect(throws: DatabaseError.self) { try await anew.ids(query { $0.queue = .due(by: .now) }) }
        await #expect(throws: (any Error).self) { try await store.load("1") }
    }

    @Test("The store replaces cut connections, and saves each change once", .timeLimit(.minutes(10)))
    func cut() async throws {
        let server = try await Server.shared.value
        let database = try await server.database()
        let store = try await PostgresStore(database)
        try await store.pass("0")
        let cutting = Task {
            while !Task.isCancelled {
                let name = database.split(separator: "dbname=")[1]
                try await server.sql(
                    "select pg_terminate_backend(pid) from pg_stat_activity where datname = '\(name)'",
                    in: "postgres"
                )
                try await Task.sleep(for: .milliseconds(15))
            }
        }
        // For each machine, the number of acknowledged passes, and of passes with an unclear outcome.
        let counts = try await withThrowingTaskGroup(of: (String, Int, Int).self) { group in
            for number in 1...4 {
                group.addTask {
                    var (certain, perhaps) = (0, 0)
                    while certain < 150 {
                        do {
                            try await store.pass("\(number)")
                            certain += 1
                        } catch let error as DatabaseError {
                            if case .unclear = error.reason { perhaps += 1 }
                        }
                    }
                    return ("\(number)", certain, perhaps)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        cutting.cancel()
        _ = await cutting.result
        for (id, certain, perhaps) in counts {
            let passed = try await store.passed(id)
            #expect((certain...(certain + perhaps)).contains(passed), "\(id): \(passed) of \(certain) and \(perhaps)")
        }
    }

    @Test("Cut connections never leave a save of several machines half done", .timeLimit(.minutes(10)))
    func cutTogether() async throws {
        let server = try await Server.shared.value
        let database = try await server.database()
        let store = try await PostgresStore(database)
        let ids = ["0", "1", "2", "3"]
        for id in ids { try await store.pass(id) }
        let name = database.split(separator: "dbname=")[1]
        let cutting = Task {
            while !Task.isCancelled {
                try await server.sql(
                    "select pg_terminate_backend(pid) from pg_stat_activity where datname = '\(name)'",
                    in: "postgres"
                )
                try await Task.sleep(for: .milliseconds(25))
            }
        }
        let certain = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    var certain = 0
                    while certain < 30 {
                        do {
                            try await store.unit(attempts: 1_000) { unit in
                                for id in ids {
                                    try await unit.machine(id, of: store.workflow(Turnstile.self)).fire.pass { closed in
                                        Turnstile.ClosedState(passed: closed.passed + 1, closeBy: nil)
                                    }
                                }
                            }
                            certain += 1
                        } catch is DatabaseError {
                        }
                    }
                    return certain
                }
            }
            return try await group.reduce(0, +)
        }
        cutting.cancel()
        _ = await cutting.result
        var numbers: Set<Int> = []
        for id in ids { numbers.insert(try await store.passed(id)) }
        #expect(numbers.count == 1 && numbers.first ?? 0 > certain, "\(numbers) after \(certain)")
    }

    @Test(
        "Each error code causes a matching error with the id, and nothing changes",
        arguments: [
            ("53100", "full"), ("53200", "full"), ("53300", "inaccessible"), ("25006", "inaccessible"),
            ("42501", "inaccessible"), ("57P03", "inaccessible"), ("28000", "inaccessible"), ("57014", "busy"),
            ("55P03", "busy"), ("22021", "unstorable"), ("54000", "unstorable"), ("42P01", "otherTables"),
            ("40001", "failed"), ("23514", "failed"), ("XX001", "failed"), ("58030", "failed"), ("08006", "unclear"),
            ("40003", "unclear"), ("57P01", "unclear"),
        ]
    )
    func codes(code: String, kind: String) async throws {
        let server = try await Server.shared.value
        let database = try await server.database()
        let store = try await PostgresStore(database, connections: 1)
        try await store.save(archive("1"))
        try await server.sql(
            "create function fail() returns trigger language plpgsql as $$ begin raise exception 'No.' using errcode = '\(code)'; end $$",
            "create trigger fail before insert or update on machines for each row execute function fail()",
            in: database
        )
        for change in [{ _ = try await store.save(archive("1", replacing: 1)) }, { _ = try await store.delete("1") }] {
            let error = await #expect(throws: DatabaseError.self) { try await change() }
            #expect(error.map { "\($0.reason)".hasPrefix(kind) } == true, "\(String(describing: error))")
            #expect(error?.id == "1")
        }
        #expect(try await store.load("1") == archive("1", replacing: 1))
        try await server.sql("drop trigger fail on machines", in: database)
        #expect(try await store.save(archive("1", replacing: 1)) == 2)
    }

    @Test(
        "A standby loads and lists, and throws on writes; after its promotion it saves",
        .timeLimit(.minutes(10))
    )
    func recovery() async throws {
        let primary = try await Server(port: try Proxy.freePort())
        let standby = try await Server(port: try Proxy.freePort(), standbyOf: primary)
        try await primary.sql("create database shop", in: "postgres")
        try await PostgresStore(primary.place("shop")).save(archive("1"))
        // Replication takes a moment.
        #expect(await wait { (try? await PostgresStore(standby.place("shop")).load("1")) != nil })
        let store = try await PostgresStore(standby.place("shop"))
        #expect(try await store.load("1") == archive("1", replacing: 1))
        #expect(try await store.ids() == ["1"])
        func expectReadOnly(_ id: String?, _ body: () async throws -> Void) async {
            let error = await #expect(throws: DatabaseError.self) { try await body() }
            guard case .inaccessible = error?.reason else {
                return #expect(Bool(false), "\(String(describing: error))")
            }
            #expect(error?.id == id)
        }
        await expectReadOnly("1") { try await store.save(archive("1", replacing: 1)) }
        await expectReadOnly("1") { try await store.delete("1") }
        await expectReadOnly(nil) { try await store.save([.save(archive("2")), .save(archive("3"))]) }
        await expectReadOnly(nil) { _ = try await store.deliver() }
        try await standby.promote()
        #expect(await wait { (try? await store.save(archive("1", replacing: 1))) == 2 })
    }

    @Test(
        "A transaction that lost a race is retried a few times",
        arguments: ["40001", "40P01", "23505", "42P07", "42710", "26000"]
    )
    func retries(code: String) async throws {
        let server = try await Server.shared.value
        let database = try await server.database()
        let store = try await PostgresStore(database)
        try await store.save(archive("1"))
        // A rollback does not reset a sequence.
        try await server.sql(
            "create sequence attempts",
            "create function fail() returns trigger language plpgsql as $$ begin if nextval('attempts') % 4 <> 0 then raise exception 'No.' using errcode = '\(code)'; end if; return new; end $$",
            "create trigger fail before update on machines for each row execute function fail()",
            in: database
        )
        #expect(try await store.save(archive("1", replacing: 1)) == 2)
        // A prepared statement that is missing again and again cannot occur within one transaction.
        guard code != "26000" else { return }
        #expect(try await store.save([.save(archive("1", replacing: 2)), .save(archive("2"))]) == [3, 1])
    }

    @Test("The store drops a connection to a read-only server")
    func demoted() async throws {
        let server = try await Server.shared.value
        let database = try await server.database()
        let store = try await PostgresStore(database, connections: 1)
        try await store.save(archive("1"))
        func backend() async throws -> Int? {
            let rows = try await store.write { try $0.rows("select pg_backend_pid()") }
            return Int(rows[0][0] ?? "")
        }
        let first = try #require(try await backend())
        #expect(try await backend() == first)
        try await store.write { try $0.execute("set default_transaction_read_only = on") }
        await #expect(throws: DatabaseError.self) { try await store.save(archive("1", replacing: 1)) }
        #expect(try await backend() != first)
        #expect(try await store.save(archive("1", replacing: 1)) == 2)
    }

    @Test("The store prepares a statement again when a pooler has dropped it")
    func forgotten() async throws {
        let database = try await Server.shared.value.database()
        let store = try await PostgresStore(database, connections: 1)
        try await store.save(archive("1"))
        for revision in 1...3 {
            try await store.write { try $0.execute("deallocate all") }
            #expect(try await store.save(archive("1", replacing: revision)) == revision + 1)
        }
    }

    @Test("Numbers of other types are read correctly, and dates of NaN delay no machine")
    func numbers() async throws {
        let server = try await Server.shared.value
        let database = try await server.database()
        let store = try await PostgresStore(database)
        for id in ["1", "2", "3"] { _ = try await store.count(id) }
        try await server.sql(
            "update machines set due = 'NaN' where id = '1'",
            "update machines set due = 'infinity', effects_date = '-infinity' where id = '2'",
            in: database
        )
        #expect(try await store.count("1") == 2)
        #expect(try await store.load("2")?.due?.timeIntervalSinceReferenceDate == .infinity)
        #expect(try await store.count("2") == 2)
        #expect(try await store.load("1")?.due == nil)
        for date in [Double.nan, -.infinity].map(Date.init(timeIntervalSinceReferenceDate:)) {
            #expect(try await store.ids(query { $0.queue = .due(by: date) }) == [])
        }
        let none = Date(timeIntervalSinceReferenceDate: .nan)
        #expect(try await store.ids(withEffectsBy: none) == [])
        #expect(try await store.claim(claim(effectsBy: none, limit: 9)) == [])
        #expect(try await store.ids(query { $0.enteredAfter = none }) == [])
        #expect(try await store.ids(query { $0.values = [.lessOrEqual("total", .number(.nan))] }) == [])
        #expect(try await store.deliver().count == 5)
        try await server.sql(
            "alter table machines drop constraint machines_revision_check",
            "alter table machines alter column revision type integer",
            "update machines set revision = -5 where id = '1'",
            in: database
        )
        let anew = try await PostgresStore(database)
        let error = await #expect(throws: StoreError.self) { try await anew.load("1") }
        guard case .damaged("1", _) = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(try await anew.load("3") != nil)
    }

    @Test("Damaged rows and effects do not delay the effects of other machines")
    func damagedEffects() async throws {
        let server = try await Server.shared.value
        let database = try await server.database()
        let store = try await PostgresStore(database)
        for number in 10..<30 { _ = try await store.count("\(number)") }
        try await server.sql(
            "alter table machines drop constraint machines_revision_check",
            "update machines set effects_content = '7' where id < '20'",
            "update machines set revision = -1 where id = '20'",
            in: database
        )
        let report = try await store.deliver(machinesAtOnce: 2) { _, key in #expect(key.id > "20") }
        #expect(report.count == 9)
        #expect(report.failures.map(\.id).sorted() == (10..<20).map { "\($0)" })
        #expect(try await store.ids(withEffectsBy: .distantFuture).sorted() == (10...20).map { "\($0)" })
    }

    @Test("The store reconnects to a restarted server, and finds all saved machines", .timeLimit(.minutes(10)))
    func restarted() async throws {
        let server = try await Server()
        let store = try await PostgresStore(try await server.database(), connectTimeout: .seconds(2))
        for number in 0..<20 { try await store.save(archive("\(number)")) }
        try await server.stop()
        let error = await #expect(throws: DatabaseError.self) { try await store.save(archive("20")) }
        #expect(error?.id == "20")
        guard case .inaccessible = error?.reason else { return #expect(Bool(false), "\(String(describing: error))") }
        await #expect(throws: DatabaseError.self) { try await store.load("1") }
        try await server.start()
        #expect(try await store.ids().count == 20)
        #expect(try await store.save(archive("20")) == 1)
        #expect(try await store.save(archive("1", replacing: 1)) == 2)
    }

    @Test("A call to a stalled server times out, and the store works again afterwards", .timeLimit(.minutes(10)))
    func stalled() async throws {
        let server = try await Server()
        let store = try await PostgresStore(
            try await server.database(),
            connections: 1,
            connectTimeout: .seconds(2),
            statementTimeout: .milliseconds(300),
            networkTimeout: .milliseconds(300)
        )
        try await store.save(archive("1"))
        try server.signal(SIGSTOP)
        defer { try? server.signal(SIGCONT) }
        let start = ContinuousClock.now
        let error = await #expect(throws: DatabaseError.self) { try await store.save(archive("1", replacing: 1)) }
        #expect(ContinuousClock.now - start < .seconds(60))
        guard case .unclear = error?.reason else { return #expect(Bool(false), "\(String(describing: error))") }
        await #expect(throws: DatabaseError.self) { try await store.load("1") }
        try server.signal(SIGCONT)
        var found: StoredArchive?
        for _ in 0..<50 where found == nil { found = try? await store.load("1") }
        #expect([1, 2].contains(found?.revision))
    }

    @Test(
        "A writer that holds the lock too long causes an error with the id, and nothing changes",
        .timeLimit(.minutes(10))
    )
    func locked() async throws {
        let server = try await Server.shared.value
        let database = try await server.database()
        let store = try await PostgresStore(database)
        try await store.save(archive("1"))
        let holding = Task {
            try await server.sql("begin; select * from machines for update; select pg_sleep(120); commit", in: database)
        }
        let sleeping = "from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()"
        #expect(
            await wait { (try? await server.sql("select count(*) \(sleeping)", in: database))?.hasPrefix("1") == true }
        )
        let error = await #expect(throws: DatabaseError.self) { try await store.save(archive("1", replacing: 1)) }
        #expect(error?.reason == .busy)
        #expect(error?.id == "1")
        #expect(try await store.load("1")?.revision == 1)
        try await server.sql("select pg_terminate_backend(pid) \(sleeping)", in: database)
        _ = await holding.result
        #expect(try await store.save(archive("1", replacing: 1)) == 2)
    }

    @Test("A read-only database throws a typed error, and lists machines")
    func reading() async throws {
        let server = try await Server.shared.value
        let database = try await server.database()
        try await PostgresStore(database).save(archive("1"))
        let store = try await PostgresStore(database + " options='-c default_transaction_read_only=on'")
        let error = await #expect(throws: DatabaseError.self) { try await store.save(archive("2")) }
        guard case .inaccessible = error?.reason else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(try await store.ids() == ["1"])
    }

    @Test("The store refuses a name that the database's encoding lacks, and accepts any id")
    func encoding() async throws {
        let server = try await Server.shared.value
        let name = "latin\(UInt32.random(in: .min ... .max))"
        try await server.sql(
            "create database \(name) encoding 'LATIN1' template template0 locale 'C'",
            in: "postgres"
        )
        let store = try await PostgresStore(server.place(name))
        try await store.save(archive("👩‍👩‍👧"))
        #expect(try await store.load("👩‍👩‍👧")?.state == "On")
        let error = await #expect(throws: DatabaseError.self) {
            try await store.save(
                StoredArchive(id: "1", revision: 0, workflow: "Lamp", version: 1, state: "💡", archive: Data())
            )
        }
        guard case .unstorable = error?.reason else { return #expect(Bool(false), "\(String(describing: error))") }
    }
}
