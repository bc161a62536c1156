import Foundation
import Heraclitus
import HeraclitusStores
import Synchronization
import Testing

@testable import Fixtures

/// Behaviour of directories beyond the promises of stores.
@Suite("Directories as stores") struct DirectoryStoreTests {
    private static func ticket(_ url: String) -> StateMachine<Ticket> { StateMachine(resumingIn: QueuedState([url])) }

    private static func url(_ machine: StateMachine<Ticket>?) -> String? {
        (machine?.state as? QueuedState)?.urls.first
    }

    @Test("A file is readable text: a header line and the archive")
    func readable() async throws {
        let place = try StorePlace("directory")
        try await place.store.workflow(Ticket.self).save(Self.ticket("a"), as: "Order 7", expecting: 0)
        let file = try #require(place.folder).appendingPathComponent("^order%207.json")
        #expect(
            try String(contentsOf: file, encoding: .utf8).replacing(
                #/"entered":"[-0-9T:.]+Z"/#,
                with: #""entered":DATE"#
            ) == """
                {"entered":DATE,"id":"Order 7","revision":1,"state":"Queued","version":3,"workflow":"Ticket"}
                {"activated":true,"data":{"urls":["a"]},"format":1,"revision":0,"state":"Queued","version":3,"workflow":"Ticket"}

                """
        )
    }

    @Test("A sweep removes files of killed processes, and keeps files being written and files of the user")
    func leftovers() async throws {
        let place = try StorePlace("directory")
        let folder = try #require(place.folder)
        try await place.store.workflow(Ticket.self).save(Self.ticket("a"), as: "1", expecting: 0)
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
        /// Retries until no process of another test has inherited a lock.
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
        #expect(Self.url(try await again.workflow(Ticket.self).machine("1")?.machine) == "a")

        try Data("half".utf8).write(to: own.appendingPathComponent("1.json.live.tmp"))
        // Another process holds every lock.
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
        "A lock whose file was removed during the wait is taken again at the new file",
        .timeLimit(.minutes(20))
    )
    func removedLock() async throws {
        let place = try StorePlace("directory")
        let folder = try #require(place.folder)
        try await place.store.workflow(Ticket.self).save(Self.ticket("0"), as: "1", expecting: 0)
        let own = folder.appendingPathComponent(".store")
        let name = try #require(
            try FileManager.default.contentsOfDirectory(atPath: own.path).first { Int($0) != nil }
        )
        @Sendable func locked(_ name: String) throws -> Int32 {
            let descriptor = unsafe open(own.appendingPathComponent(name).path, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
            // Waits, because another test's process may have inherited the lock for a moment.
            try #require(flock(descriptor, LOCK_EX) == 0)
            return descriptor
        }
        let first = try locked(name)
        let saving = Task.detached {
            try await place.store.workflow(Ticket.self).save(Self.ticket("1"), as: "1", expecting: 1)
        }
        // The waiting body holds one of the few threads of tasks, so this test uses its own thread.
        try await onOwnThread {
            usleep(100_000)
            // The lock is taken at once, before the waiting thread gets it.
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

    @Test("A foreign file with the name of a store's file is skipped without a delay")
    func strangers() async throws {
        let place = try StorePlace("directory")
        let folder = try #require(place.folder)
        let store = place.store
        try await store.workflow(Ticket.self).save(Self.ticket("a"), as: "1", expecting: 0)
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
        #expect(try await DirectoryStore(at: folder, limit: 2_000).workflow(Ticket.self).ids() == ["1"])
        #expect(try await store.ids() == ["1", "long"])
        for id in ["folder", "pipe", "link"] {
            await #expect(throws: ArchiveError.self) { try await store.load(id) }
            await #expect(throws: ArchiveError.self) {
                try await store.workflow(Ticket.self).save(Self.ticket("b"), as: id, expecting: 0)
            }
        }
        #expect(try String(contentsOf: secret, encoding: .utf8).hasPrefix(header))
    }

    @Test("A file keeps its mode")
    func mode() async throws {
        let place = try StorePlace("directory")
        try await place.store.workflow(Ticket.self).save(Self.ticket("a"), as: "1", expecting: 0)
        let file = try #require(place.folder).appendingPathComponent("1.json").path
        #expect(unsafe chmod(file, 0o640) == 0)
        try await place.store.workflow(Ticket.self).save(Self.ticket("b"), as: "1", expecting: 1)
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o640)
    }

    @Test(
        "A damaged file is a typed error, and the other files stay readable",
        arguments: [
            "", "{}", "{}\n{}\n", "no json\n{}\n", #"{"id":"1","revision":0,"state":"Q","workflow":"T"}"# + "\n{}",
            #"{"id":"1","revision":9223372036854775807,"state":"Q","workflow":"T"}"# + "\n{}",
        ]
    )
    func damaged(content: String) async throws {
        let place = try StorePlace("directory")
        try await place.store.workflow(Ticket.self).save(Self.ticket("a"), as: "2", expecting: 0)
        try Data(content.utf8).write(to: #require(place.folder).appendingPathComponent("1.json"))
        await #expect(throws: StoreError.self) { try await place.store.load("1") }
        await #expect(throws: StoreError.self) {
            try await place.store.workflow(Ticket.self).save(Self.ticket("b"), as: "1", expecting: 0)
        }
        #expect(try await place.store.workflow(Ticket.self).ids() == ["2"])
        await #expect(throws: StoreError.self) { try await place.store.delete("1", expecting: 1) }
        #expect(
            try String(contentsOf: #require(place.folder).appendingPathComponent("1.json"), encoding: .utf8) == content
        )
        #expect(try await place.store.delete("1", expecting: nil))
        #expect(try await place.store.load("1") == nil)
        #expect(
            try await place.store.workflow(Ticket.self).save(Self.ticket("c"), as: "1", expecting: 0) > 1_000_000_000
        )
    }

    @Test(
        "An invalid or oversized last revision is a typed error or ignored, and the store goes on",
        arguments: ["", "nonsense", "-5\n", "9223372036854775807\n", "99999999999999999999999", "9007199254740992\n"]
    )
    func damagedNumber(number: String) async throws {
        let place = try StorePlace("directory")
        let own = try #require(place.folder).appendingPathComponent(".store")
        try await place.store.workflow(Ticket.self).save(Self.ticket("a"), as: "1", expecting: 0)
        for name in try FileManager.default.contentsOfDirectory(atPath: own.path) {
            try Data(number.utf8).write(to: own.appendingPathComponent(name))
        }
        #expect(try await place.store.workflow(Ticket.self).save(Self.ticket("b"), as: "1", expecting: 1) == 2)
        try await place.store.delete("1", expecting: 2)
        do {
            let revision = try await place.store.workflow(Ticket.self).save(Self.ticket("c"), as: "1", expecting: 0)
            #expect(revision == 3 && !number.hasSuffix("7\n") && !number.hasSuffix("2\n"))
        } catch StoreError.damaged {
            #expect(number.hasPrefix("9"))
        }
        try Data("{}".utf8).write(to: #require(place.folder).appendingPathComponent("1.json"))
        #expect(try await place.store.delete("1", expecting: nil))
    }

    @Test("A file with the largest revision, or with an oversized line, can be deleted and created again")
    func lastRevision() async throws {
        let place = try StorePlace("directory")
        let folder = try #require(place.folder)
        let header = #"{"id":"1","revision":9007199254740992,"state":"Q","workflow":"T"}"#
        try Data("\(header)\n{}\n".utf8).write(to: folder.appendingPathComponent("1.json"))
        #expect(try await place.store.delete("1", expecting: 9_007_199_254_740_992))
        try await place.store.workflow(Ticket.self).save(Self.ticket("a"), as: "1", expecting: 0)
        try Data(repeating: 32, count: 3_000).write(to: folder.appendingPathComponent("2.json"))
        let small = try DirectoryStore(at: folder, limit: 2_000)
        await #expect(throws: ArchiveError.self) { try await small.delete("2", expecting: 1) }
        #expect(try await small.delete("2", expecting: nil))
    }

    @Test("Opening a store and listing its ids reads only file names")
    func opening() async throws {
        let place = try StorePlace("directory")
        let folder = try #require(place.folder)
        for number in 0..<1_000 {
            try Data("no archive".utf8).write(to: folder.appendingPathComponent("\(number).json"))
        }
        let store = try DirectoryStore(at: folder)
        #expect(try await store.ids() == (0..<1_000).map(String.init).sorted())
        #expect(try await store.workflow(Ticket.self).ids() == [])
    }

    @Test("The first line of a file gives an id too long for a name; a damaged file stays unlisted")
    func longIDs() async throws {
        let place = try StorePlace("directory")
        let folder = try #require(place.folder)
        let ids = ["short", String(repeating: "x", count: 200), String(repeating: "y", count: 200)]
        for id in ids { try await place.store.workflow(Ticket.self).save(Self.ticket("a"), as: id, expecting: 0) }
        #expect(try await place.store.ids() == ids)
        for file in try place.files where !file.hasPrefix("y") {
            try Data("no archive".utf8).write(to: folder.appendingPathComponent(file))
        }
        #expect(try await place.store.ids() == [ids[0], ids[2]])
        await #expect(throws: StoreError.self) { try await place.store.load(ids[1]) }
    }

    @Test("Every id stays within the folder")
    func outside() async throws {
        let parent = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: parent) }
        let store = try DirectoryStore(at: parent.appendingPathComponent("a/b/store"))
        for id in ["..", "../x", "../../x", "/x", "a/../../x", ".store", ".store/0", "../store/x"] {
            try await store.workflow(Ticket.self).save(Self.ticket(id), as: id, expecting: 0)
        }
        let found = try FileManager.default.subpathsOfDirectory(atPath: parent.path).filter { $0.hasSuffix(".json") }
        #expect(
            found.count == 8 && found.allSatisfy { $0.hasPrefix("a/b/store/") && $0.split(separator: "/").count == 4 }
        )
    }

    @Test("A limit and an unusable folder are typed errors without loss of data")
    func refused() async throws {
        let place = try StorePlace("directory")
        let folder = try #require(place.folder)
        let small = try DirectoryStore(at: folder, limit: 350)
        try await small.workflow(Ticket.self).save(Self.ticket("a"), as: "1", expecting: 0)
        let long = Self.ticket(String(repeating: "x", count: 300))
        await #expect(throws: ArchiveError.self) {
            try await small.workflow(Ticket.self).save(long, as: "1", expecting: 1)
        }
        #expect(Self.url(try await small.workflow(Ticket.self).machine("1")?.machine) == "a")
        try await place.store.workflow(Ticket.self).save(long, as: "1", expecting: 1)
        await #expect(throws: ArchiveError.self) { try await small.load("1") }

        #expect(throws: ArchiveError.self) { try DirectoryStore(at: URL(fileURLWithPath: "/dev/null/store")) }
        try FileManager.default.removeItem(at: folder)
        await #expect(throws: ArchiveError.self) {
            try await place.store.workflow(Ticket.self).save(Self.ticket("b"), as: "1", expecting: 0)
        }
        await #expect(throws: ArchiveError.self) { try await place.store.ids() }
    }

    @Test("The error of an oversized file has the size of the file")
    func size() async throws {
        let place = try StorePlace("directory")
        let folder = try #require(place.folder)
        try Data(repeating: 32, count: 1_000_000).write(to: folder.appendingPathComponent("1.json"))
        let store = try DirectoryStore(at: folder, limit: 2_000)
        let error = await #expect(throws: ArchiveError.self) { try await store.load("1") }
        guard case .tooLarge(1_000_000, 2_000) = error else {
            Issue.record("\(error as Any)")
            return
        }
    }
}
