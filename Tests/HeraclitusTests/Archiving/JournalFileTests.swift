import Foundation
import Heraclitus
import HeraclitusTesting
import Testing

@Suite("Files of journals") struct JournalFileTests {
    /// A folder with a store and a file beside it, gone with its last reference.
    private final class Place: Sendable {
        let folder: URL
        let log: URL

        init() throws {
            folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            log = folder.appendingPathComponent("journal.jsonl")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(at: folder) }

        /// What another process would have: nothing in memory.
        func store() throws -> JournaledStore<DirectoryStore> {
            JournaledStore(try DirectoryStore(at: folder.appendingPathComponent("store")), journal: file)
        }

        var file: JournalFile { JournalFile(at: log) }

        var text: String { (try? String(contentsOf: log, encoding: .utf8)) ?? "" }

        func append(_ text: String) throws {
            let handle = try FileHandle(forWritingTo: log)
            try handle.seekToEnd()
            try handle.write(contentsOf: Data(text.utf8))
            try handle.close()
        }

        /// The id and the number of each line, or that it is broken.
        func lines() async throws -> [String] {
            var found: [String] = []
            for try await line in file.lines {
                switch line.result {
                case .success(let entry): found.append("\(entry.id):\(entry.line)")
                case .failure: found.append("line \(line.number) is broken")
                }
            }
            return found
        }
    }

    private static func fire(_ parcel: StateMachine<Parcel>) throws {
        parcel.isIn(PackedState.self) ? try parcel.fire.send(SentState("a")) : try parcel.fire.bounce()
    }

    @Test("Each save appends what is new, in the words of occurrences, also from a process that knows nothing")
    func appending() async throws {
        let place = try Place()
        let store = try place.store()
        try await store.update("a", of: Parcel.self) { try Self.fire($0) }
        try await store.update("b", of: Parcel.self) { parcel in
            try Self.fire(parcel)
            try? parcel.fire(named: "fly")
        }
        try await place.store().update("a", of: Parcel.self) { try Self.fire($0) }
        try await store.update("a", of: Parcel.self) { try Self.fire($0) }
        try await store.update("a", of: SilentParcel.self) { _ = $0.state }
        #expect(try await place.lines() == ["a:1", "b:1", "b:2", "a:2", "a:3"])
        let first = try #require(place.text.split(separator: "\n").first)
        let keys = try JSONDecoder().decode(JSONValue.self, from: Data(first.utf8)).objectValue?.keys.sorted()
        #expect(
            keys == [
                "began", "date", "destination", "event", "id", "kind", "line", "message", "microseconds", "revision",
                "source",
                "workflow",
            ]
        )
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .archived
        #expect(try decoder.decode(Occurrence.self, from: Data(first.utf8)).message == "send: Packed → Sent")
        #expect(try await place.file.journal(of: "a").map(\.revision) == [1, 2, 3])
        #expect(try await place.file.journal(of: "b").map(\.kind) == [.transitioned, .rejected])
    }

    @Test("Ids that are written differently are different, also if a string equals the other")
    func equivalentIDs() async throws {
        let place = try Place()
        let store = JournaledStore(InMemoryStore(), journal: place.file)
        let ids = ["\u{e9}", "e\u{301}"]
        for _ in 1...2 {
            for id in ids { try await store.update(id, of: Parcel.self) { try Self.fire($0) } }
        }
        #expect(try await place.lines().count == 4)
        for id in ids { #expect(try await place.file.journal(of: id).map(\.revision) == [1, 2]) }
    }

    @Test("It has what the archives have dropped")
    func long() async throws {
        let place = try Place()
        let store = try place.store()
        for _ in 1...20 { try await store.update("a", of: Parcel.self) { try Self.fire($0) } }
        #expect(try await store.machine("a", of: Parcel.self)?.machine.journal.count == 5)
        #expect(try await place.lines() == (1...20).map { "a:\($0)" })
        try Heraclitus.Journal.replay(try await place.file.journal(of: "a"), as: Parcel.self)
        // More in one save than the archive keeps: the numbers tell.
        try await store.update("a", of: Parcel.self) { parcel in for _ in 1...9 { try Self.fire(parcel) } }
        #expect(try await place.lines().suffix(6) == ["a:20", "a:25", "a:26", "a:27", "a:28", "a:29"])
        try Heraclitus.Journal.replay(try await place.file.journal(of: "a"), as: Parcel.self)
    }

    @Test("Who dies between the save and the file leaves its lines to the next save")
    func missed() async throws {
        let place = try Place()
        try await place.store().update("a", of: Parcel.self) { try Self.fire($0) }
        let alone = try DirectoryStore(at: place.folder.appendingPathComponent("store"))
        try await alone.update("a", of: Parcel.self) { try Self.fire($0) }
        #expect(try await place.lines() == ["a:1"])
        try await place.store().update("a", of: Parcel.self) { try Self.fire($0) }
        #expect(try await place.lines() == ["a:1", "a:2", "a:3"])
    }

    @Test("A conflict appends nothing; and who comes first is in the file once")
    func conflicts() async throws {
        let place = try Place()
        let store = try place.store()
        let parcel = StateMachine<Parcel>()
        try Self.fire(parcel)
        try await store.save(parcel, as: "a", expecting: 0)
        try Self.fire(parcel)
        await #expect(throws: StoreError.self) { try await store.save(parcel, as: "a", expecting: 0) }
        #expect(try await place.lines() == ["a:1"])
        let archive = try StoredArchive(parcel, id: "a", replacing: 1)
        let other = try StoredArchive(parcel, id: "b", replacing: 7)
        #expect(try await store.save(each: [archive, other]) == [2, nil])
        #expect(try await place.lines() == ["a:1", "a:2"])
    }

    @Test("A machine that is made anew after a deletion begins anew")
    func deletion() async throws {
        let place = try Place()
        let store = try place.store()
        for _ in 1...3 { try await store.update("a", of: Parcel.self) { try Self.fire($0) } }
        try await store.delete("a")
        for store in [store, try place.store()] {
            try await store.update("a", of: Parcel.self) { try Self.fire($0) }
        }
        #expect(try await place.lines() == ["a:1", "a:2", "a:3", "a:1", "a:2"])
        try Heraclitus.Journal.replay(try await place.file.journal(of: "a"), as: Parcel.self)
    }

    @Test("Who saves later and is here first does not keep the lines of others away, nor double them")
    func overtaking() async throws {
        let place = try Place()
        let parcel = StateMachine<Parcel>()
        var archives: [StoredArchive] = []
        for revision in 0..<4 {
            try Self.fire(parcel)
            archives.append(try StoredArchive(parcel, id: "a", replacing: revision))
        }
        for turn in [1, 0, 3, 2] {
            let archive = archives[turn]
            let base = InMemoryStore()
            // So that the save succeeds, and only the file is another's.
            for earlier in archives[..<turn] { try await base.save(earlier) }
            try await JournaledStore(base, journal: place.file).save(archive)
        }
        #expect(try await place.lines() == ["a:1", "a:2", "a:3", "a:4"])
    }

    @Test("A torn last line is no error: it is reported, and the next line begins a new one")
    func torn() async throws {
        let place = try Place()
        let store = try place.store()
        try await store.update("a", of: Parcel.self) { try Self.fire($0) }
        let torn = String(place.text.prefix(40))
        try place.append(torn)
        #expect(try await place.lines() == ["a:1", "line 2 is broken"])
        // By somebody who has read the whole lines before, and by somebody who has read nothing.
        try await store.update("a", of: Parcel.self) { try Self.fire($0) }
        try place.append(torn)
        try await place.store().update("b", of: Parcel.self) { try Self.fire($0) }
        #expect(try await place.lines() == ["a:1", "line 2 is broken", "a:2", "line 4 is broken", "b:1"])
        // And by a save that has nothing new.
        try place.append(torn)
        try await store.save(try #require(try await store.machine("b", of: Parcel.self)).machine, as: "b", expecting: 1)
        try await store.update("b", of: Parcel.self) { try Self.fire($0) }
        #expect(try await place.lines().suffix(3) == ["b:1", "line 6 is broken", "b:2"])
    }

    @Test(
        "Damaged lines are reported, the others are read",
        arguments: ["", "{", "{}", "null", #"{"id":"a"}"#, "\u{0}"]
    )
    func damaged(line: String) async throws {
        let place = try Place()
        let store = try place.store()
        try await store.update("a", of: Parcel.self) { try Self.fire($0) }
        try place.append(line + "\n")
        try await place.store().update("a", of: Parcel.self) { try Self.fire($0) }
        #expect(try await place.lines() == ["a:1"] + (line.isEmpty ? [] : ["line 2 is broken"]) + ["a:2"])
        #expect(try await place.file.journal(of: "a").count == 2)
    }

    @Test("Writers at once, which know nothing of one another, never mix their lines", .timeLimit(.minutes(20)))
    func writers() async throws {
        let place = try Place()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    let store = try place.store()
                    for _ in 0..<25 {
                        let id = "\(writer)" + String(repeating: "x", count: 300 * writer)
                        try await store.update(id, of: Parcel.self) { try Self.fire($0) }
                        try await store.update("shared", of: Parcel.self, attempts: 1_000) { try Self.fire($0) }
                    }
                }
            }
            try await group.waitForAll()
        }
        let lines = try await place.lines()
        #expect(lines.count == 200 && !lines.contains { $0.hasSuffix("broken") })
        for id in ["0", "shared"] {
            let numbers = lines.filter { $0.hasPrefix("\(id):") }.compactMap { Int($0.dropFirst(id.count + 1)) }
            #expect(numbers == Array(1...(id == "0" ? 25 : 100)))
        }
    }

    @Test("A file that was moved away is followed by another one")
    func rotation() async throws {
        let place = try Place()
        let store = try place.store()
        for _ in 1...3 { try await store.update("a", of: Parcel.self) { try Self.fire($0) } }
        try FileManager.default.moveItem(at: place.log, to: place.folder.appendingPathComponent("old"))
        try await store.update("a", of: Parcel.self) { try Self.fire($0) }
        #expect(try await place.lines() == ["a:4"])
    }

    @Test("A file that cannot be written is an error, the machine is saved, and its lines come later")
    func unwritable() async throws {
        let place = try Place()
        try FileManager.default.createDirectory(at: place.log, withIntermediateDirectories: true)
        let store = try place.store()
        await #expect(throws: ArchiveError.self) {
            try await store.update("a", of: Parcel.self) { try Self.fire($0) }
        }
        #expect(try await store.load("a")?.revision == 1)
        try FileManager.default.removeItem(at: place.log)
        try await store.update("a", of: Parcel.self) { try Self.fire($0) }
        #expect(try await place.lines() == ["a:1", "a:2"])
        #expect(try await JournalFile(at: place.folder.appendingPathComponent("none")).linesOrError() == nil)
    }

    @Test("Machines that are saved together are so through it as well, and have their lines in the file")
    func together() async throws {
        let place = try Place()
        let store = try place.store()
        try await store.update(together: ["a", "b"], of: Parcel.self) { parcels in
            for parcel in parcels { try Self.fire(parcel) }
        }
        #expect(try await place.lines() == ["a:1", "b:1"])
    }

    @Test("Machines without a journal make no file, and the store keeps its promises")
    func conformance() async throws {
        let place = try Place()
        let store = try place.store()
        try await store.update("a", of: SilentParcel.self) { try $0.fire.send(SentState("a")) }
        #expect(!FileManager.default.fileExists(atPath: place.log.path))
        #expect(
            try await StoreConformance.failures { JournaledStore(InMemoryStore(), journal: place.file) } == []
        )
    }
}

extension JournalFile {
    /// The number of the lines; `nil` if the file cannot be read.
    fileprivate func linesOrError() async throws -> Int? {
        do {
            var count = 0
            for try await _ in lines { count += 1 }
            return count
        } catch is ArchiveError {
            return nil
        }
    }
}
