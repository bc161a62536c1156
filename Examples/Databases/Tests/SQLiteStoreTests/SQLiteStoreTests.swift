import Foundation
import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import SQLiteStore
import StoreTesting
import Synchronization
import Testing

@testable import SQLStores

/// A file of its own, and stores on it.
struct Place {
    let folder: TemporaryFolder
    let file: URL

    init() throws {
        folder = try TemporaryFolder()
        file = folder.url.appending(path: "shop.sqlite")
    }

    func store(busyTimeout: Duration = .seconds(20), sizeLimit: Int? = nil) async throws -> SQLiteStore {
        try await SQLiteStore(at: file, busyTimeout: busyTimeout, sizeLimit: sizeLimit)
    }

    /// A connection of somebody who changes the file by hand.
    func connection() throws -> SQLiteConnection {
        try SQLiteConnection(path: file.path, busyTimeout: .seconds(20), sizeLimit: nil)
    }

    func change(_ statements: String...) throws {
        let connection = try connection()
        for statement in statements { try connection.run(SQLStatement(statement)) }
    }
}

func archive(_ id: String, replacing revision: Int = 0, content: String = "{}") -> StoredArchive {
    StoredArchive(id: id, revision: revision, workflow: "Lamp", state: "On", archive: Data(content.utf8))
}

/// Which connections were opened.
private final class Opened: Sendable {
    private let names = Mutex<[String]>([])
    var all: [String] { names.withLock { $0 } }
    func add(_ name: String) { names.withLock { $0.append(name) } }
}

/// A store with connections that are counted.
private struct CountedStore: SQLStore {
    let readers: ConnectionPool<SQLiteConnection>
    let writers: ConnectionPool<SQLiteConnection>

    init(_ place: Place, _ opened: Opened) {
        readers = ConnectionPool(size: 2, store: "counted") {
            opened.add("reader")
            return try place.connection()
        }
        writers = ConnectionPool(size: 1, threads: 2, store: "counted") {
            opened.add("writer")
            return try place.connection()
        }
    }
}

@Suite("The store in a file of SQLite") struct SQLiteStoreTests {
    @Test("It keeps what stores promise")
    func conformance() async throws {
        var places: [Place] = []
        let failures = try await StoreConformance.failures {
            let place = try Place()
            places.append(place)
            return try await place.store()
        }
        #expect(failures == [])
    }

    @Test("Two stores of one file together keep what stores promise")
    func twoStores() async throws {
        var places: [Place] = []
        let failures = try await StoreConformance.failures {
            let place = try Place()
            places.append(place)
            return AlternatingStore([try await place.store(), try await place.store()])
        }
        #expect(failures == [])
    }

    @Test("What is saved is synced to the disk itself, also when the log is written into the file")
    func synced() async throws {
        let place = try Place()
        let store = try await place.store()
        for (name, value) in [("synchronous", 2), ("fullfsync", 1), ("checkpoint_fullfsync", 1)] {
            for pool in [store.readers, store.writers] {
                let found = try await pool.run(for: nil) { connection, _ in
                    try connection.number(SQLStatement("pragma \(name)"))
                }
                #expect(found == value, "\(name)")
            }
        }
    }

    @Test("A time-out of any length is one, of 24 days at most")
    func timeouts() async throws {
        let most = Duration.seconds(Int64.max)
        let place = try Place()
        let store = try await place.store(busyTimeout: most)
        #expect(try await store.save(archive("1")) == 1)
        let found = try await store.writers.run(for: nil) { connection, _ in
            try connection.number(SQLStatement("pragma busy_timeout"))
        }
        #expect(found == Int(Int32.max))
        #expect((most + most).milliseconds == .max)
        #expect((.zero - most - most).milliseconds == -.max)
        #expect(Duration.microseconds(1_999).milliseconds == 1)
        #expect(Duration.zero.milliseconds == 0)
    }

    @Test("Stores that are made at once make one table")
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

    @Test("Processes and tasks that change one machine lose nobody's work", .timeLimit(.minutes(10)))
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

    @Test("A process that is killed while it saves leaves what was saved", .timeLimit(.minutes(10)))
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
            // One may have been saved that was not told.
            #expect((certain...(certain + round)).contains(passed))
        }
        #expect(certain > 0)
    }

    @Test("While others write, no thread of a task waits, and what was to be saved is saved", .timeLimit(.minutes(10)))
    func busy() async throws {
        let place = try Place()
        let store = try await place.store()
        let other = ConnectionPool(size: 1, store: "other") { try place.connection() }
        try await other.run(for: nil) { connection, _ in try connection.run(SQLStatement("begin immediate")) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<64 { group.addTask { try await store.save(archive("\(number)")) } }
            try await Task.sleep(for: .milliseconds(50))
            #expect(try await store.ids() == [])
            // With more waiting than there are threads, this could never run.
            group.addTask {
                try await other.run(for: nil) { connection, _ in try connection.run(SQLStatement("commit")) }
            }
            try await group.waitForAll()
        }
        #expect(try await store.ids().count == 64)
    }

    @Test(
        "A unit of work loads through the connection that saves it, on one thread; a load of its own does not wait for that"
    )
    func units() async throws {
        let place = try Place()
        let opened = Opened()
        _ = try await place.store()
        let store = CountedStore(place, opened)
        for number in 1...5 {
            try await store.update("1", of: Turnstile.self) { machine in
                #expect(store.writers.isCurrent && !store.readers.isCurrent)
                try machine.fire.pass { closed in Turnstile.ClosedState(passed: closed.passed + 1, closeBy: nil) }
            }
            #expect(!store.writers.isCurrent)
            #expect(opened.all == ["writer"], "\(number)")
        }
        #expect(try await store.passed("1") == 5)
        #expect(opened.all == ["writer", "reader"])
    }

    @Test("Units of work go on while one of them does not let go of its thread")
    func busyUnits() async throws {
        let place = try Place()
        let store = try await place.store()
        let (held, isFree) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        async let slow: Void = store.update("slow", of: Turnstile.self) { machine in
            isFree.signal()
            held.wait()
        }
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

    @Test("A store waits with its log for whoever writes, and what it saves is synced to the disk")
    func opening() async throws {
        let place = try Place()
        let other = try place.connection()
        try other.run(SQLStatement("begin immediate"))
        async let opened = place.store()
        try await Task.sleep(for: .milliseconds(200))
        try other.run(SQLStatement("commit"))
        let store = try await opened
        try await store.writers.run(for: nil) { connection, _ in
            #expect(try connection.number(SQLStatement("pragma synchronous")) == 2)
            let mode = try connection.row(of: SQLStatement("pragma journal_mode"), []) { connection.text(0) }
            #expect(mode == "wal")
        }
    }

    @Test("Who writes for too long is an error with the store and the id, and nothing has changed")
    func tooBusy() async throws {
        let place = try Place()
        let store = try await place.store(busyTimeout: .milliseconds(20))
        try await store.save(archive("1"))
        let other = try place.connection()
        try other.run(SQLStatement("begin immediate"))
        let error = await #expect(throws: DatabaseError.self) { try await store.save(archive("1", replacing: 1)) }
        #expect(error?.reason == .busy)
        #expect(error?.id == "1")
        #expect(error?.store == place.file.path)
        await #expect(throws: DatabaseError.self) { try await store.delete("1") }
        try other.run(SQLStatement("commit"))
        #expect(try await store.load("1")?.revision == 1)
        #expect(try await store.save(archive("1", replacing: 1)) == 2)
    }

    @Test("What is listed, by whatever it is, is answered by an index and not by archives")
    func indexes() async throws {
        let place = try Place()
        let store = try await place.store()
        let due = Date(timeIntervalSinceReferenceDate: 1)
        try await store.save(
            StoredArchive(id: "1", revision: 0, workflow: "Lamp", state: "On", due: due, archive: Data())
        )
        let connection = try place.connection()
        for (query, index) in [
            ("workflow = 'a' and state = 'b' and state is not null order by id, id_rest", "machines_by_state"),
            (
                "workflow = 'a' and state = 'b' and state is not null and (id, id_rest) > (x'41', x'') order by id, id_rest limit 9",
                "machines_by_state"
            ),
            (
                "state is not null and workflow = 'a' and (id, id_rest) > (x'41', x'') order by id, id_rest limit 9",
                "machines_by_workflow"
            ),
            ("workflow = 'a' and due <= 3 order by due, id, id_rest", "machines_by_due"),
        ] {
            let plan = SQLStatement("explain query plan select id, id_rest from machines where \(query)")
            var lines: [String] = []
            try connection.forEachRow(of: plan, []) { lines.append(connection.text(3) ?? "") }
            #expect(lines.count == 1 && lines[0].contains(" INDEX \(index) "), "\(lines)")
        }
    }

    @Test("Deadlines fire in a store of a database")
    func deadlines() async throws {
        let place = try Place()
        let store = try await place.store()
        let date = Date(timeIntervalSinceReferenceDate: 800_000_000)
        for seconds in [30.0, 10, 20] {
            let open = Turnstile.OpenState(passed: Int(seconds), closeBy: date + seconds)
            try await store.save(StateMachine<Turnstile>(alreadyIn: open), as: "\(Int(seconds))", expecting: 0)
        }
        #expect(try await store.ids(dueBy: date + 20, of: Turnstile.name) == ["10", "20"])
        #expect(try await store.fireDue(Turnstile.self, by: date + 20) == ["10", "20"])
        #expect(try await store.ids(of: Turnstile.self, in: Turnstile.ClosedState.self) == ["10", "20"])
        #expect(try await store.fireDue(Turnstile.self, by: date + 20) == [])
    }
}
