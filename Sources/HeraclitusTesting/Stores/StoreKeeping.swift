import Foundation
import Heraclitus
import HeraclitusStores

/// Promises of stores about saving, loading and deleting.
extension StoreCheck {
    func keeping() async throws {
        let contents = [
            "{}", #"{"text":"a/b \"c\" ü 👩‍👩‍👧 \\u0000","number":1.50}"#, "{ \"spaces\" : [ ] }",
            "{\"long\":\"\(String(repeating: "x", count: 1_000_000))\"}",
        ]
        expect(try await store.load("1") == nil, "an unsaved id has an archive")
        var revision = 0
        for (index, content) in contents.enumerated() {
            let row = archive("1", replacing: revision, "State \(index)", content: content)
            revision = try await keep(row, else: "load does not return the saved bytes with the returned revision")
        }
        let full = archive("2", due: date + 60) {
            ($0.version, $0.entered, $0.handled) = (3, date, Data([0, 1, 255]))
            $0.values = ["buyer": .text("Åda \u{0}\""), "mark": .text("\u{301}a"), "total": .number(-0.1)]
        }
        revision = try await keep(full, else: "a column has changed")
        let bare = archive("2", replacing: revision) { $0.version = nil }
        try await keep(bare, else: "an emptied column keeps its old value")
    }

    func keepingIDs() async throws {
        let ids = Self.oddIDs
        for (index, id) in ids.enumerated() { try await store.save(archive(id, content: "[\(index)]")) }
        for (index, id) in ids.enumerated() {
            let found = try await store.load(id)
            let name = id.debugDescription.prefix(40)
            expect(found?.archive == Data("[\(index)]".utf8), "the id \(name) is mistaken for another id")
            expect(found?.id.utf8.elementsEqual(id.utf8) ?? false, "an id has changed")
        }
        let listed = try await store.ids().map { Array($0.utf8) }
        let isComplete = listed.count == ids.count && Set(listed) == Set(ids.map { Array($0.utf8) })
        expect(isComplete, "an id is missing, or listed twice")
    }

    func conflicts() async throws {
        await expectConflict(of: .save(archive("1", replacing: 1)), found: 0)
        expect(try await store.load("1") == nil, "a conflicting save has stored an archive")
        let first = try await store.save(archive("1", content: "[1]"))
        await expectConflict(of: .save(archive("1")), found: first)
        await expectConflict(of: .save(archive("1", replacing: first + 1)), found: first)
        try await expectRow(archive("1", replacing: first, content: "[1]"), "a conflicting save changes the archive")
        let second = try await store.save(archive("1", replacing: first))
        await expectConflict(of: .delete("1", expecting: first), found: second)
        expect(try await store.load("1")?.revision == second, "a conflicting deletion has deleted the archive")
    }

    func deleting() async throws {
        expect(try await !store.delete("1"), "delete returns true for an unsaved id")
        await expectConflict(of: .delete("1", expecting: 3), found: 0)
        expect(try await !store.delete("1", expecting: 0), "delete returns true for the expected revision 0")
        var largest = 0
        for isExpected in [false, true] {
            let revision = try await store.save(archive("1"))
            expect(revision > largest, "a revision is reused after a deletion")
            largest = try await store.save(archive("1", replacing: revision))
            await expectConflict(of: .delete("1", expecting: 0), found: largest)
            try await store.save(archive("2"))
            let isDeleted = try await store.delete("1", expecting: isExpected ? largest : nil)
            expect(isDeleted, "delete returns false for a stored archive")
            expect(try await store.load("1") == nil, "a deleted archive is still stored")
            expect(try await store.ids() == ["2"], "a deletion changes other ids, or its own id is still listed")
            await expectConflict(of: .save(archive("1", replacing: largest)), found: 0)
            try await store.delete("2")
        }
        // A stale revision of the deleted archive must not match the new archive.
        let anew = try await store.save(archive("1", content: "[\"new\"]"))
        await expectConflict(of: .save(archive("1", replacing: largest, content: "[\"old\"]")), found: anew)
    }

    /// Saves and deletes the same revision at once.
    func deletingAtOnce() async throws {
        for _ in 0..<30 {
            let revision = try await store.save(archive("1"))
            let changes: [StoreChange] = [.save(archive("1", replacing: revision)), .delete("1", expecting: revision)]
            let done = try await withThrowingTaskGroup(of: Int?.self) { group in
                for index in [0, 1, 0, 1] {
                    group.addTask { [store] in
                        do {
                            try await store.save([changes[index]])
                            return index
                        } catch StoreError.conflict {
                            return nil
                        }
                    }
                }
                var done: [Int] = []
                for try await index in group { if let index { done.append(index) } }
                return done
            }
            guard done.count == 1 else {
                return add("of two saves and two deletions of one revision, \(done.count) succeeded")
            }
            let isThere = try await store.load("1") != nil
            expect(isThere == (done == [0]), "a deleted archive is back, or a saved archive is deleted")
            try await store.delete("1")
        }
    }

    func several() async throws {
        let first = try await store.save(archive("3", content: "[3]"))
        let second = try await store.save(archive("7", content: "[7]"))
        expect(
            try await store.load(["7", "nothing", "3"]) == [
                archive("7", replacing: second, content: "[7]"), archive("3", replacing: first, content: "[3]"),
            ],
            "loading several ids does not return their archives in the order of the ids"
        )
    }
}
