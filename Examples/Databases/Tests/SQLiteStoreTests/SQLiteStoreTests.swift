import Foundation
import GRDB
import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import SQLStores
import SQLiteStore
import StoreTesting
import Synchronization
import Testing

@Suite("The store in an SQLite file") struct SQLiteStoreTests {
    @Test("The store passes the conformance checks")
    func conformance() async throws {
        var places: [Place] = []
        let failures = try await StoreConformance.failures {
            let place = try Place()
            places.append(place)
            return try await place.store()
        }
        #expect(failures == [])
    }

    @Test("Two stores of one file pass the conformance checks together")
    func twoStores() async throws {
        var places: [Place] = []
        let failures = try await StoreConformance.failures {
            let place = try Place()
            places.append(place)
            return AlternatingStore([try await place.store(), try await place.store()])
        }
        #expect(failures == [])
    }

    @Test("A store in a program's database passes the conformance checks", arguments: ["pool", "queue", "memory"])
    func shared(kind: String) async throws {
        var places: [Place] = []
        let failures = try await StoreConformance.failures {
            let place = try Place()
            places.append(place)
            var configuration = Configuration()
            configuration.busyMode = .timeout(20)
            let path = place.file.path
            let database: any DatabaseWriter =
                switch kind {
                case "pool": try DatabasePool(path: path, configuration: configuration)
                case "queue": try DatabaseQueue(path: path, configuration: configuration)
                default: try DatabaseQueue(configuration: configuration)
                }
            return try await SQLiteStore(database)
        }
        #expect(failures == [])
    }

    @Test("Saves and checkpoints are synced to the disk itself")
    func synced() async throws {
        let place = try Place()
        let store = try await place.store()
        for (name, value) in [("synchronous", 2), ("fullfsync", 1), ("checkpoint_fullfsync", 1)] {
            let found = try await store.database.writeWithoutTransaction { db in
                try Int.fetchOne(db, sql: "pragma \(name)")
            }
            #expect(found == value, "\(name)")
        }
    }

    @Test("A time-out of any length is accepted, and limited to 24 days")
    func timeouts() async throws {
        let most = Duration.seconds(Int64.max)
        let place = try Place()
        let store = try await place.store(busyTimeout: most)
        #expect(try await store.save(archive("1")) == 1)
        let found: @Sendable (Database) throws -> Int? = { try Int.fetchOne($0, sql: "pragma busy_timeout") }
        #expect(try await store.database.writeWithoutTransaction(found) == Int(Int32.max))
        #expect(try await store.database.read(found) == Int(Int32.max))
        #expect((most + most).milliseconds == .max)
        #expect((.zero - most - most).milliseconds == -.max)
        #expect(Duration.microseconds(1_999).milliseconds == 1)
        #expect(Duration.zero.milliseconds == 0)
    }

    @Test("Stores opened concurrently make one table")
    func together() async throws {
        for _ in 0..<10 {
            let place = try Place()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 { group.addTask { try await place.store().save(archive("\(number)")) } }
                try await group.waitForAll()
            }
            #expect(try await place.store().ids().count == 8)
        }
    }

    @Test("Processes and tasks that change one machine lose no change", .timeLimit(.minutes(10)))
    func processes() async throws {
        let place = try Place()
        let store = try await place.store()
        let counter = products.appending(path: "counter").path
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    let (status, output) = try await run(counter, ["sqlite", place.file.path, "1", "40"])
                    #expect(status == 0, "\(output)")
                }
                group.addTask { for _ in 0..<40 { try await store.pass("1") } }
            }
            try await group.waitForAll()
        }
        #expect(try await store.passed("1") == 160)
        #expect(try await store.load("1")?.revision == 160)
    }

    @Test("A process killed during a save leaves all acknowledged saves", .timeLimit(.minutes(10)))
    func killed() async throws {
        let place = try Place()
        var certain = 0
        for round in 1...5 {
            let process = Process()
            process.executableURL = products.appending(path: "counter")
            process.arguments = ["sqlite", place.file.path, "1", "100000"]
            let pipe = Pipe()
            process.standardOutput = pipe
            try process.run()
            var output = Data()
            while output.count < 100 * round, case let more = pipe.fileHandleForReading.availableData, !more.isEmpty {
                output += more
            }
            kill(process.processIdentifier, SIGKILL)
            output += pipe.fileHandleForReading.readDataToEndOfFile()
            certain += output.split(separator: UInt8(ascii: "\n")).count
            process.waitUntilExit()
            let passed = try await place.store().passed("1")
            // The process may have saved once without the acknowledgement.
            #expect((certain...(certain + round)).contains(passed))
        }
        #expect(certain > 0)
    }

    @Test("A lock of another process blocks no task's thread, and waiting saves succeed", .timeLimit(.minutes(10)))
    func busy() async throws {
        let place = try Place()
        let store = try await place.store()
        let other = try place.connection()
        try other.beginWriting()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<64 { group.addTask { try await store.save(archive("\(number)")) } }
            try await Task.sleep(for: .milliseconds(50))
            #expect(try await store.ids() == [])
            // If the waiting saves blocked Swift's threads, this task could never run.
            group.addTask { try other.commit() }
            try await group.waitForAll()
        }
        #expect(try await store.ids().count == 64)
    }

    @Test("A unit of work loads through the writing connection, and a separate load does not wait for it")
    func units() async throws {
        let place = try Place()
        let opened = Opened()
        var configuration = Configuration()
        configuration.prepareDatabase { opened.add($0.description.hasSuffix("writer") ? "writer" : "reader") }
        let store = try await SQLiteStore(try DatabasePool(path: place.file.path, configuration: configuration))
        for number in 1...5 {
            try await store.workflow(Turnstile.self).update("1") { machine in
                let current = unsafe withUnsafeCurrentTask { unsafe $0?.unownedTaskExecutor }
                #expect(unsafe current == store.executor?.asUnownedTaskExecutor())
                try machine.fire.pass { closed in Turnstile.ClosedState(passed: closed.passed + 1, closeBy: nil) }
            }
            #expect(opened.all == ["writer"], "\(number)")
        }
        #expect(try await store.passed("1") == 5)
        #expect(opened.all == ["writer", "reader"])
    }

    @Test("Units of work run while one of them blocks its thread")
    func busyUnits() async throws {
        let place = try Place()
        let store = try await place.store()
        let (held, isFree) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        async let slow: Void = store.workflow(Turnstile.self).update("slow") { machine in
            isFree.signal()
            held.wait()
        }
        // Releases the blocked unit even if the test fails.
        defer { held.signal() }
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "waiting").async {
                isFree.wait()
                continuation.resume()
            }
        }
        for _ in 0..<5 { try await store.pass("1") }
        #expect(try await store.passed("1") == 5)
        held.signal()
        try await slow
    }

    @Test("An opening store waits for a writer before it switches to a log, and syncs saves")
    func opening() async throws {
        let place = try Place()
        let other = try place.connection()
        try other.beginWriting()
        async let opened = place.store()
        try await Task.sleep(for: .milliseconds(200))
        try other.commit()
        let store = try await opened
        let settings = try await store.database.writeWithoutTransaction { db in
            try ["synchronous", "journal_mode"].map { try String.fetchOne(db, sql: "pragma \($0)") }
        }
        #expect(settings == ["2", "wal"])
    }

    @Test("A writer that holds the lock too long causes an error with the store and the id, and nothing changes")
    func tooBusy() async throws {
        let place = try Place()
        let store = try await place.store(busyTimeout: .milliseconds(20))
        try await store.save(archive("1"))
        let other = try place.connection()
        try other.beginWriting()
        let error = await #expect(throws: SQLStores.DatabaseError.self) {
            try await store.save(archive("1", replacing: 1))
        }
        #expect(error?.reason == .busy)
        #expect(error?.id == "1")
        #expect(error?.store == place.file.path)
        await #expect(throws: SQLStores.DatabaseError.self) { try await store.delete("1") }
        try other.commit()
        #expect(try await store.load("1")?.revision == 1)
        #expect(try await store.save(archive("1", replacing: 1)) == 2)
    }

    @Test("An index answers every query without reading archives")
    func indexes() async throws {
        let place = try Place()
        let store = try await place.store()
        let plans = Plans()
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            db.trace { event in
                if case .statement(let statement) = event { plans.add(statement.sql) }
            }
        }
        let reading = try await SQLiteStore(try DatabasePool(path: place.file.path, configuration: configuration))
        let effect = WaitingEffects(content: Data(), next: "Ring", date: .distantPast, worker: nil)
        let waiting = archive("1", due: .distantPast, values: ["buyer": .text("ada"), "total": .number(7)])
        try await store.save([.save(waiting, effects: (nil, effect))])
        let date = Date.now
        let queries: [(ArchiveQuery, [String])] = [
            (query { ($0.workflows, $0.states) = (["Lamp"], ["On"]) }, ["machines_by_state"]),
            (query { ($0.workflows, $0.states, $0.after) = (["Lamp"], ["On"], "0") }, ["machines_by_state"]),
            (query { ($0.workflows, $0.after, $0.limit) = (["Lamp"], "0", 9) }, ["machines_by_workflow"]),
            (
                query { ($0.workflows, $0.newestVersion, $0.queue) = (["Lamp"], 1, .due(by: date)) },
                ["machines_by_due"]
            ),
            (
                query {
                    ($0.workflows, $0.newestVersion) = (["Lamp"], 1)
                    $0.queue = .effects(by: date, names: ["Ring"])
                }, ["machines_by_effects"]
            ),
            (
                query { ($0.workflows, $0.values) = (["Lamp"], [.equal("buyer", .text("ada"))]) },
                ["machine_values_by_text"]
            ),
            (
                query { ($0.workflows, $0.values) = (["Lamp"], [.greater("total", .number(1))]) },
                ["machine_values_by_number"]
            ),
        ]
        for (query, indexes) in queries {
            plans.clear()
            #expect(try await reading.ids(query) == ["1"])
            let sql = try #require(plans.all.last { $0.hasPrefix("select id from machines") })
            let plan = try place.connection().plan(sql)
            for index in indexes { #expect(plan.contains { $0.contains(" INDEX \(index) ") }, "\(plan)") }
            #expect(!plan.contains { $0.hasPrefix("SCAN") || $0.contains("TEMP B-TREE") }, "\(plan)")
        }
    }

    @Test("Deadlines fire in a database store")
    func deadlines() async throws {
        let place = try Place()
        let store = try await place.store()
        let turnstiles = store.workflow(Turnstile.self)
        let date = Date(timeIntervalSinceReferenceDate: 800_000_000)
        for seconds in [30.0, 10, 20] {
            let open = Turnstile.OpenState(passed: Int(seconds), closeBy: date + seconds)
            try await turnstiles.save(StateMachine<Turnstile>(resumingIn: open), as: "\(Int(seconds))", expecting: 0)
        }
        #expect(try await store.ids(query { $0.queue = .due(by: date + 20) }) == ["10", "20"])
        #expect(try await turnstiles.fireDue(by: date + 20).count == 2)
        #expect(try await turnstiles.ids(in: [Turnstile.ClosedState.self]) == ["10", "20"])
        #expect(try await turnstiles.fireDue(by: date + 20).count == 0)
    }
}

/// The names of the opened connections.
private final class Opened: Sendable {
    private let names = Mutex<[String]>([])
    var all: [String] { names.withLock { $0 } }
    func add(_ name: String) { names.withLock { $0.append(name) } }
}

/// The executed statements.
private final class Plans: Sendable {
    private let statements = Mutex<[String]>([])
    var all: [String] { statements.withLock { $0 } }
    func add(_ sql: String) { statements.withLock { $0.append(sql) } }
    func clear() { statements.withLock { $0 = [] } }
}

extension DatabaseQueue {
    fileprivate func beginWriting() throws { try execute("begin immediate") }
    fileprivate func commit() throws { try execute("commit") }

    fileprivate func plan(_ sql: String) throws -> [String] {
        try writeWithoutTransaction { db in
            let nothing = StatementArguments(Array(repeating: nil as Int?, count: sql.count { $0 == "?" }))
            return try Row.fetchAll(db, sql: "explain query plan " + sql, arguments: nothing).map { $0["detail"] }
        }
    }
}
