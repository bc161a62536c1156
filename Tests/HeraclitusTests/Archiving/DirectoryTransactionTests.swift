import Foundation
import Heraclitus
import Testing

/// What is left of several files that were saved together by a process that was killed when all was decided and not yet in its place.
struct Interrupted {
    let place: StoreTests.Place
    let folder: URL

    /// Makes a folder with two archives at revision 1, and what leads to revision 2 of both; one of them is in its place if so said.
    init(moved: Int) async throws {
        place = try StoreTests.Place("directory")
        folder = try #require(place.folder)
        let other = try StoreTests.Place("directory")
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

    var own: URL { folder.appendingPathComponent(".store") }

    static func archive(_ id: String, _ revision: Int) -> StoredArchive {
        let content = Data("[\(revision)]".utf8)
        return StoredArchive(
            id: id,
            revision: revision,
            workflow: "Lamp",
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
    @Test("Whoever loads or lists next completes it, whatever was moved already", arguments: 0...2)
    func reading(moved: Int) async throws {
        let loading = try await Interrupted(moved: moved)
        #expect(try await loading.place.store.load("b")?.revision == 2)
        try await loading.expectComplete(loading.place.store)
        let listing = try await Interrupted(moved: moved)
        #expect(try await listing.place.store.ids(of: nil, in: "On") == ["a", "b"])
        try await listing.expectComplete(listing.place.store)
    }

    @Test("Whoever saves or deletes next meets the revisions that were decided", arguments: 0...2)
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
        "Whoever opens the folder next completes it, and does not take it for what was left unfinished",
        arguments: 0...2
    )
    func opening(moved: Int) async throws {
        let place = try await Interrupted(moved: moved)
        try await place.expectComplete(try DirectoryStore(at: place.folder))
    }

    @Test("A record that is none is an error that names the file, and nothing changes")
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
}
