import Foundation
import Heraclitus
import HeraclitusStores
import Testing

@testable import Fixtures

/// Stores in processes without free descriptors, and in processes that are killed.
@Suite("Stores when system calls fail") struct StoreFaultTests {
    /// Runs a body with room for a number of descriptors.
    private static func withDescriptors<Result>(_ count: Int, _ body: () async throws -> Result) async throws -> Result
    {
        var old = rlimit()
        unsafe getrlimit(rlimitOfFiles, &old)
        var opened: [Int32] = []
        // There may be gaps below the limit.
        var new = old
        new.rlim_cur = 256
        unsafe setrlimit(rlimitOfFiles, &new)
        while case let descriptor = unsafe open("/dev/null", O_RDONLY), descriptor >= 0 { opened.append(descriptor) }
        for descriptor in opened.suffix(count) { close(descriptor) }
        defer {
            for descriptor in opened.dropLast(count) { close(descriptor) }
            unsafe setrlimit(rlimitOfFiles, &old)
        }
        return try await body()
    }

    #if canImport(Glibc)
        private static var rlimitOfFiles: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
    #else
        private static var rlimitOfFiles: Int32 { RLIMIT_NOFILE }
    #endif

    private static func ticket(_ url: String) -> StateMachine<Ticket> { StateMachine(resumingIn: QueuedState([url])) }

    @Test("With a full table of descriptors, a save or deletion either succeeds or fails without a change")
    func descriptors() async {
        await #expect(processExitsWith: .success) {
            let place = try StorePlace("directory")
            let store = place.store
            var revision = try await store.workflow(Ticket.self).save(Self.ticket("0"), as: "1", expecting: 0)
            var failures = 0
            for count in 0..<6 {
                do {
                    revision = try await Self.withDescriptors(count) {
                        try await store.workflow(Ticket.self).save(
                            Self.ticket("\(count)"),
                            as: "1",
                            expecting: revision
                        )
                    }
                    // One for a lock, one for the file, and one for its folder.
                    #expect(count >= 3)
                } catch is ArchiveError {
                    failures += 1
                }
                #expect(try await store.load("1")?.revision == revision)
                try #require(
                    try await store.workflow(Ticket.self).save(Self.ticket("next"), as: "1", expecting: revision)
                        == revision + 1
                )
                revision += 1
            }
            try #require(failures == 3)
            for count in 0..<6 {
                try await store.workflow(Ticket.self).save(Self.ticket("x"), as: "\(count) to delete", expecting: 0)
                do {
                    _ = try await Self.withDescriptors(count) {
                        try await store.delete("\(count) to delete", expecting: 1)
                    }
                    // One for a lock, one for the folder of locks, and one for the file's folder.
                    try #require(count >= 3)
                } catch is ArchiveError {
                    try #require(try await store.load("\(count) to delete")?.revision == 1)
                    try #require(count < 3)
                }
            }
        }
    }

    @Test("A journal's lines and the name of their file are synced, or the save fails")
    func journalFile() async {
        await #expect(processExitsWith: .success) {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let log = folder.appendingPathComponent("journal.jsonl")
            let parcel = StateMachine<Parcel>()
            try parcel.fire.send(SentState("a"))
            /// Saves with room for a number of descriptors: one for the file, and one for its folder.
            func save(_ count: Int, to file: JournalFile) async throws -> Bool {
                do {
                    try await Self.withDescriptors(count) {
                        // The archive fits, so only the journal file can fail.
                        let archive = try StoredArchive(parcel, id: "1")
                        try await InMemoryStore().journaled(in: file).save(archive)
                    }
                    return true
                } catch is ArchiveError {
                    return false
                }
            }
            let file = JournalFile(at: log)
            for count in 0...1 { #expect(try await !save(count, to: file)) }
            #expect(try Data(contentsOf: log).isEmpty)
            #expect(try await save(2, to: file))
            try parcel.fire.bounce()
            // The name is already synced.
            #expect(try await save(1, to: file))
            // Lines of another process may be unsynced, because that process may have been killed.
            let other = JournalFile(at: log)
            #expect(try await !save(1, to: other))
            #expect(try await save(2, to: other))
            #expect(try await save(1, to: other))
            #expect(try await file.journal(of: "1").count == 2)
        }
    }

    @Test("The next write to a file removes drafts of killed writes, and nothing else")
    func drafts() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
        let file = folder.appendingPathComponent("orders.jsonl")
        try Archive.write([Self.ticket("old")], to: file)
        let users = [
            "orders.jsonl.1.tmp", "orders.jsonl.backup.tmp", "orders.jsonl.tmp", "x.tmp",
            "orders.jsonl.0123456789abcdef-0123456789abcdef.tmp",
        ]
        for name in users { try Data("mine".utf8).write(to: folder.appendingPathComponent(name)) }
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = file.path as String] in
            let tickets = (0..<3_000).lazy.map { number in
                if number == 1_500 { kill(getpid(), SIGKILL) }
                return Self.ticket("\(number)")
            }
            try Archive.write(tickets, to: URL(fileURLWithPath: path))
        }
        #expect(try files().count == users.count + 2)
        try Archive.write([Self.ticket("another")], to: folder.appendingPathComponent("other.jsonl"))
        #expect(try files().count == users.count + 3)

        // A writer keeps its draft during other writes to the same file and to other files.
        let outer = (0..<2_000).lazy.map { number in
            if number == 1_000 {
                #expect(throws: Never.self) { try Archive.write([Self.ticket("inner")], to: file) }
            }
            return Self.ticket("\(number)")
        }
        try Archive.write(outer, to: file)
        #expect(try Set(files()) == Set(users + ["orders.jsonl", "other.jsonl"]))
        #expect(try String(contentsOf: file, encoding: .utf8).split(separator: "\n").count == 2_000)
    }
}
