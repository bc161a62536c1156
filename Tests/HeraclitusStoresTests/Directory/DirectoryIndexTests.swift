import Foundation
import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import Testing

@testable import Fixtures

@Suite("The index of a directory") struct DirectoryIndexTests {
    private let place = DirectoryPlace()
    private let date = DirectoryPlace.date

    @Test("A waiting machine has a link to its file until it stops waiting or is deleted")
    func links() async throws {
        let store = try place.store()
        try await store.save(DirectoryPlace.row("A b"))
        #expect(try place.links("due") == [] && place.links("effects") == [])
        try await store.save([
            .save(
                DirectoryPlace.row("A b", replacing: 1, due: date),
                effects: (nil, DirectoryPlace.effects())
            )
        ])
        #expect(try place.links("due") == ["^a%20b.json"] && place.links("effects") == ["^a%20b.json"])
        let text = try FileManager.default.subpathsOfDirectory(atPath: place.folder.path).filter {
            $0.hasSuffix("%20b.json")
        }
        #expect(text.count == 3)
        try await store.save(DirectoryPlace.row("A b", replacing: 2))
        #expect(try place.links("due") == [] && place.links("effects") == ["^a%20b.json"])
        try await store.delete("A b")
        #expect(try place.links("effects") == [])
        // The folders are removed, too.
        for kind in ["due", "effects"] {
            #expect(try FileManager.default.contentsOfDirectory(atPath: place.folder.path + "/.store/" + kind) == [])
        }
    }

    @Test("A transaction updates the links of all its machines")
    func together() async throws {
        let store = try place.store()
        try await store.save(together: [DirectoryPlace.row("a", due: date), DirectoryPlace.row("b", due: date)])
        #expect(try place.links("due") == ["a.json", "b.json"])
        #expect(
            try await store.save([
                .delete("a", expecting: 1), .save(DirectoryPlace.row("b", replacing: 1)), .delete("c", expecting: nil),
            ])
                == [1, 2, 0]
        )
        #expect(try place.links("due") == [])
        #expect(try await store.ids() == ["b"])
        #expect(try await store.save(DirectoryPlace.row("a")) == 2)
    }

    @Test("A search for waiting machines reads only the requested files")
    func noFile() async throws {
        let store = try place.store()
        // The first look compares all files.
        #expect(try await store.ids(DirectoryPlace.dueIDs()) == [])
        let others = ["later", "door", "newer", "none", "mail", "parked"]
        try await store.save(DirectoryPlace.row("due", due: date))
        try await store.save(DirectoryPlace.row("later", due: date + 0.001))
        try await store.save(DirectoryPlace.row("door", workflow: "Door", due: date))
        try await store.save(DirectoryPlace.row("newer", version: 2, due: date))
        try await store.save(DirectoryPlace.row("none"))
        let waiting: [(String, String?, Date)] = [
            ("print", "Print", date), ("mail", "Mail", date), ("parked", nil, .distantFuture),
        ]
        for (id, name, date) in waiting {
            let effects = DirectoryPlace.effects(name, at: date)
            try await store.save([.save(DirectoryPlace.row(id), effects: (nil, effects))])
        }
        try place.hide(others.map { "\($0).json" })
        var query = DirectoryPlace.dueIDs()
        (query.workflows, query.newestVersion) = (["Lamp"], 1)
        #expect(try await store.ids(query) == ["due"])
        query.queue = .effects(by: date, names: ["Print"])
        #expect(try await store.ids(query) == ["print"])
        #expect(try await store.claim(DirectoryPlace.claim()).map(\.id) == ["due"])
        let queue = ArchiveQuery.Queue.effects(by: date, names: ["Print"])
        #expect(try await store.claim(DirectoryPlace.claim(queue)).map(\.id) == ["print"])
        #expect(try await store.claim(DirectoryPlace.claim()).map(\.id) == [])
        // The next search needs a file that is unreadable.
        await #expect(throws: ArchiveError.self) { try await store.ids(DirectoryPlace.dueIDs(by: date + 1)) }
    }

    @Test(
        "A store finds files without links at its first look, as after a loss of power",
        arguments: [false, true]
    )
    func incomplete(isClaim: Bool) async throws {
        let store = try place.store()
        try await store.save([
            .save(DirectoryPlace.row("1", due: date), effects: (nil, DirectoryPlace.effects()))
        ])
        for kind in ["due", "effects"] {
            try FileManager.default.removeItem(at: place.folder.appendingPathComponent(".store/\(kind)"))
        }
        // An earlier release wrote files without links.
        try place.write(
            #"{"due":"2026-05-09T06:13:19Z","id":"2","revision":1,"state":"On","workflow":"Lamp"}"# + "\n{}\n",
            to: "2.json"
        )
        try place.write("no header", to: "3.json")
        if isClaim {
            #expect(try await place.store().claim(DirectoryPlace.claim()).map(\.id) == ["2", "1"])
            let queue = ArchiveQuery.Queue.effects(by: date, names: ["Mail"])
            #expect(try await place.store().claim(DirectoryPlace.claim(queue)).map(\.id) == ["1"])
        } else {
            #expect(try await place.store().ids(DirectoryPlace.dueIDs()) == ["2", "1"])
            #expect(try await place.store().ids(DirectoryPlace.effectIDs()) == ["1"])
        }
    }

    @Test("A first look keeps claims")
    func claimed() async throws {
        let store = try place.store()
        for id in ["1", "2"] { try await store.save(DirectoryPlace.row(id, due: date)) }
        #expect(try await store.claim(DirectoryPlace.claim(limit: 1)).map(\.id) == ["1"])
        #expect(try await place.store().claim(DirectoryPlace.claim(limit: 5)).map(\.id) == ["2"])
        // Listing ignores claims.
        #expect(try await place.store().ids(DirectoryPlace.dueIDs()) == ["1", "2"])
        #expect(try place.links("claimed") == ["1.json", "2.json"] && place.links("due") == [])
    }

    @Test(
        "Searches skip and remove stale links",
        arguments: [false, true]
    )
    func stale(isClaim: Bool) async throws {
        let store = try place.store()
        #expect(try await store.ids(DirectoryPlace.dueIDs()) == [])
        let other = DirectoryPlace()
        for id in ["1", "gone"] { try await other.store().save(DirectoryPlace.row(id, due: date - 1)) }
        try await other.store().save([
            .save(DirectoryPlace.row("2"), effects: (nil, DirectoryPlace.effects(at: date - 1)))
        ])
        try await store.save(DirectoryPlace.row("0", due: date))
        try await store.save(DirectoryPlace.row("1", due: date))
        try await store.save(DirectoryPlace.row("2", due: date))
        try await store.save(DirectoryPlace.row("2", replacing: 1, due: date))
        // The links of a process killed before it removed them.
        for kind in ["due", "effects"] {
            let from = other.folder.appendingPathComponent(".store/\(kind)").path
            for path in try FileManager.default.subpathsOfDirectory(atPath: from) where path.hasSuffix(".json") {
                let target = place.folder.appendingPathComponent(".store/\(kind)/\(path)")
                try FileManager.default.createDirectory(
                    at: target.deletingLastPathComponent(),
                    withIntermediateDirectories: true
                )
                let link = try FileManager.default.destinationOfSymbolicLink(atPath: "\(from)/\(path)")
                try FileManager.default.createSymbolicLink(atPath: target.path, withDestinationPath: link)
            }
        }
        #expect(try place.links("due").count == 5 && place.links("effects") == ["2.json"])
        let queue = ArchiveQuery.Queue.effects(by: date, names: nil)
        if isClaim {
            #expect(try await store.claim(DirectoryPlace.claim()).map(\.id) == ["0", "1", "2"])
            #expect(try await store.claim(DirectoryPlace.claim(queue)).map(\.id) == [])
        } else {
            #expect(try await store.ids(DirectoryPlace.dueIDs()) == ["0", "1", "2"])
            #expect(try await store.ids(DirectoryPlace.effectIDs()) == [])
        }
        #expect(try place.links("due") + place.links("claimed") == ["0.json", "1.json", "2.json"])
        #expect(try place.links("effects") == [])
    }

    @Test("More than a page of machines with one date come in the order of their ids, each once")
    func pages() async throws {
        let store = try place.store()
        let ids = (0..<2_300).map { "\($0)" }
        for start in stride(from: 0, to: ids.count, by: 100) {
            try await store.save(together: ids[start..<start + 100].map { DirectoryPlace.row($0, due: date) })
        }
        #expect(try await store.ids(DirectoryPlace.dueIDs()) == ids.sorted())
        var query = DirectoryPlace.dueIDs()
        query.limit = 20
        #expect(try await store.ids(query) == Array(ids.sorted().prefix(20)))
        // In steps, too, so that a page of links ends in the middle of a date.
        let others = try place.store()
        var claimed: [String] = []
        for limit in [700, 1_000, 3_000] {
            claimed += try await others.claim(DirectoryPlace.claim(limit: limit)).map(\.id)
        }
        #expect(claimed.sorted() == ids.sorted())
    }

    @Test("Foreign files in the folders of the links disturb no worker")
    func foreignFiles() async throws {
        let clock = ManualClock(at: date)
        let first = try place.store()
        let bills = first.workflow(Bill.self, scheduler: clock.scheduler)
        for (id, seconds) in [("claimed", 5.0), ("due", 10)] {
            try await bills.update(id) { try $0.fire.send(Bill.SentState(1, by: date + seconds)) }
        }
        try await first.workflow(EffectTests.Office.self, scheduler: clock.scheduler).update("mail") {
            try $0.fire.mail(EffectTests.MailingState("a"))
        }
        let claim = DirectoryPlace.claim(.due(by: date + 5), of: Bill.name, until: date + 8)
        #expect(try await first.claim(claim).map(\.id) == ["claimed"])
        // Files of file managers, in each folder and in the folder of some dates; their names sort before all dates or
        // after them.
        for kind in ["due", "claimed", "effects"] {
            let folder = ".store/\(kind)"
            let parts = try FileManager.default.contentsOfDirectory(atPath: "\(place.folder.path)/\(folder)")
            #expect(!parts.isEmpty)
            for file in [".DS_Store", "desktop.ini"] {
                try place.write("", to: "\(folder)/\(file)")
                for part in parts { try place.write("", to: "\(folder)/\(part)/\(file)") }
            }
        }
        let store = try place.store()
        var query = DirectoryPlace.dueIDs(by: .distantFuture)
        query.workflows = [Bill.name]
        #expect(try await store.ids(query) == ["claimed", "due"])
        let (yesterday, effects) = (date - 86_400, DirectoryPlace.effectIDs(by: .distantFuture))
        #expect(try await store.nextDate(query, after: yesterday) == date + 8)
        #expect(try await store.nextDate(effects, after: yesterday) == date)
        #expect(try await store.nextDate(effects, after: date) == nil)
        await clock.advance(by: .seconds(10))
        let due = try await store.workflow(Bill.self, scheduler: clock.scheduler).fireDue()
        #expect(due.count == 2 && due.failures.isEmpty)
        let delivered = try await store.workflow(EffectTests.Office.self, scheduler: clock.scheduler)
            .deliver(to: EffectHandlers().on(EffectTests.Mail.self) { _, _ in })
        #expect(delivered.count == 1 && delivered.failures.isEmpty)
        #expect(try place.links("claimed") == [] && place.links("effects") == [])
    }
}
