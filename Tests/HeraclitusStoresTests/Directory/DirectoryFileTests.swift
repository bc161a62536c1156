import Foundation
import Heraclitus
import HeraclitusStores
import Testing

@testable import Fixtures

@Suite("Files of directories") struct DirectoryFileTests {
    private let place = DirectoryPlace()

    @Test("A file has a header, an archive, effects and handled messages")
    func lines() async throws {
        let store = try place.store()
        let row = StoredArchive(
            id: "1",
            revision: 0,
            workflow: "Lamp",
            version: 7,
            state: "On",
            entered: DirectoryPlace.date,
            due: DirectoryPlace.date + 0.25,
            values: ["buyer": .text("ada"), "total": .number(7.5)],
            archive: Data("archive".utf8),
            handled: Data("handled".utf8)
        )
        try await store.save([
            .save(row, effects: (nil, DirectoryPlace.effects(at: .distantFuture, "me")))
        ])
        #expect(
            try place.text(of: "1.json") == """
                {"due":"2026-05-09T06:13:20.25Z","effects":"4001-01-01T00:00:00Z","effectsSize":2,"entered":"2026-05-09T06:13:20Z","handledSize":7,"id":"1","next":"Mail","revision":1,"state":"On","values":{"buyer":"ada","total":7.5},"version":7,"worker":"me","workflow":"Lamp"}
                archive
                []
                handled

                """
        )
        var expected = row
        (expected.revision, expected.effects) = (1, DirectoryPlace.effects(at: .distantFuture, "me"))
        #expect(try await store.load("1") == expected)
    }

    @Test("Any bytes survive, with or without line breaks, and when only the effects change")
    func anyBytes() async throws {
        let store = try place.store()
        var parts = ["", "\n", "a\nb", "\n\n{", "x"].map { Data($0.utf8) }
        parts.append(Data([0, 255, 10]))
        for (number, part) in parts.enumerated() {
            let id = "\(number)"
            let row = StoredArchive(
                id: id,
                revision: 0,
                workflow: "Lamp",
                version: nil,
                state: "On",
                archive: part,
                handled: part
            )
            let old = WaitingEffects(content: part, next: nil, date: DirectoryPlace.date, worker: nil)
            let new = WaitingEffects(content: part + part, next: "x", date: DirectoryPlace.date + 1, worker: "y")
            try await store.save([.save(row, effects: (nil, old))])
            try await store.save([.effects(of: id, (old, new))])
            let found = try #require(try await store.load(id))
            #expect(found.archive == part && found.handled == part && found.effects == new && found.revision == 1)
        }
    }

    @Test(
        "Dates survive exactly",
        arguments: [
            0, 1e-9, 12.345_678_901, -0.1, 8_388_607.999_999, 8_388_609.123_456_789, 800_000_000.123_456_7, -8e8 - 0.1,
            1e12, -1e12,
            Date.distantFuture.timeIntervalSinceReferenceDate,
        ]
    )
    func dates(seconds: Double) async throws {
        let store = try place.store()
        let date = Date(timeIntervalSinceReferenceDate: seconds)
        let effects = DirectoryPlace.effects(at: date)
        try await store.save([.save(DirectoryPlace.row("1", due: date), effects: (nil, effects))])
        let found = try #require(try await store.load("1"))
        #expect(found.due == date && found.effects == effects)
        #expect(try await store.ids(DirectoryPlace.dueIDs(by: date)) == ["1"])
        #expect(
            try await store.ids(DirectoryPlace.dueIDs(by: Date(timeIntervalSinceReferenceDate: seconds.nextDown))) == []
        )
        try await store.save([.effects(of: "1", (effects, nil))])
        #expect(try place.links("effects") == [])
    }

    @Test("A file shorter than its header says is damaged")
    func short() async throws {
        let store = try place.store()
        try await store.save([
            .save(
                DirectoryPlace.row("1", handled: Data("handled".utf8)),
                effects: (nil, DirectoryPlace.effects())
            )
        ])
        let text = try place.text(of: "1.json")
        for count in 1...12 {
            try place.write(String(text.dropLast(count)), to: "1.json")
            // The line break at the end is optional.
            if count == 1 {
                #expect(try await store.load("1")?.handled == Data("handled".utf8))
            } else {
                await #expect(throws: StoreError.self, "\(count)") { try await store.load("1") }
            }
        }
    }

    /// A file of an earlier release, with effects in the archive.
    private func writeFormerFile(_ id: String, _ effect: String = "Mail") throws {
        try place.write(
            #"{"due":"2026-05-09T06:13:20Z","effects":"2026-05-09T06:13:20Z","id":"\#(id)","revision":5,"state":"On","workflow":"Lamp"}"#
                + "\n"
                + #"{"activated":true,"data":{},"format":1,"outbox":{"at":"2026-05-09T06:13:20Z","effects":[{"data":{},"name":"\#(effect)"}]},"revision":2,"state":"On","version":1,"workflow":"Lamp"}"#
                + "\n",
            to: "\(id).json"
        )
    }

    private let bareArchive =
        #"{"activated":true,"data":{},"format":1,"revision":2,"state":"On","version":1,"workflow":"Lamp"}"#

    @Test("A file of an earlier release is read, found and claimed, with its effects in their own part")
    func former() async throws {
        try FileManager.default.createDirectory(at: place.folder, withIntermediateDirectories: true)
        try writeFormerFile("1")
        try writeFormerFile("2", "Print")
        let store = try place.store()
        let found = try #require(try await store.load("1"))
        #expect(found.archive == Data(bareArchive.utf8) && found.version == nil && found.entered == nil)
        #expect(found.effects?.next == "Mail" && found.effects?.date == DirectoryPlace.date)
        #expect(try await store.ids(DirectoryPlace.dueIDs()) == ["1", "2"])
        #expect(try await store.ids(DirectoryPlace.effectIDs()) == ["1", "2"])
        #expect(try await store.ids(DirectoryPlace.effectIDs(by: DirectoryPlace.date, ["Mail"])) == ["1"])
        let queue = ArchiveQuery.Queue.effects(by: DirectoryPlace.date, names: ["Print"])
        let claimed = try await store.claim(DirectoryPlace.claim(queue))
        #expect(claimed.map(\.id) == ["2"] && claimed.first?.effects?.worker == "worker")
        #expect(try await store.load("2") == claimed.first)
        #expect(try place.text(of: "2.json").contains("\n" + bareArchive + "\n"))
    }

    @Test("A save of a machine of an earlier release keeps its effects")
    func formerSaved() async throws {
        try FileManager.default.createDirectory(at: place.folder, withIntermediateDirectories: true)
        try writeFormerFile("1")
        let store = try place.store()
        let effects = try #require(try await store.load("1")?.effects)
        #expect(try await store.save(DirectoryPlace.row("1", replacing: 5)) == 6)
        #expect(try await store.load("1")?.effects == effects)
        #expect(try place.links("effects") == ["1.json"])
    }
}
