import Foundation
import Heraclitus
import HeraclitusStores
import SQLiteStore
import StoreTesting
import Testing

@testable import SQLStores

@Suite("Files of SQLite that are not as they should be") struct FaultTests {
    private func reason(_ place: Place) async -> DatabaseError.Reason? {
        let error = await #expect(throws: DatabaseError.self) { try await place.store() }
        #expect(error?.store == place.file.path)
        return error?.reason
    }

    @Test("A file of a newer version is refused, and stays as it is")
    func newer() async throws {
        let place = try Place()
        try await place.store().save(archive("1"))
        try place.change("pragma user_version = 7")
        #expect(await reason(place) == .newerSchema(found: 7, supported: 2))
        try place.change("pragma user_version = 2")
        #expect(try await place.store().ids() == ["1"])
    }

    @Test("A file of another program is refused, and stays as it is")
    func others() async throws {
        let text = try Place()
        let content = Data(String(repeating: "This is no database. ", count: 500).utf8)
        try content.write(to: text.file)
        guard case .otherTables = await reason(text) else { return #expect(Bool(false)) }
        #expect(try Data(contentsOf: text.file) == content)
        let database = try Place()
        try database.change("create table bills (number integer)")
        guard case .otherTables = await reason(database) else { return #expect(Bool(false)) }
        let connection = try database.connection()
        #expect(try connection.number(SQLStatement("select count(*) from sqlite_schema")) == 1)
        let mode = try connection.row(of: SQLStatement("pragma journal_mode"), []) { connection.text(0) }
        #expect(mode == "delete")
    }

    @Test("A table that somebody has altered is refused")
    func altered() async throws {
        let place = try Place()
        let store = try await place.store()
        try await store.save(archive("1"))
        try place.change("alter table machines rename column token to coin")
        guard case .otherTables(let explanation) = await reason(place) else { return #expect(Bool(false)) }
        #expect(explanation.contains("token"))
        // One that is open already finds out, too.
        let error = await #expect(throws: DatabaseError.self) { try await store.save(archive("2")) }
        #expect(error?.id == "2")
        guard case .otherTables = error?.reason else { return #expect(Bool(false), "\(String(describing: error))") }
        try place.change("alter table machines rename column coin to token")
        #expect(try await store.save(archive("2")) == 1)
        try place.change("drop table machines")
        let gone = await #expect(throws: DatabaseError.self) { try await store.load("1") }
        guard case .otherTables = gone?.reason else { return #expect(Bool(false), "\(String(describing: gone))") }
    }

    /// What somebody does to a file that a store has open.
    enum Harm: CaseIterable { case delete, move, replace }

    @Test(
        "A file that is deleted, moved or replaced while it is open is an error, whatever the connection; nothing is made in its place",
        arguments: Harm.allCases
    )
    func gone(harm: Harm) async throws {
        let place = try Place()
        let other = try Place()
        try await other.store().save(archive("other"))
        let store = try await place.store()
        try await store.save(archive("1"))
        // One of the connections that read is open, the others are not yet.
        #expect(try await store.ids() == ["1"])
        let (path, away) = (place.file.path, place.file.path + ".away")
        switch harm {
        case .delete: try FileManager.default.removeItem(atPath: path)
        case .move: try FileManager.default.moveItem(atPath: path, toPath: away)
        case .replace:
            try FileManager.default.moveItem(atPath: path, toPath: away)
            try FileManager.default.copyItem(atPath: other.file.path, toPath: path)
        }
        func expectGone(_ id: String?, _ body: () async throws -> Void) async {
            let error = await #expect(throws: DatabaseError.self) { try await body() }
            guard case .inaccessible = error?.reason else {
                return #expect(Bool(false), "\(String(describing: error))")
            }
            #expect(error?.id == id && error?.store == path)
        }
        await expectGone("1") { try await store.save(archive("1", replacing: 1)) }
        await expectGone("2") { try await store.save(archive("2")) }
        await expectGone("1") { try await store.delete("1") }
        await expectGone(nil) { try await store.save(together: [archive("3"), archive("4")]) }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<16 {
                group.addTask { await #expect(throws: DatabaseError.self) { try await store.load("1") } }
                group.addTask { await #expect(throws: DatabaseError.self) { try await store.ids() } }
            }
        }
        #expect(FileManager.default.fileExists(atPath: path) == (harm == .replace))
        guard harm == .move else { return }
        try FileManager.default.moveItem(atPath: away, toPath: path)
        #expect(try await store.load("1")?.revision == 1)
        #expect(try await store.save(archive("1", replacing: 1)) == 2)
    }

    @Test("When a file that was moved amid a transaction is back, the transaction is undone, and what is saved stays")
    func movedAmid() async throws {
        let place = try Place()
        let store = try await place.store()
        let other = try await place.store(busyTimeout: .seconds(1))
        try await store.save(archive("1"))
        let (path, away) = (place.file.path, place.file.path + ".away")
        let error = await #expect(throws: DatabaseError.self) {
            try await store.writers.run(for: "1", isChange: true) { connection, _ in
                try connection.transaction {
                    _ = try connection.save(Change(archive("2")), false)
                    try FileManager.default.moveItem(atPath: path, toPath: away)
                }
            }
        }
        guard case .inaccessible = error?.reason else { return #expect(Bool(false), "\(String(describing: error))") }
        try FileManager.default.moveItem(atPath: away, toPath: path)
        #expect(try await store.save(archive("1", replacing: 1)) == 2)
        #expect(try await other.load("1")?.revision == 2)
        #expect(try await other.ids() == ["1"])
        #expect(try await other.save(archive("2")) == 1)
    }

    @Test(
        "A file that is cut while it is open is an error, or what was saved, and never an empty store",
        // Within a page SQLite does not notice it, and whoever reads the archive does.
        arguments: [0, 1, 100, 4_096, 8_192, 28_672],
        [false, true]
    )
    func cut(size: Int, isLog: Bool) async throws {
        let place = try Place()
        let store = try await place.store()
        let content = String(repeating: "x", count: 300)
        for number in 0..<100 { try await store.save(archive("\(number)", content: content)) }
        if !isLog { try place.change("pragma wal_checkpoint(truncate)") }
        let handle = try FileHandle(forWritingTo: URL(filePath: place.file.path + (isLog ? "-wal" : "")))
        try handle.truncate(atOffset: UInt64(size))
        try handle.close()
        func expect(_ store: SQLiteStore, _ number: Int) async throws {
            do {
                #expect(try await store.load("\(number)") == archive("\(number)", replacing: 1, content: content))
            } catch let error as DatabaseError {
                #expect(error.id == "\(number)")
            } catch StoreError.damaged(let id, _) {
                #expect(id == "\(number)")
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 { group.addTask { try await expect(store, number) } }
            try await group.waitForAll()
        }
        do {
            #expect(try await store.ids().count == 100)
        } catch is DatabaseError {
        }
        await #expect(throws: (any Error).self) { try await store.save(archive("1", replacing: 7)) }
    }

    @Test("Dates that are none, or far away, are no reason to stop, and columns of dates that lie hold nothing up")
    func dates() async throws {
        let place = try Place()
        let store = try await place.store()
        for id in ["1", "2", "3"] { _ = try await store.count(id) }
        try place.change("update machines set due = 9e999, effects = -9e999 where id = x'31'")
        #expect(try await store.load("1")?.due?.timeIntervalSinceReferenceDate == .infinity)
        #expect(try await store.ids(dueBy: .distantFuture, of: nil) == [])
        #expect(try await store.count("1") == 2)
        #expect(try await store.load("1")?.due == nil)
        // Said to be due, and not there.
        _ = try await store.pass("4")
        try place.change("update machines set due = -9e999, effects = -9e999 where id = x'34'")
        #expect(try await store.fireDue(Turnstile.self) == ["4"])
        #expect(try await store.deliver(Meter.self) { _, _ in } == 4)
        for date in [Double.nan, .infinity, -.infinity].map(Date.init(timeIntervalSinceReferenceDate:)) {
            #expect(try await store.ids(dueBy: date, of: "Nobody") == [])
            #expect(try await store.ids(withEffectsBy: date, of: "Nobody", limit: 9) == [])
        }
    }

    @Test("Machines whose rows or effects are damaged hold up the effects of no others")
    func damagedEffects() async throws {
        let place = try Place()
        let store = try await place.store()
        for number in 10..<30 { _ = try await store.count("\(number)") }
        try place.change(
            "pragma ignore_check_constraints = on",
            "update machines set archive = cast('{\"outbox\":7}' as blob) where id < cast('20' as blob)",
            "update machines set revision = -1 where id = cast('20' as blob)",
            "update machines set revision = 9223372036854775807 where id = cast('28' as blob)",
            "update machines set revision = 9223372036854775806 where id = cast('29' as blob)"
        )
        let error = await #expect(throws: StoreError.self) {
            try await store.deliver(Meter.self, policy: DeliveryPolicy(machinesAtOnce: 2)) { _, key in
                #expect(key.id > "20" && key.id != "28")
            }
        }
        guard case .damaged("10", _) = error else { return #expect(Bool(false), "\(String(describing: error))") }
        let left = try await store.ids(withEffectsBy: .distantFuture, of: Meter.name, limit: 100)
        #expect(left == ((10...20) + [28, 29]).map { "\($0)" })
    }

    @Test("A folder that is not there, and a file that may not be written, are errors")
    func inaccessible() async throws {
        let folder = try TemporaryFolder()
        for path in ["nowhere/shop.sqlite", "."] {
            let error = await #expect(throws: DatabaseError.self) {
                try await SQLiteStore(at: folder.url.appending(path: path))
            }
            guard case .inaccessible = error?.reason else {
                Issue.record("\(path): \(String(describing: error))")
                continue
            }
        }
    }

    @Test(
        "A row that somebody has damaged is an error with its id; others are found, and it can be deleted",
        arguments: [
            "archive = null", "state = cast(x'ff' as text)", "id_rest = x'41'", "revision = 0", "revision = -5",
            "state = null",
        ]
    )
    func damaged(change: String) async throws {
        let place = try Place()
        let store = try await place.store()
        for id in ["1", "2", "3"] { try await store.save(archive(id)) }
        try place.change("pragma ignore_check_constraints = on", "update machines set \(change) where id = x'32'")
        let error = await #expect(throws: StoreError.self) { try await store.load("2") }
        guard case .damaged("2", _) = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(try await store.load("3") == archive("3", replacing: 1))
        #expect(try await store.ids().contains("3"))
        #expect(try await store.save(archive("1", replacing: 1)) == 2)
    }

    @Test("A row whose archive is damaged can be found and deleted")
    func damagedArchive() async throws {
        let place = try Place()
        let store = try await place.store()
        try await store.pass("1")
        try place.change("update machines set archive = x'7b00'")
        #expect(try await store.ids(of: Turnstile.self) == ["1"])
        await #expect(throws: ArchiveError.self) { try await store.machine("1", of: Turnstile.self) }
        #expect(try await store.delete("1", expecting: 1))
        #expect(try await store.ids() == [])
    }

    @Test("A file whose pages are overwritten is an error, never a trap", arguments: 0..<8)
    func overwritten(seed: Int) async throws {
        let place = try Place()
        do {
            let store = try await place.store()
            for number in 0..<200 {
                try await store.save(archive("\(number)", content: String(repeating: "x", count: 300)))
            }
        }
        // Until the last connection has written the log into the file.
        for _ in 0..<1_000 where FileManager.default.fileExists(atPath: place.file.path + "-wal") {
            try await Task.sleep(for: .milliseconds(5))
        }
        var content = try Data(contentsOf: place.file)
        for place in 0..<200 {
            let offset = 100 + (place * 7_919 + seed * 104_729) % (content.count - 100)
            content[offset] = UInt8(truncatingIfNeeded: offset &* 31 &+ seed)
        }
        try content.write(to: place.file)
        do {
            let store = try await place.store()
            for number in 0..<200 {
                do {
                    _ = try await store.load("\(number)")
                } catch is DatabaseError {
                } catch is StoreError {
                }
            }
            _ = try await store.ids()
        } catch is DatabaseError {
        }
    }

    @Test("When there is no space left, a save throws with the id, the archive before stays, and deleting makes space")
    func full() async throws {
        let place = try Place()
        let store = try await place.store(sizeLimit: 200_000)
        let content = String(repeating: "0123456789", count: 3_000)
        var saved = 0
        var error: DatabaseError?
        while error == nil, saved < 100 {
            do {
                try await store.save(archive("\(saved)", content: content))
                saved += 1
            } catch let thrown as DatabaseError {
                error = thrown
            }
        }
        #expect(error?.id == "\(saved)")
        guard case .full = error?.reason else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(saved > 2)
        await #expect(throws: DatabaseError.self) {
            try await store.save(archive("0", replacing: 1, content: content + content))
        }
        await #expect(throws: DatabaseError.self) {
            try await store.save(each: (0..<10).map { archive("several \($0)", content: content) })
        }
        #expect(try await store.load("0") == archive("0", replacing: 1, content: content))
        #expect(try await store.ids().count == saved)
        #expect(try await store.delete("0"))
        #expect(try await store.save(archive("new", content: "{}")) == 1)
    }

    @Test("Names that no database can keep are refused; a revision has one after it")
    func unstorable() async throws {
        let place = try Place()
        let store = try await place.store()
        let error = await #expect(throws: DatabaseError.self) {
            try await store.save(StoredArchive(id: "1", revision: 0, workflow: "a\0b", state: "On", archive: Data()))
        }
        guard case .unstorable = error?.reason else { return #expect(Bool(false)) }
        await #expect(throws: StoreError.self) { try await store.save(archive("1", replacing: .max)) }
        #expect(try await store.ids() == [])
        for due in [Double.nan, .infinity, -.infinity] {
            let due = Date(timeIntervalSinceReferenceDate: due)
            let id = "\(due.timeIntervalSinceReferenceDate)"
            try await store.save(StoredArchive(id: id, revision: 0, workflow: "", state: "", due: due, archive: Data()))
            #expect(try await store.load(id)?.due == nil)
        }
    }

    @Test("A name with NUL, which no archive can have, finds nothing")
    func nul() async throws {
        let place = try Place()
        let store = try await place.store()
        _ = try await store.count("1")
        let due = StoredArchive(id: "2", revision: 0, workflow: "Lamp", state: "On", due: .now, archive: Data())
        try await store.save(due)
        #expect(try await store.ids(of: "Lamp", in: "On") == ["2"])
        for end in ["\0", "\0x"] {
            #expect(try await store.ids(of: "Lamp" + end, in: nil) == [])
            #expect(try await store.ids(of: nil, in: "On" + end) == [])
            #expect(try await store.ids(of: nil, in: "On" + end, after: nil, limit: 9) == [])
            #expect(try await store.ids(dueBy: .distantFuture, of: "Lamp" + end) == [])
            #expect(try await store.ids(withEffectsBy: .distantFuture, of: Meter.name + end, limit: 9) == [])
            #expect(try await store.claim(effectsBy: .distantFuture, of: Meter.name + end, limit: 9) { $0 } == [])
        }
    }
}
