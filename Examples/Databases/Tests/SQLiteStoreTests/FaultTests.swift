import Foundation
import GRDB
import Heraclitus
import HeraclitusStores
import SQLStores
import SQLiteStore
import StoreTesting
import Testing

@Suite("Faulty SQLite files") struct FaultTests {
    private func reason(_ place: Place) async -> SQLStores.DatabaseError.Reason? {
        let error = await #expect(throws: SQLStores.DatabaseError.self) { try await place.store() }
        #expect(error?.store == place.file.path)
        return error?.reason
    }

    @Test("A store refuses a file of a newer version, and leaves the file unchanged")
    func newer() async throws {
        let place = try Place()
        try await place.store().save(archive("1"))
        try place.change("pragma user_version = 7")
        #expect(await reason(place) == .newerSchema(found: 7, supported: 3))
        try place.change("pragma user_version = 3")
        #expect(try await place.store().ids() == ["1"])
    }

    @Test("A store refuses a file of another program, and leaves the file unchanged")
    func others() async throws {
        let text = try Place()
        let content = Data(String(repeating: "This is no database. ", count: 500).utf8)
        try content.write(to: text.file)
        guard case .otherTables = await reason(text) else { return #expect(Bool(false)) }
        #expect(try Data(contentsOf: text.file) == content)
        let database = try Place()
        try database.change("create table bills (number integer)")
        guard case .otherTables = await reason(database) else { return #expect(Bool(false)) }
        #expect(try database.text("select name from sqlite_schema") == ["bills"])
        #expect(try database.text("pragma journal_mode") == ["delete"])
    }

    @Test("A store refuses altered tables")
    func altered() async throws {
        let place = try Place()
        let store = try await place.store()
        try await store.save(archive("1"))
        try place.change("alter table machines rename column archive to content")
        guard case .otherTables(let explanation) = await reason(place) else { return #expect(Bool(false)) }
        #expect(explanation.contains("archive"))
        // An open store notices the change, too.
        let error = await #expect(throws: SQLStores.DatabaseError.self) { try await store.save(archive("2")) }
        #expect(error?.id == "2")
        guard case .otherTables = error?.reason else { return #expect(Bool(false), "\(String(describing: error))") }
        try place.change("alter table machines rename column content to archive")
        #expect(try await store.save(archive("2")) == 1)
        try place.change("drop table machines")
        let gone = await #expect(throws: SQLStores.DatabaseError.self) { try await store.load("1") }
        guard case .otherTables = gone?.reason else { return #expect(Bool(false), "\(String(describing: gone))") }
    }

    /// Damage to a file that a store has open.
    enum Harm: CaseIterable {
        case delete, move, replace, deleteLog, deleteIndexOfLog, deleteBoth, replaceLog
    }

    @Test(
        "Damage to an open file or log causes an error on every connection, and the store makes no new file",
        arguments: Harm.allCases
    )
    func gone(harm: Harm) async throws {
        let place = try Place()
        let other = try Place()
        try await other.store().save(archive("other"))
        let store = try await place.store()
        try await store.save(archive("1"))
        // One reading connection is open, and the others open later.
        #expect(try await store.ids() == ["1"])
        let (path, away) = (place.file.path, place.file.path + ".away")
        switch harm {
        case .delete: try FileManager.default.removeItem(atPath: path)
        case .move: try FileManager.default.moveItem(atPath: path, toPath: away)
        case .replace:
            try FileManager.default.moveItem(atPath: path, toPath: away)
            try FileManager.default.copyItem(atPath: other.file.path, toPath: path)
        case .deleteLog: try FileManager.default.removeItem(atPath: path + "-wal")
        case .deleteIndexOfLog: try FileManager.default.removeItem(atPath: path + "-shm")
        case .deleteBoth:
            for end in ["-wal", "-shm"] { try FileManager.default.removeItem(atPath: path + end) }
        case .replaceLog:
            try FileManager.default.copyItem(atPath: path + "-wal", toPath: away)
            try FileManager.default.removeItem(atPath: path + "-wal")
            try FileManager.default.moveItem(atPath: away, toPath: path + "-wal")
        }
        func expectGone(_ id: String?, _ body: () async throws -> Void) async {
            let error = await #expect(throws: SQLStores.DatabaseError.self) { try await body() }
            guard case .inaccessible = error?.reason else {
                return #expect(Bool(false), "\(String(describing: error))")
            }
            #expect(error?.id == id && error?.store == path)
        }
        await expectGone("1") { try await store.save(archive("1", replacing: 1)) }
        await expectGone("2") { try await store.save(archive("2")) }
        await expectGone("1") { try await store.delete("1") }
        await expectGone(nil) { try await store.save([.save(archive("3")), .save(archive("4"))]) }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<16 {
                group.addTask { await #expect(throws: SQLStores.DatabaseError.self) { try await store.load("1") } }
                group.addTask { await #expect(throws: SQLStores.DatabaseError.self) { try await store.ids() } }
            }
        }
        #expect(FileManager.default.fileExists(atPath: path) == ![.delete, .move].contains(harm))
        #expect(FileManager.default.fileExists(atPath: path + "-wal") == ![.deleteLog, .deleteBoth].contains(harm))
        guard harm == .move else { return }
        try FileManager.default.moveItem(atPath: away, toPath: path)
        #expect(try await store.load("1")?.revision == 1)
        #expect(try await store.save(archive("1", replacing: 1)) == 2)
    }

    @Test("After a file moved during a transaction is back, the transaction is undone, and earlier saves are there")
    func movedDuringTransaction() async throws {
        let place = try Place()
        let store = try await place.store()
        let other = try await place.store(busyTimeout: .seconds(1))
        try await store.save(archive("1"))
        let (path, away) = (place.file.path, place.file.path + ".away")
        let error = await #expect(throws: SQLStores.DatabaseError.self) {
            try await store.database.write { db in
                try store.unit(in: db) { unit in
                    for id in ["2", "3"] {
                        let machine = try unit.machine(id, of: store.workflow(Turnstile.self))
                        try machine.fire.pass { $0 }
                    }
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
        "A truncated file causes an error or shows saved machines, never an empty store",
        // SQLite misses a cut within a page, and the reader of the archive finds it.
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
            } catch let error as SQLStores.DatabaseError {
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
        } catch is SQLStores.DatabaseError {
        }
        await #expect(throws: (any Error).self) { try await store.save(archive("1", replacing: 7)) }
    }

    @Test("Dates of NaN or infinity cause no trap, and wrong date columns delay no machine")
    func dates() async throws {
        let place = try Place()
        let store = try await place.store()
        for id in ["1", "2", "3"] { _ = try await store.count(id) }
        try place.change("update machines set due = 9e999, effects_date = -9e999 where id = x'31'")
        #expect(try await store.load("1")?.due?.timeIntervalSinceReferenceDate == .infinity)
        #expect(try await store.ids(query { $0.queue = .due(by: .distantFuture) }) == [])
        #expect(try await store.count("1") == 2)
        #expect(try await store.load("1")?.due == nil)
        // The columns show a due date and effects that the archive lacks.
        _ = try await store.pass("4")
        try place.change("update machines set due = -9e999, effects_date = -9e999 where id = x'34'")
        #expect(try await store.workflow(Turnstile.self).fireDue().count == 1)
        let handlers = EffectHandlers().on(Meter.Reading.self) { _, _ in }
        #expect(try await store.workflow(Meter.self).deliver(to: handlers).count == 4)
        for date in [Double.nan, .infinity, -.infinity].map(Date.init(timeIntervalSinceReferenceDate:)) {
            for queue in [ArchiveQuery.Queue.due(by: date), .effects(by: date, names: nil)] {
                #expect(try await store.ids(query { ($0.workflows, $0.queue) = (["Nobody"], queue) }) == [])
            }
        }
        let never = Date(timeIntervalSinceReferenceDate: .nan)
        let none = WaitingEffects(content: Data(), next: "Ring", date: never, worker: nil)
        try await store.save([.save(archive("5"), effects: (nil, none))])
        let loaded = try await store.load("5")?.effects
        #expect(loaded?.date == .distantFuture)
        try await store.save([.effects(of: "5", (loaded, nil))])
    }

    @Test("Damaged rows and effects do not delay the effects of other machines")
    func damagedEffects() async throws {
        let place = try Place()
        let store = try await place.store()
        for number in 10..<30 { _ = try await store.count("\(number)") }
        try place.change(
            "pragma ignore_check_constraints = on",
            "update machines set effects_content = cast('{\"effects\":7}' as blob) where id < cast('20' as blob)",
            "update machines set revision = -1 where id = cast('20' as blob)",
            "update machines set revision = 9223372036854775807 where id = cast('28' as blob)"
        )
        let meters = store.workflow(Meter.self)
        let handlers = EffectHandlers().on(Meter.Reading.self) { _, key in #expect(key.id > "20") }
        let report = try await meters.deliver(policy: DeliveryPolicy(machinesAtOnce: 2), to: handlers)
        #expect(report.count == 9)
        #expect(Set(report.failures.map(\.id)) == Set((10..<20).map { "\($0)" }))
        for failure in report.failures {
            guard case StoreError.damaged(failure.id, _) = failure.error else {
                Issue.record("\(failure)")
                continue
            }
        }
        let left = try await store.ids(query { $0.queue = .effects(by: .distantFuture, names: nil) })
        #expect(left.sorted() == (10...20).map { "\($0)" })
    }

    @Test("A missing folder and an unwritable file cause errors")
    func inaccessible() async throws {
        let folder = try TemporaryFolder()
        for path in ["nowhere/shop.sqlite", "."] {
            let error = await #expect(throws: SQLStores.DatabaseError.self) {
                try await SQLiteStore(at: folder.url.appending(path: path))
            }
            guard case .inaccessible = error?.reason else {
                Issue.record("\(path): \(String(describing: error))")
                continue
            }
        }
    }

    @Test(
        "A load of a damaged row throws with its id; other rows are found, and the row can be deleted",
        arguments: [
            "archive = null", "state = cast(x'ff' as text)", "workflow = cast(x'ff' as text)", "revision = 0",
            "revision = -5", "state = null",
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
        #expect(try await store.load(["1", "3"]).map(\.revision) == [2, 1])
        try await store.delete("2")
        #expect(try await store.load("2") == nil)
        #expect(try await store.ids() == ["1", "3"])
        #expect(try await store.save(archive("2")) >= 1)
    }

    @Test("A row with a damaged archive can be found and deleted")
    func damagedArchive() async throws {
        let place = try Place()
        let store = try await place.store()
        try await store.pass("1")
        try place.change("update machines set archive = x'7b00'")
        #expect(try await store.workflow(Turnstile.self).ids() == ["1"])
        await #expect(throws: ArchiveError.self) { try await store.workflow(Turnstile.self).machine("1") }
        #expect(try await store.delete("1", expecting: 1))
        #expect(try await store.ids() == [])
    }

    @Test("A file with overwritten pages causes an error, never a trap", arguments: 0..<8)
    func overwritten(seed: Int) async throws {
        let place = try Place()
        do {
            let store = try await place.store()
            for number in 0..<200 {
                try await store.save(archive("\(number)", content: String(repeating: "x", count: 300)))
            }
        }
        // Waits until the last connection has checkpointed the log.
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
                } catch is SQLStores.DatabaseError {
                } catch is StoreError {
                }
            }
            _ = try await store.ids()
        } catch is SQLStores.DatabaseError {
        }
    }

    @Test("A save to a full file throws with the id and keeps the old archive, and a deletion frees space")
    func full() async throws {
        let place = try Place()
        let store = try await place.store(sizeLimit: 200_000)
        let content = String(repeating: "0123456789", count: 3_000)
        var saved = 0
        var error: SQLStores.DatabaseError?
        while error == nil, saved < 100 {
            do {
                try await store.save(archive("\(saved)", content: content))
                saved += 1
            } catch let thrown as SQLStores.DatabaseError {
                error = thrown
            }
        }
        #expect(error?.id == "\(saved)")
        guard case .full = error?.reason else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(saved > 2)
        await #expect(throws: SQLStores.DatabaseError.self) {
            try await store.save(archive("0", replacing: 1, content: content + content))
        }
        await #expect(throws: SQLStores.DatabaseError.self) {
            try await store.save((0..<10).map { .save(archive("several \($0)", content: content)) })
        }
        #expect(try await store.load("0") == archive("0", replacing: 1, content: content))
        #expect(try await store.ids().count == saved)
        #expect(try await store.delete("0"))
        #expect(try await store.save(archive("new", content: "{}")) == 1)
    }

    @Test("The store refuses unstorable names, and the greatest revision")
    func unstorable() async throws {
        let place = try Place()
        let store = try await place.store()
        func refused(_ change: StoreChange) async {
            let error = await #expect(throws: SQLStores.DatabaseError.self) { try await store.save([change]) }
            guard case .unstorable = error?.reason else { return #expect(Bool(false), "\(String(describing: error))") }
        }
        let named = StoredArchive(id: "1", revision: 0, workflow: "a\0b", version: 1, state: "On", archive: Data())
        await refused(.save(named))
        await refused(.save(archive("1", values: ["a\0b": .number(1)])))
        let effects = WaitingEffects(content: Data(), next: "a\0b", date: .now, worker: nil)
        await refused(.save(archive("1"), effects: (nil, effects)))
        await #expect(throws: StoreError.self) { try await store.save(archive("1", replacing: .max)) }
        #expect(try await store.ids() == [])
        for due in [Double.nan, .infinity, -.infinity] {
            let due = Date(timeIntervalSinceReferenceDate: due)
            let id = "\(due.timeIntervalSinceReferenceDate)"
            try await store.save(archive(id, due: due))
            #expect(try await store.load(id)?.due == nil)
        }
        try place.change("update machines set revision = 9223372036854775807")
        for id in try await store.ids() {
            await #expect(throws: StoreError.self) { try await store.save(archive(id, replacing: .max)) }
            #expect(try await store.delete(id))
            await #expect(throws: StoreError.self) { try await store.save(archive(id)) }
        }
    }

    @Test("Values of any text and any number are stored and found")
    func values() async throws {
        let place = try Place()
        let store = try await place.store()
        let texts = ["", "\0", "a\0b", "a\0c", "é", "e\u{301}", String(repeating: "long ", count: 20_000)]
        let numbers = [0, -0.0, 0.1 + 0.2, 1e-300, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, 1.0 / 3]
        for (index, text) in texts.enumerated() {
            try await store.save(archive("text \(index)", values: ["value": .text(text), "name'\"": .number(1)]))
        }
        for (index, number) in numbers.enumerated() {
            try await store.save(archive("number \(index)", values: ["value": .number(number)]))
        }
        for (index, text) in texts.enumerated() {
            #expect(try await store.load("text \(index)")?.values["value"] == .text(text))
            #expect(try await store.ids(query { $0.values = [.equal("value", .text(text))] }) == ["text \(index)"])
        }
        for (index, number) in numbers.enumerated() where index > 1 {
            #expect(try await store.load("number \(index)")?.values == ["value": .number(number)])
            let found = try await store.ids(query { $0.values = [.equal("value", .number(number))] })
            #expect(found == ["number \(index)"])
        }
        #expect(try await store.ids(query { $0.values = [.equal("name'\"", .number(1))] }).count == texts.count)
        try await store.save(archive("none", values: ["value": .number(.nan)]))
        guard case .number(let none)? = try await store.load("none")?.values["value"] else {
            return #expect(Bool(false))
        }
        #expect(none.isNaN)
        let all = try await store.ids(query { $0.values = [.greaterOrEqual("value", .number(-.infinity))] })
        #expect(all.count == numbers.count)
    }

    @Test("A query for a name with NUL finds nothing")
    func nul() async throws {
        let place = try Place()
        let store = try await place.store()
        _ = try await store.count("1")
        try await store.save(archive("2", due: .now, values: ["on": .number(1)]))
        #expect(try await store.ids(query { ($0.workflows, $0.states) = (["Lamp"], ["On"]) }) == ["2"])
        for end in ["\0", "\0x"] {
            let queries = [
                query { $0.workflows = ["Lamp" + end] }, query { $0.states = ["On" + end] },
                query { ($0.workflows, $0.queue) = (["Lamp" + end], .due(by: .distantFuture)) },
                query { $0.queue = .effects(by: .distantFuture, names: [Meter.Reading.name + end]) },
                query { $0.values = [.equal("on" + end, .number(1))] },
            ]
            for query in queries { #expect(try await store.ids(query) == []) }
            for queue in [ArchiveQuery.Queue.due(by: .distantFuture), .effects(by: .distantFuture, names: nil)] {
                let names = ["Lamp" + end, Meter.name + end]
                let claim = StoreClaim(queue, of: names, newestVersion: 9, until: .now, by: "me", limit: 9)
                #expect(try await store.claim(claim) == [])
            }
        }
    }
}
