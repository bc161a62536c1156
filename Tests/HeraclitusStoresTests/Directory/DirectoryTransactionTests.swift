import Foundation
import Heraclitus
import HeraclitusStores
import Testing

@testable import Fixtures

/// A committed transaction of a killed process whose files are only partly in place.
struct Interrupted {
    let place: StorePlace
    let folder: URL

    /// Makes a folder with two archives at revision 1 and a committed transaction to revision 2, with `moved` files in
    /// place.
    init(moved: Int) async throws {
        place = try StorePlace("directory")
        folder = try #require(place.folder)
        let other = try StorePlace("directory")
        let from = try #require(other.folder)
        for store in [place.store, other.store] {
            try await store.save(together: [Self.archive("a", 0), Self.archive("b", 0)])
        }
        try await other.store.save(together: [Self.archive("a", 1), Self.archive("b", 1)])
        var files: [[String: String]] = []
        for (index, name) in ["a.json", "b.json"].enumerated() {
            let draft = "\(name).x\(index).tmp"
            let target = index < moved ? folder.appendingPathComponent(name) : own.appendingPathComponent(draft)
            try Data(contentsOf: from.appendingPathComponent(name)).write(to: target)
            files.append(["draft": draft, "name": name])
        }
        try JSONEncoder().encode(["files": files]).write(to: own.appendingPathComponent("transaction"))
    }

    /// Hides the record, and returns a closure that puts it in place.
    func hideRecord() throws -> @Sendable () -> Void {
        let record = own.appendingPathComponent("transaction")
        let hidden = own.appendingPathComponent("hidden")
        try FileManager.default.moveItem(at: record, to: hidden)
        return { #expect(throws: Never.self) { try FileManager.default.moveItem(at: hidden, to: record) } }
    }

    var own: URL { folder.appendingPathComponent(".store") }

    static func archive(_ id: String, _ revision: Int) -> StoredArchive {
        let content = Data("[\(revision)]".utf8)
        return StoredArchive(
            id: id,
            revision: revision,
            workflow: "Lamp",
            version: nil,
            state: revision == 0 ? "Off" : "On",
            archive: content
        )
    }

    func expectComplete(_ store: any ArchiveStore) async throws {
        for id in ["a", "b"] { #expect(try await store.load(id)?.revision == 2) }
        let left = try FileManager.default.contentsOfDirectory(atPath: own.path)
        #expect(left.allSatisfy { !$0.hasSuffix(".tmp") && $0 != "transaction" }, "\(left)")
    }
}

@Suite("Transactions of directories") struct DirectoryTransactionTests {
    @Test("The next load or listing completes a transaction", arguments: 0...2)
    func reading(moved: Int) async throws {
        let loading = try await Interrupted(moved: moved)
        #expect(try await loading.place.store.load("b")?.revision == 2)
        try await loading.expectComplete(loading.place.store)
        let listing = try await Interrupted(moved: moved)
        #expect(try await listing.place.store.ids(ArchiveQuery { $0.states = ["On"] }) == ["a", "b"])
        try await listing.expectComplete(listing.place.store)
    }

    @Test("The next save or deletion sees the committed revisions", arguments: 0...2)
    func writing(moved: Int) async throws {
        let saving = try await Interrupted(moved: moved)
        await #expect(throws: StoreError.self) { try await saving.place.store.save(Interrupted.archive("a", 1)) }
        try await saving.expectComplete(saving.place.store)
        let together = try await Interrupted(moved: moved)
        await #expect(throws: StoreError.self) {
            try await together.place.store.save(together: [Interrupted.archive("b", 1), Interrupted.archive("c", 0)])
        }
        try await together.expectComplete(together.place.store)
        let deleting = try await Interrupted(moved: moved)
        await #expect(throws: StoreError.self) { try await deleting.place.store.delete("b", expecting: 1) }
        try await deleting.expectComplete(deleting.place.store)
    }

    @Test(
        "The next opening of the folder completes a transaction, and keeps its drafts",
        arguments: 0...2
    )
    func opening(moved: Int) async throws {
        let place = try await Interrupted(moved: moved)
        try await place.expectComplete(try DirectoryStore(at: place.folder))
    }

    @Test("An invalid record is an error that names the file and changes nothing")
    func damaged() async throws {
        let place = try await Interrupted(moved: 0)
        let record = place.own.appendingPathComponent("transaction")
        for text in ["", "{}", #"{"files":[{"draft":"../a.json","name":"b.json"}]}"#] {
            try Data(text.utf8).write(to: record)
            let error = await #expect(throws: ArchiveError.self) { try await place.place.store.load("a") }
            guard case .inaccessibleFile(let path, _) = error else {
                return #expect(Bool(false), "\(String(describing: error))")
            }
            #expect(path.hasSuffix("/transaction"))
        }
        try FileManager.default.removeItem(at: record)
        #expect(try await place.place.store.load("a")?.revision == 1)
    }

    /// A lock of a file held by another process.
    private final class OthersLock: Sendable {
        private let descriptor: CInt

        init(_ file: URL) throws {
            descriptor = unsafe open(file.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
            try #require(descriptor >= 0 && flock(descriptor, LOCK_EX) == 0)
        }

        func release() { close(descriptor) }
    }

    /// An executor with its own thread, which may block.
    private final class OwnThread: TaskExecutor {
        private let queue = DispatchQueue(label: "waits for a lock")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { unsafe job.runSynchronously(on: unsafe self.asUnownedTaskExecutor()) }
        }
    }

    /// Begins a body that blocks its thread.
    private func begin<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) -> Task<Value, any Error>
    {
        Task.detached(executorPreference: OwnThread()) { try await body() }
    }

    @Test("A load during a transaction waits for its writer")
    func waiting() async throws {
        let place = try await Interrupted(moved: 0)
        let others = try OthersLock(place.own.appendingPathComponent("transaction.lock"))
        let hasEnded = Lock(false)
        let load = begin {
            let found = try await place.place.store.load("a")
            hasEnded.withLock { $0 = true }
            return found
        }
        try await Task.sleep(for: .milliseconds(300))
        #expect(!hasEnded.withLock { $0 })
        others.release()
        #expect(try await load.value?.revision == 2)
        try await place.expectComplete(place.place.store)
    }

    /// The lock files of "a" and "b".
    private func locks(of place: Interrupted) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(atPath: place.own.path).filter { Int($0) != nil }
            .map { place.own.appendingPathComponent($0) }
    }

    @Test(
        "Opening the folder keeps a record being written, and removes it after its writer has died"
    )
    func unfinishedRecord() async throws {
        let place = try StorePlace("directory")
        let folder = try #require(place.folder)
        try await place.store.save(together: [Interrupted.archive("a", 0), Interrupted.archive("b", 0)])
        let draft = folder.appendingPathComponent(".store/transaction.1a2b.tmp")
        try Data("{".utf8).write(to: draft)
        let others = try OthersLock(folder.appendingPathComponent(".store/transaction.lock"))
        _ = try DirectoryStore(at: folder)
        #expect(FileManager.default.fileExists(atPath: draft.path))
        others.release()
        let store = try DirectoryStore(at: folder)
        #expect(!FileManager.default.fileExists(atPath: draft.path))
        #expect(try await store.ids() == ["a", "b"])
    }

    @Test("A save that has waited for a file sees a transaction committed in between")
    func decidedMeanwhile() async throws {
        let place = try await Interrupted(moved: 0)
        let decide = try place.hideRecord()
        let others = try locks(of: place).map(OthersLock.init)
        #expect(!others.isEmpty)
        let save = begin { try await place.place.store.save(Interrupted.archive("a", 1)) }
        try await Task.sleep(for: .milliseconds(300))
        decide()
        for lock in others { lock.release() }
        await #expect(throws: StoreError.self) { try await save.value }
        try await place.expectComplete(place.place.store)
    }

    @Test("A transaction waits for saves of its files")
    func several() async throws {
        let place = try await Interrupted(moved: 2)
        #expect(try await place.place.store.load("a")?.revision == 2)
        let others = try locks(of: place).map(OthersLock.init)
        let hasEnded = Lock(false)
        let save = begin {
            let archives = ["a", "b"].map {
                StoredArchive(
                    id: $0,
                    revision: 2,
                    workflow: "Lamp",
                    version: nil,
                    state: "Off",
                    archive: Data("[2]".utf8)
                )
            }
            let revisions = try await place.place.store.save(together: archives)
            hasEnded.withLock { $0 = true }
            return revisions
        }
        try await Task.sleep(for: .milliseconds(300))
        #expect(!hasEnded.withLock { $0 })
        for lock in others { lock.release() }
        #expect(try await save.value == [3, 3])
    }
}
