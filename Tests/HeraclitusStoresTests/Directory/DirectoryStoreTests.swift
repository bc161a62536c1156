import Foundation
import Heraclitus
import HeraclitusStores
import Synchronization
import Testing

/// What every store promises, tried on those that there are.
@Suite("Stores") struct StoreTests {
    static let ids = [
        "42", "", " ", ".", "..", "../../etc/passwd", "/", "a/b", "A", "a", "^a", "%41", "~", "x.json", ".json", "né",
        "ne\u{301}",
        String(repeating: "👩‍👩‍👧", count: 230), String(repeating: "👩‍👩‍👧", count: 231), String(repeating: "x", count: 5_000),
        "nul\u{0}byte", "line\nbreak", "CON", "a:b*c?", "日本語",
    ]

    static let kinds = ["directory", "memory"]

    private static func ticket(_ url: String) -> StateMachine<Ticket> { StateMachine(alreadyIn: QueuedState([url])) }

    private static func url(_ machine: StateMachine<Ticket>?) -> String? {
        (machine?.state as? QueuedState)?.urls.first
    }

    @Test("What is saved is loaded, by any id, and nothing else", arguments: kinds)
    func anyID(kind: String) async throws {
        let place = try StorePlace(kind)
        let store = place.store
        for (number, id) in Self.ids.enumerated() {
            #expect(try await store.machine(id, of: Ticket.self) == nil)
            #expect(try await store.save(Self.ticket("\(number)"), as: id, expecting: 0) == 1)
        }
        for (number, id) in Self.ids.enumerated() {
            let found = try #require(try await store.machine(id, of: Ticket.self))
            #expect(Self.url(found.machine) == "\(number)" && found.revision == 1)
            #expect(try await store.load(id)?.id == id)
        }
        #expect(Set(try await store.ids().map { Array($0.utf8) }) == Set(Self.ids.map { Array($0.utf8) }))
        #expect(try await store.ids().count == Self.ids.count)
        #expect(try place.files.count == (kind == "directory" ? Self.ids.count : 0))
        #expect(try place.files.allSatisfy { $0.hasSuffix(".json") && !$0.contains("/") && $0.utf8.count <= 200 })
        for id in Self.ids { #expect(try await store.delete(id, expecting: 1)) }
        #expect(try await store.ids() == [])
        #expect(try place.files == [])
    }

    @Test("A save that expects another revision is a conflict with both, and changes nothing", arguments: kinds)
    func conflicts(kind: String) async throws {
        let place = try StorePlace(kind)
        let store = place.store
        func expectConflict(_ expected: Int, _ found: Int, _ body: () async throws -> Void) async {
            do {
                try await body()
                Issue.record("There was no conflict.")
            } catch StoreError.conflict("1", expected: expected, found: found) {
            } catch {
                Issue.record("\(error)")
            }
        }
        await expectConflict(1, 0) { try await store.save(Self.ticket("a"), as: "1", expecting: 1) }
        #expect(try await store.ids() == [])
        try await store.save(Self.ticket("b"), as: "1", expecting: 0)
        await expectConflict(0, 1) { try await store.save(Self.ticket("c"), as: "1", expecting: 0) }
        try await store.save(Self.ticket("d"), as: "1", expecting: 1)
        await expectConflict(1, 2) { try await store.save(Self.ticket("e"), as: "1", expecting: 1) }
        await expectConflict(1, 2) { try await store.delete("1", expecting: 1) }
        #expect(Self.url(try await store.machine("1", of: Ticket.self)?.machine) == "d")
        #expect(try await store.delete("1", expecting: nil))
        #expect(try await !store.delete("1", expecting: nil))
        await expectConflict(2, 0) { try await store.delete("1", expecting: 2) }
    }

    @Test("What is made anew after it was deleted is not taken for what was there before", arguments: kinds)
    func anew(kind: String) async throws {
        let place = try StorePlace(kind)
        let store = place.store
        try await store.save(Self.ticket("old"), as: "1", expecting: 0)
        let (mine, revision) = try #require(try await store.machine("1", of: Ticket.self))
        try await store.delete("1", expecting: nil)
        #expect(try await store.save(Self.ticket("new"), as: "1", expecting: 0) > revision)
        await #expect(throws: StoreError.self) { try await store.save(mine, as: "1", expecting: revision) }
        await #expect(throws: StoreError.self) { try await store.delete("1", expecting: revision) }
        #expect(Self.url(try await store.machine("1", of: Ticket.self)?.machine) == "new")

        // Another process, later, sees it alike.
        guard let folder = place.folder else { return }
        let later = try DirectoryStore(at: folder)
        try await later.delete("1")
        #expect(try await later.save(Self.ticket("newer"), as: "1", expecting: 0) == 3)
    }

    @Test("Ids are found by workflow and state", arguments: kinds)
    func found(kind: String) async throws {
        let place = try StorePlace(kind)
        let store = place.store
        for number in 0..<5 { try await store.save(Self.ticket("x"), as: "t\(number)", expecting: 0) }
        try await store.update("t3", of: Ticket.self) { try $0.fire.finish() }
        try await store.save(StateMachine<TicketLamp>(), as: "lamp", expecting: 0)
        #expect(try await store.ids() == ["lamp", "t0", "t1", "t2", "t3", "t4"])
        #expect(try await store.ids(of: Ticket.self) == ["t0", "t1", "t2", "t3", "t4"])
        #expect(try await store.ids(of: Ticket.self, in: DoneState.self) == ["t3"])
        #expect(try await store.ids(of: Ticket.self, in: QueuedState.self) == ["t0", "t1", "t2", "t4"])
        #expect(try await store.ids(of: nil, in: "Off") == ["lamp"])
        #expect(try await store.ids(of: "Nobody", in: nil) == [])
    }

    @Test(
        "An update makes what is not there, changes what is, and tells its transitions when they are saved",
        arguments: kinds
    )
    func update(kind: String) async throws {
        let place = try StorePlace(kind)
        let store = place.store
        var told: [String] = []
        var revision: Int?
        let result = try await store.update("1", of: Ticket.self) { ticket in
            try ticket.fire.add(QueuedState(["a"]))
            try ticket.fire.finish()
            return ticket.revision
        } saved: { transitions in
            revision = try await store.load("1")?.revision
            told = transitions.compactMap(\.event)
        }
        #expect(result == 2 && revision == 1)
        #expect(told == ["add", "finish"])
        let kept = try await store.load("1")
        #expect(kept?.state == "Done" && kept?.workflow == "Ticket")

        // What changes nothing is not saved, and what fails is not either.
        try await store.update("1", of: Ticket.self) { _ = $0.state }
        await #expect(throws: InvalidTransition.self) {
            try await store.update("1", of: Ticket.self) {
                try $0.fire.finish()
            } saved: { _ in
                Issue.record("saved")
            }
        }
        #expect(try await store.load("1") == kept)
        func made() -> StateMachine<Ticket> { Self.ticket("made") }
        try await store.update("2", of: Ticket.self, creating: made) { _ in }
        #expect(Self.url(try await store.machine("2", of: Ticket.self)?.machine) == "made")
    }

    @Test("A conflict starts an update again from what is kept now; too many are an error", arguments: kinds)
    func again(kind: String) async throws {
        let place = try StorePlace(kind)
        let store = place.store
        try await store.save(Self.ticket("0"), as: "1", expecting: 0)
        var attempts = 0
        var told = 0
        try await store.update("1", of: Ticket.self) { ticket in
            attempts += 1
            if attempts < 3 { try await store.save(Self.ticket("other \(attempts)"), as: "1", expecting: attempts) }
            let url = Self.url(ticket) ?? ""
            try ticket.fire.add(QueuedState(["\(url) and mine"]))
        } saved: { _ in
            told += 1
        }
        #expect(attempts == 3 && told == 1)
        #expect(Self.url(try await store.machine("1", of: Ticket.self)?.machine) == "other 2 and mine")

        var revision = 4
        do {
            try await store.update("1", of: Ticket.self, attempts: 5) { ticket in
                try await store.save(Self.ticket("\(revision)"), as: "1", expecting: revision)
                revision += 1
                try ticket.fire.add(QueuedState(["never"]))
            }
            Issue.record("It was saved.")
        } catch StoreError.tooManyConflicts(id: "1", attempts: 5) {}
        #expect(revision == 9)
    }

    @Test("A machine within a state counts: nobody's change of it is lost", arguments: kinds)
    func nested(kind: String) async throws {
        let place = try StorePlace(kind)
        let store = place.store
        try await store.save(
            StateMachine<Ticket>(alreadyIn: QueuedState(["a"], lamp: StateMachine<TicketLamp>())),
            as: "1",
            expecting: 0
        )
        for _ in 0..<2 {
            try await store.update("1", of: Ticket.self) { ticket in
                // The ticket's own revision stays as it is.
                try (ticket.state as? QueuedState)?.lamp?.fire.toggle()
            }
        }
        let found = try #require(try await store.machine("1", of: Ticket.self))
        #expect((found.machine.state as? QueuedState)?.lamp?.revision == 2)
        #expect(found.machine.revision == 0 && found.revision == 3)
    }

    @Test("Many tasks that update one machine lose nothing", arguments: kinds)
    func together(kind: String) async throws {
        let place = try StorePlace(kind)
        let store = place.store
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    for number in 0..<10 {
                        try await store.update("1", of: Ticket.self, attempts: 1_000) { ticket in
                            let urls = (ticket.state as? QueuedState)?.urls ?? []
                            try ticket.fire.add(QueuedState(urls + ["\(task).\(number)"]))
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let urls = (try await store.machine("1", of: Ticket.self)?.machine.state as? QueuedState)?.urls ?? []
        #expect(Set(urls).count == 40 && urls.count == 40)
        for task in 0..<4 {
            #expect(urls.filter { $0.hasPrefix("\(task).") } == (0..<10).map { "\(task).\($0)" })
        }
    }

    // MARK: A directory

    @Test("A file can be read with cat: who it is, and the archive")
    func readable() async throws {
        let place = try StorePlace("directory")
        try await place.store.save(Self.ticket("a"), as: "Order 7", expecting: 0)
        let file = try #require(place.folder).appendingPathComponent("^order%207.json")
        #expect(
            try String(contentsOf: file, encoding: .utf8) == """
                {"id":"Order 7","revision":1,"state":"Queued","workflow":"Ticket"}
                {"activated":true,"data":{"urls":["a"]},"format":1,"revision":0,"state":"Queued","version":3,"workflow":"Ticket"}

                """
        )
    }

    @Test("What a killed process leaves behind is swept, but not what one is writing, nor what is the user's")
    func leftovers() async throws {
        let place = try StorePlace("directory")
        let folder = try #require(place.folder)
        try await place.store.save(Self.ticket("a"), as: "1", expecting: 0)
        let own = folder.appendingPathComponent(".store")
        func drafts() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: own.path).filter { $0.hasSuffix(".tmp") }
        }
        for name in ["1.json.dead.tmp", "2.json.dead.tmp"] {
            try Data("half".utf8).write(to: own.appendingPathComponent(name))
        }
        for name in ["notes.tmp", "1.json.mine.tmp"] {
            try Data("mine".utf8).write(to: folder.appendingPathComponent(name))
        }
        /// Until no process that another test starts has inherited a lock.
        func sweep() throws {
            for _ in 0..<1_000 {
                _ = try DirectoryStore(at: folder)
                if try drafts() == [] { return }
                usleep(5_000)
            }
        }
        try sweep()
        let again = try DirectoryStore(at: folder)
        #expect(try place.files == ["1.json", "1.json.mine.tmp", "notes.tmp"])
        #expect(try drafts() == [])
        #expect(Self.url(try await again.machine("1", of: Ticket.self)?.machine) == "a")

        try Data("half".utf8).write(to: own.appendingPathComponent("1.json.live.tmp"))
        // Another process has every lock.
        let descriptors = (0..<64).map {
            unsafe open(own.appendingPathComponent("\($0)").path, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
        }
        for descriptor in descriptors { #expect(flock(descriptor, LOCK_EX) == 0) }
        _ = try DirectoryStore(at: folder)
        #expect(try drafts() == ["1.json.live.tmp"])
        for descriptor in descriptors { close(descriptor) }
        try sweep()
        #expect(try drafts() == [])
    }

    @Test(
        "A lock whose file was removed while one waited for it is not taken for the one that is there",
        .timeLimit(.minutes(20))
    )
    func removedLock() async throws {
        let place = try StorePlace("directory")
        let folder = try #require(place.folder)
        try await place.store.save(Self.ticket("0"), as: "1", expecting: 0)
        let own = folder.appendingPathComponent(".store")
        let name = try #require(
            try FileManager.default.contentsOfDirectory(atPath: own.path).first { Int($0) != nil }
        )
        @Sendable func locked(_ name: String) throws -> Int32 {
            let descriptor = unsafe open(own.appendingPathComponent(name).path, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
            // Waiting: what another test's process has inherited for a moment is locked as long.
            try #require(flock(descriptor, LOCK_EX) == 0)
            return descriptor
        }
        let first = try locked(name)
        let saving = Task.detached { try await place.store.save(Self.ticket("1"), as: "1", expecting: 1) }
        // It holds one of the few threads of tasks while it waits, so nothing here may need one.
        try await onOwnThread {
            usleep(100_000)
            // At once, or the one that waits might come in between.
            let second = try locked("other")
            let (other, lock) = (own.appendingPathComponent("other").path, own.appendingPathComponent(name).path)
            #expect(unsafe rename(other, lock) == 0)
            close(first)
            usleep(200_000)
            let stored = try String(contentsOf: folder.appendingPathComponent("1.json"), encoding: .utf8)
            #expect(stored.contains(#""revision":1,"#))
            close(second)
        }
        #expect(try await saving.value == 2)
    }

    @Test("What is named like a file of the store and is none is left out, and does not hold anyone up")
    func strangers() async throws {
        let place = try StorePlace("directory")
        let folder = try #require(place.folder)
        let store = place.store
        try await store.save(Self.ticket("a"), as: "1", expecting: 0)
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("folder.json"),
            withIntermediateDirectories: false
        )
        #expect(unsafe mkfifo(folder.appendingPathComponent("pipe.json").path, 0o600) == 0)
        let secret = folder.deletingLastPathComponent().appendingPathComponent("\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: secret) }
        let header = #"{"id":"link","revision":1,"state":"Queued","workflow":"Ticket"}"#
        try Data("\(header)\n{}\n".utf8).write(to: secret)
        try FileManager.default.createSymbolicLink(
            at: folder.appendingPathComponent("link.json"),
            withDestinationURL: secret
        )
        let line = Data(repeating: UInt8(ascii: " "), count: 3_000)
        try line.write(to: folder.appendingPathComponent("long.json"))
        #expect(try await DirectoryStore(at: folder, limit: 2_000).ids(of: Ticket.self) == ["1"])
        #expect(try await store.ids() == ["1", "long"])
        for id in ["folder", "pipe", "link"] {
            await #expect(throws: ArchiveError.self) { try await store.load(id) }
            await #expect(throws: ArchiveError.self) { try await store.save(Self.ticket("b"), as: id, expecting: 0) }
        }
        #expect(try String(contentsOf: secret, encoding: .utf8).hasPrefix(header))
    }

    @Test("A file keeps the mode that it was given")
    func mode() async throws {
        let place = try StorePlace("directory")
        try await place.store.save(Self.ticket("a"), as: "1", expecting: 0)
        let file = try #require(place.folder).appendingPathComponent("1.json").path
        #expect(unsafe chmod(file, 0o640) == 0)
        try await place.store.save(Self.ticket("b"), as: "1", expecting: 1)
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o640)
    }

    @Test(
        "A file that is damaged is a typed error, and the others are not lost",
        arguments: [
            "", "{}", "{}\n{}\n", "no json\n{}\n", #"{"id":"1","revision":0,"state":"Q","workflow":"T"}"# + "\n{}",
            #"{"id":"1","revision":9223372036854775807,"state":"Q","workflow":"T"}"# + "\n{}",
        ]
    )
    func damaged(content: String) async throws {
        let place = try StorePlace("directory")
        try await place.store.save(Self.ticket("a"), as: "2", expecting: 0)
        try Data(content.utf8).write(to: #require(place.folder).appendingPathComponent("1.json"))
        await #expect(throws: StoreError.self) { try await place.store.load("1") }
        await #expect(throws: StoreError.self) { try await place.store.save(Self.ticket("b"), as: "1", expecting: 0) }
        #expect(try await place.store.ids(of: Ticket.self) == ["2"])
        await #expect(throws: StoreError.self) { try await place.store.delete("1", expecting: 1) }
        #expect(
            try String(contentsOf: #require(place.folder).appendingPathComponent("1.json"), encoding: .utf8) == content
        )
        #expect(try await place.store.delete("1", expecting: nil))
        #expect(try await place.store.load("1") == nil)
        #expect(try await place.store.save(Self.ticket("c"), as: "1", expecting: 0) > 1_000_000_000)
    }

    @Test(
        "A kept number that is none, or beyond all revisions, is a typed error or is none, and the store goes on",
        arguments: ["", "nonsense", "-5\n", "9223372036854775807\n", "99999999999999999999999", "9007199254740992\n"]
    )
    func damagedNumber(number: String) async throws {
        let place = try StorePlace("directory")
        let own = try #require(place.folder).appendingPathComponent(".store")
        try await place.store.save(Self.ticket("a"), as: "1", expecting: 0)
        for name in try FileManager.default.contentsOfDirectory(atPath: own.path) {
            try Data(number.utf8).write(to: own.appendingPathComponent(name))
        }
        #expect(try await place.store.save(Self.ticket("b"), as: "1", expecting: 1) == 2)
        try await place.store.delete("1", expecting: 2)
        do {
            let revision = try await place.store.save(Self.ticket("c"), as: "1", expecting: 0)
            #expect(revision == 3 && !number.hasSuffix("7\n") && !number.hasSuffix("2\n"))
        } catch StoreError.damaged {
            #expect(number.hasPrefix("9"))
        }
        try Data("{}".utf8).write(to: #require(place.folder).appendingPathComponent("1.json"))
        #expect(try await place.store.delete("1", expecting: nil))
    }

    @Test("A file of the last revision there is, or with a line that is too long, is deleted and made anew")
    func lastRevision() async throws {
        let place = try StorePlace("directory")
        let folder = try #require(place.folder)
        let header = #"{"id":"1","revision":9007199254740992,"state":"Q","workflow":"T"}"#
        try Data("\(header)\n{}\n".utf8).write(to: folder.appendingPathComponent("1.json"))
        #expect(try await place.store.delete("1", expecting: 9_007_199_254_740_992))
        try await place.store.save(Self.ticket("a"), as: "1", expecting: 0)
        try Data(repeating: 32, count: 3_000).write(to: folder.appendingPathComponent("2.json"))
        let small = try DirectoryStore(at: folder, limit: 2_000)
        await #expect(throws: ArchiveError.self) { try await small.delete("2", expecting: 1) }
        #expect(try await small.delete("2", expecting: nil))
    }

    @Test("Opening a store and listing its ids reads no file")
    func opening() async throws {
        let place = try StorePlace("directory")
        let folder = try #require(place.folder)
        for number in 0..<1_000 {
            try Data("no archive".utf8).write(to: folder.appendingPathComponent("\(number).json"))
        }
        let store = try DirectoryStore(at: folder)
        #expect(try await store.ids() == (0..<1_000).map(String.init).sorted())
        #expect(try await store.ids(of: Ticket.self) == [])
    }

    @Test("Of a file whose id is too long for a name the first line is read, and a damaged one is not listed")
    func longIDs() async throws {
        let place = try StorePlace("directory")
        let folder = try #require(place.folder)
        let ids = ["short", String(repeating: "x", count: 200), String(repeating: "y", count: 200)]
        for id in ids { try await place.store.save(Self.ticket("a"), as: id, expecting: 0) }
        #expect(try await place.store.ids() == ids)
        for file in try place.files where !file.hasPrefix("y") {
            try Data("no archive".utf8).write(to: folder.appendingPathComponent(file))
        }
        #expect(try await place.store.ids() == [ids[0], ids[2]])
        await #expect(throws: StoreError.self) { try await place.store.load(ids[1]) }
    }

    @Test("No id leads out of the folder")
    func outside() async throws {
        let parent = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: parent) }
        let store = try DirectoryStore(at: parent.appendingPathComponent("a/b/store"))
        for id in ["..", "../x", "../../x", "/x", "a/../../x", ".store", ".store/0", "../store/x"] {
            try await store.save(Self.ticket(id), as: id, expecting: 0)
        }
        let found = try FileManager.default.subpathsOfDirectory(atPath: parent.path).filter { $0.hasSuffix(".json") }
        #expect(
            found.count == 8 && found.allSatisfy { $0.hasPrefix("a/b/store/") && $0.split(separator: "/").count == 4 }
        )
    }

    @Test("A limit, and a folder that cannot be used, are typed errors that lose nothing")
    func refused() async throws {
        let place = try StorePlace("directory")
        let folder = try #require(place.folder)
        let small = try DirectoryStore(at: folder, limit: 300)
        try await small.save(Self.ticket("a"), as: "1", expecting: 0)
        let long = Self.ticket(String(repeating: "x", count: 300))
        await #expect(throws: ArchiveError.self) { try await small.save(long, as: "1", expecting: 1) }
        #expect(Self.url(try await small.machine("1", of: Ticket.self)?.machine) == "a")
        try await place.store.save(long, as: "1", expecting: 1)
        await #expect(throws: ArchiveError.self) { try await small.load("1") }

        #expect(throws: ArchiveError.self) { try DirectoryStore(at: URL(fileURLWithPath: "/dev/null/store")) }
        try FileManager.default.removeItem(at: folder)
        await #expect(throws: ArchiveError.self) { try await place.store.save(Self.ticket("b"), as: "1", expecting: 0) }
        await #expect(throws: ArchiveError.self) { try await place.store.ids() }
    }
}
