import Foundation
import Heraclitus
import HeraclitusInspecting
import HeraclitusStores
import HeraclitusTesting
import Testing

@testable import Fixtures

@Suite("Files of journals") struct JournalFileTests {
    private typealias Place = JournalPlace

    private static func fire(_ parcel: StateMachine<Parcel>) throws {
        parcel.isIn(PackedState.self) ? try parcel.fire.send(SentState("a")) : try parcel.fire.bounce()
    }

    @Test("Each save appends the new lines as occurrences, also from a new process")
    func appending() async throws {
        let place = try Place()
        let store = try place.store()
        try await store.workflow(Parcel.self).update("a") { try Self.fire($0) }
        try await store.workflow(Parcel.self).update("b") { parcel in
            try Self.fire(parcel)
            try? parcel.fire[named: "fly"]()
        }
        try await place.store().workflow(Parcel.self).update("a") { try Self.fire($0) }
        try await store.workflow(Parcel.self).update("a") { try Self.fire($0) }
        try await store.workflow(SilentParcel.self).update("a") { _ = $0.state }
        #expect(try await place.lines() == ["a:1", "b:1", "b:2", "a:2", "a:3"])
        let first = try #require(place.text.split(separator: "\n").first)
        let keys = try JSONDecoder().decode(JSONValue.self, from: Data(first.utf8)).objectValue?.keys.sorted()
        #expect(
            keys == [
                "began", "date", "destination", "event", "id", "kind", "line", "message", "microseconds", "revision",
                "series", "source", "workflow",
            ]
        )
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .archived
        #expect(try decoder.decode(Occurrence.self, from: Data(first.utf8)).message == "send: Packed → Sent")
        #expect(try await place.file.journal(of: "a").map(\.revision) == [1, 2, 3])
        #expect(try await place.file.journal(of: "b").map(\.kind) == [.transitioned, .rejected])
    }

    @Test("Ids with different UTF-8 have separate journals, even if the strings are equal")
    func equivalentIDs() async throws {
        let place = try Place()
        let store = InMemoryStore().journaled(in: place.file)
        let ids = ["\u{e9}", "e\u{301}"]
        for _ in 1...2 {
            for id in ids { try await store.workflow(Parcel.self).update(id) { try Self.fire($0) } }
        }
        #expect(try await place.lines().count == 4)
        for id in ids { #expect(try await place.file.journal(of: id).map(\.revision) == [1, 2]) }
    }

    @Test("The file keeps lines that archives have dropped")
    func long() async throws {
        let place = try Place()
        let store = try place.store()
        for _ in 1...20 { try await store.workflow(Parcel.self).update("a") { try Self.fire($0) } }
        #expect(try await store.workflow(Parcel.self).machine("a")?.machine.journal.count == 5)
        #expect(try await place.lines() == (1...20).map { "a:\($0)" })
        #expect(try await place.file.journal(of: "a").misfits(by: TransitionValidator<Parcel>()).isEmpty)
        // One save with more lines than the archive keeps; the line numbers show the gap.
        try await store.workflow(Parcel.self).update("a") { parcel in for _ in 1...9 { try Self.fire(parcel) } }
        #expect(try await place.lines().suffix(6) == ["a:20", "a:25", "a:26", "a:27", "a:28", "a:29"])
        #expect(try await place.file.journal(of: "a").misfits(by: TransitionValidator<Parcel>()).isEmpty)
    }

    @Test("The next save appends the lines of a process that died before appending")
    func missed() async throws {
        let place = try Place()
        try await place.store().workflow(Parcel.self).update("a") { try Self.fire($0) }
        let alone = try DirectoryStore(at: place.folder.appendingPathComponent("store"))
        try await alone.workflow(Parcel.self).update("a") { try Self.fire($0) }
        #expect(try await place.lines() == ["a:1"])
        try await place.store().workflow(Parcel.self).update("a") { try Self.fire($0) }
        #expect(try await place.lines() == ["a:1", "a:2", "a:3"])
    }

    @Test("A conflict appends nothing, and a race appends each line once")
    func conflicts() async throws {
        let place = try Place()
        let store = try place.store()
        let parcel = StateMachine<Parcel>()
        try Self.fire(parcel)
        try await store.save(StoredArchive(parcel, id: "a"))
        try Self.fire(parcel)
        await #expect(throws: StoreError.self) { try await store.save(StoredArchive(parcel, id: "a")) }
        #expect(try await place.lines() == ["a:1"])
        let stored = try await store.load("a")
        let archive = try StoredArchive(parcel, id: "a", replacing: stored)
        let other = try StoredArchive(parcel, id: "b", replacing: stored)
        await #expect(throws: StoreError.self) { try await store.save(together: [archive, other]) }
        #expect(try await place.lines() == ["a:1"])
        try await store.save(archive)
        #expect(try await place.lines() == ["a:1", "a:2"])
    }

    @Test("A machine created again after a deletion begins a new journal")
    func deletion() async throws {
        let place = try Place()
        let store = try place.store()
        for _ in 1...3 { try await store.workflow(Parcel.self).update("a") { try Self.fire($0) } }
        try await store.delete("a")
        for store in [store, try place.store()] {
            try await store.workflow(Parcel.self).update("a") { try Self.fire($0) }
        }
        #expect(try await place.lines() == ["a:1", "a:2", "a:3", "a:1", "a:2"])
        #expect(try await place.file.journal(of: "a").misfits(by: TransitionValidator<Parcel>()).isEmpty)
    }

    @Test(
        "Two machines of one id with journals from the same date both have all lines",
        arguments: [false, true]
    )
    func frozenClock(isSameProcess: Bool) async throws {
        let place = try Place()
        let clock = ManualClock()
        let file = place.file
        func store() throws -> StoredWorkflow<Parcel> {
            let log = isSameProcess ? file : place.file
            let base = try DirectoryStore(at: place.folder.appendingPathComponent("store"))
            return base.journaled(in: log).workflow(Parcel.self, scheduler: clock.scheduler)
        }
        for _ in 1...2 {
            for _ in 1...2 { try await store().update("a") { try Self.fire($0) } }
            #expect(try await store().store.delete("a"))
        }
        try await store().update("a") { try Self.fire($0) }
        #expect(try await place.lines() == ["a:1", "a:2", "a:1", "a:2", "a:1"])
        #expect(try await place.file.journal(of: "a").misfits(by: TransitionValidator<Parcel>()).isEmpty)
    }

    @Test(
        "A journal of an earlier release continues, in its archive and in its file",
        arguments: [false, true]
    )
    func formerJournal(isSameProcess: Bool) async throws {
        let place = try Place()
        let store = try place.store()
        for _ in 1...2 { try await store.workflow(Parcel.self).update("a") { try Self.fire($0) } }
        func withoutSeries(_ text: String) -> String { text.replacing(#/,"series":\d+/#, with: "") }
        try Data(withoutSeries(place.text).utf8).write(to: place.log)
        let file = place.folder.appendingPathComponent("store/a.json")
        try Data(withoutSeries(String(contentsOf: file, encoding: .utf8)).utf8).write(to: file)
        for _ in 1...2 {
            try await (isSameProcess ? store : place.store()).workflow(Parcel.self).update("a") { try Self.fire($0) }
        }
        #expect(try await place.lines() == ["a:1", "a:2", "a:3", "a:4"])
        #expect(!place.text.contains("series"))
    }

    @Test("A late append of a save before a deletion writes each line of both machines once")
    func lateAfterDeletion() async throws {
        let place = try Place()
        let clock = ManualClock()
        let old = StateMachine<Parcel>(scheduler: clock.scheduler)
        let new = StateMachine<Parcel>(scheduler: clock.scheduler)
        // Two processes, and a later one.
        let files = [place.file, place.file]
        func fire(_ parcel: StateMachine<Parcel>, in file: JournalFile) async throws {
            await clock.advance(by: .seconds(1))
            try Self.fire(parcel)
            // The save succeeds in a new store, so only the file is shared.
            try await InMemoryStore().journaled(in: file).save(StoredArchive(parcel, id: "a"))
        }
        for _ in 1...2 { try await fire(old, in: files[0]) }
        try await fire(new, in: files[1])
        for file in files + [place.file] {
            try await fire(old, in: file)
            try await fire(new, in: file)
        }
        let numbers = ["a:1", "a:2", "a:1", "a:3", "a:2", "a:4", "a:3", "a:5", "a:4"]
        #expect(try await place.lines() == numbers)
    }

    @Test("A late append of a save before several deletions writes each line once", arguments: [false, true])
    func lateAfterDeletions(isSameProcess: Bool) async throws {
        let place = try Place()
        let clock = ManualClock()
        let parcels = (0..<4).map { _ in StateMachine<Parcel>(scheduler: clock.scheduler) }
        for parcel in parcels {
            await clock.advance(by: .seconds(1))
            for _ in 1...2 { try Self.fire(parcel) }
        }
        let file = place.file
        for parcel in parcels + parcels {
            let store = InMemoryStore().journaled(in: isSameProcess ? file : place.file)
            try await store.save(StoredArchive(parcel, id: "a"))
        }
        #expect(try await place.lines() == ["a:1", "a:2", "a:1", "a:2", "a:1", "a:2", "a:1", "a:2"])
    }

    @Test("A later save that appends first keeps and does not repeat the lines of others")
    func overtaking() async throws {
        let place = try Place()
        let parcel = StateMachine<Parcel>()
        var archives: [StoredArchive] = []
        let others = InMemoryStore()
        for _ in 0..<4 {
            try Self.fire(parcel)
            let archive = try StoredArchive(parcel, id: "a", replacing: await others.load("a"))
            try await others.save(archive)
            archives.append(archive)
        }
        for turn in [1, 0, 3, 2] {
            let archive = archives[turn]
            let base = InMemoryStore()
            // The save succeeds, and only the file is shared.
            for earlier in archives[..<turn] { try await base.save(earlier) }
            try await base.journaled(in: place.file).save(archive)
        }
        #expect(try await place.lines() == ["a:1", "a:2", "a:3", "a:4"])
    }

    @Test("An incomplete last line is reported, and the next line begins a new one")
    func torn() async throws {
        let place = try Place()
        let store = try place.store()
        try await store.workflow(Parcel.self).update("a") { try Self.fire($0) }
        let torn = String(place.text.prefix(40))
        try place.append(torn)
        #expect(try await place.lines() == ["a:1", "line 2 is broken"])
        // By a process that has read the complete lines, and by a new process.
        try await store.workflow(Parcel.self).update("a") { try Self.fire($0) }
        try place.append(torn)
        try await place.store().workflow(Parcel.self).update("b") { try Self.fire($0) }
        #expect(try await place.lines() == ["a:1", "line 2 is broken", "a:2", "line 4 is broken", "b:1"])
        // By a save without new lines, too.
        try place.append(torn)
        try await store.save(try #require(try await store.load("b")))
        try await store.workflow(Parcel.self).update("b") { try Self.fire($0) }
        #expect(try await place.lines().suffix(3) == ["b:1", "line 6 is broken", "b:2"])
    }

    #if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
        @Test("A disk that is full in the middle of a line keeps all lines complete and unique")
        func full() async {
            // In a child process, to which the limit of a file's size applies.
            await #expect(processExitsWith: .success) {
                signal(SIGXFSZ, SIG_IGN)
                for room in 0..<400 {
                    let place = try Place()
                    let store = InMemoryStore().journaled(in: place.file)
                    try await store.workflow(Parcel.self).update("a") { try Self.fire($0) }
                    Self.limitFiles(to: place.text.utf8.count + room)
                    var failures = 0
                    for _ in 1...3 {
                        do {
                            try await store.workflow(Parcel.self).update("a") { try Self.fire($0) }
                        } catch is ArchiveError {
                            failures += 1
                        }
                    }
                    Self.limitFiles(to: nil)
                    for id in ["b", "a"] { try await store.workflow(Parcel.self).update(id) { try Self.fire($0) } }
                    let lines = try await place.lines()
                    let whole = lines.filter { !$0.hasSuffix("broken") }
                    #expect(failures > 0 && lines.count <= whole.count + 1, "room for \(room) bytes: \(lines)")
                    let expected = (1...5).map { "a:\($0)" } + ["b:1"]
                    #expect(whole.sorted() == expected, "room for \(room) bytes: \(lines)")
                }
            }
        }

        /// Limits the size of files of this process.
        private static func limitFiles(to size: Int?) {
            var limit = rlimit()
            unsafe getrlimit(fileSize, &limit)
            limit.rlim_cur = size.map { rlim_t($0) } ?? limit.rlim_max
            #expect(unsafe setrlimit(fileSize, &limit) == 0)
        }

        #if canImport(Glibc)
            private static var fileSize: Int32 { Int32(RLIMIT_FSIZE.rawValue) }
        #else
            private static var fileSize: Int32 { RLIMIT_FSIZE }
        #endif
    #endif

    @Test("A last line without its line break counts, for readers and for writers", arguments: [false, true])
    func unbroken(isSameProcess: Bool) async throws {
        let place = try Place()
        let store = try place.store()
        for _ in 1...2 { try await store.workflow(Parcel.self).update("a") { try Self.fire($0) } }
        try Data(place.text.utf8.dropLast()).write(to: place.log)
        #expect(try await place.lines() == ["a:1", "a:2"])
        try await (isSameProcess ? store : place.store()).workflow(Parcel.self).update("a") { try Self.fire($0) }
        #expect(try await place.lines() == ["a:1", "a:2", "a:3"])
    }

    @Test(
        "Damaged lines are reported, and the others are read",
        arguments: ["", "{", "{}", "null", #"{"id":"a"}"#, "\u{0}"]
    )
    func damaged(line: String) async throws {
        let place = try Place()
        let store = try place.store()
        try await store.workflow(Parcel.self).update("a") { try Self.fire($0) }
        try place.append(line + "\n")
        try await place.store().workflow(Parcel.self).update("a") { try Self.fire($0) }
        let lines = line.isEmpty ? ["a:1", "a:2"] : ["a:1", "line 2 is broken", "a:2"]
        #expect(try await place.lines() == lines)
        #expect(try await place.file.journal(of: "a").count == 2)
    }

    @Test("The error of a line says whether it is invalid JSON, an invalid entry, or too long")
    func problems() async throws {
        let place = try Place()
        try Data("{\n\n{}\n".utf8).write(to: place.log)
        let handle = try FileHandle(forWritingTo: place.log)
        // The line is zeros, which take no room on the disk.
        try handle.truncate(atOffset: 65 << 20)
        try handle.close()
        try place.append("\n")
        try await place.store().workflow(Parcel.self).update("a") { try Self.fire($0) }
        var found: [String] = []
        for try await line in place.file.lines {
            switch line.result {
            case .success: found.append("\(line.number) read")
            case .failure(.notJSON): found.append("\(line.number) no JSON")
            case .failure(.malformed): found.append("\(line.number) malformed")
            case .failure(.tooLarge(let size, let limit)): found.append("\(line.number) \(size) of \(limit >> 20) MB")
            case .failure(let error): found.append("\(error)")
            }
        }
        // Blank lines are counted, too.
        #expect(found == ["1 no JSON", "3 malformed", "4 \((65 << 20) - 6) of 64 MB", "5 read"])
    }

    @Test("The error of a line with a repeated key has the path of the key")
    func repeatedKey() async throws {
        let place = try Place()
        try Data("{\"id\":\"a\",\"userInfo\":{\"k\":1,\"k\":2}}\n".utf8).write(to: place.log)
        var paths: [String] = []
        for try await line in place.file.lines {
            if case .failure(.malformed(let path, _)) = line.result { paths.append(path) }
        }
        #expect(paths == ["userInfo.k"])
    }

    @Test("Concurrent independent writers keep their lines separate", .timeLimit(.minutes(20)))
    func writers() async throws {
        let place = try Place()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    let store = try place.store()
                    for _ in 0..<25 {
                        let id = "\(writer)" + String(repeating: "x", count: 300 * writer)
                        try await store.workflow(Parcel.self).update(id) { try Self.fire($0) }
                        try await store.workflow(Parcel.self).update("shared", attempts: 1_000) { try Self.fire($0) }
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

    @Test("A new file follows one that was moved away")
    func rotation() async throws {
        let place = try Place()
        let store = try place.store()
        for _ in 1...3 { try await store.workflow(Parcel.self).update("a") { try Self.fire($0) } }
        try FileManager.default.moveItem(at: place.log, to: place.folder.appendingPathComponent("old"))
        try await store.workflow(Parcel.self).update("a") { try Self.fire($0) }
        #expect(try await place.lines() == ["a:4"])
        // By a process that has not read the first file.
        try await place.store().workflow(Parcel.self).update("a") { try Self.fire($0) }
        try await store.workflow(Parcel.self).update("a") { try Self.fire($0) }
        #expect(try await place.lines() == ["a:4", "a:5", "a:6"])
    }

    @Test("A new file that begins with the same bytes counts as another file")
    func sameBeginning() async throws {
        let place = try Place()
        let store = try place.store()
        let long = String(repeating: "x", count: 600)
        for id in [long, String(repeating: "y", count: 3_000), long] {
            try await store.workflow(Parcel.self).update(id) { try Self.fire($0) }
        }
        try FileManager.default.removeItem(at: place.log)
        try await place.store().workflow(Parcel.self).update(long) { try Self.fire($0) }
        try await store.workflow(Parcel.self).update(long) { try Self.fire($0) }
        #expect(try await place.lines() == (1...4).map { "\(long):\($0)" })
    }

    @Test("An unwritable file is an error; the machine is saved, and its lines come later")
    func unwritable() async throws {
        let place = try Place()
        try FileManager.default.createDirectory(at: place.log, withIntermediateDirectories: true)
        let store = try place.store()
        await #expect(throws: ArchiveError.self) {
            try await store.workflow(Parcel.self).update("a") { try Self.fire($0) }
        }
        #expect(try await store.load("a")?.revision == 1)
        try FileManager.default.removeItem(at: place.log)
        try await store.workflow(Parcel.self).update("a") { try Self.fire($0) }
        #expect(try await place.lines() == ["a:1", "a:2"])
        #expect(try await JournalFile(at: place.folder.appendingPathComponent("none")).linesOrError() == nil)
    }

    @Test("Machines saved together through it are in one transaction, and have their lines in the file")
    func together() async throws {
        let place = try Place()
        let store = try place.store()
        try await store.unit { unit in
            for id in ["a", "b"] { try Self.fire(try await unit.machine(id, of: store.workflow(Parcel.self))) }
        }
        #expect(try await place.lines() == ["a:1", "b:1"])
    }

    @Test("Machines without a journal write no file")
    func silent() async throws {
        let place = try Place()
        let store = try place.store()
        try await store.workflow(SilentParcel.self).update("a") { try $0.fire.send(SentState("a")) }
        #expect(!FileManager.default.fileExists(atPath: place.log.path))
    }

    @Test("A machine that goes back to an older archive appends its new lines", arguments: [false, true])
    func olderArchive(isSameProcess: Bool) async throws {
        let place = try Place()
        let store = try place.store()
        let parcels = store.workflow(Parcel.self)
        for _ in 1...2 { try await parcels.update("a") { try Self.fire($0) } }
        let old = try #require(try await store.load("a"))
        for _ in 1...3 { try await parcels.update("a") { try Self.fire($0) } }
        let current = try #require(try await store.load("a")).revision
        try await parcels.save(StateMachine<Parcel>(archive: old.archive), as: "a", expecting: current)
        for _ in 1...2 {
            try await (isSameProcess ? store : place.store()).workflow(Parcel.self).update("a") { try Self.fire($0) }
        }
        #expect(try await place.lines() == ["a:1", "a:2", "a:3", "a:4", "a:5", "a:3", "a:4"])
    }

    @Test("A machine made again from a copy with a journal appends its own lines")
    func copiedTemplate() async throws {
        let place = try Place()
        let store = try place.store()
        let template = StateMachine<Parcel>()
        try Self.fire(template)
        for _ in 1...2 {
            try await store.workflow(Parcel.self).update(
                "a",
                creating: { template.copy() },
                { try Self.fire($0) }
            )
            try await store.delete("a")
        }
        #expect(try await place.lines() == ["a:1", "a:2", "a:2"])
    }
}

extension JournalFile {
    /// The number of lines; `nil` if the file is unreadable.
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
