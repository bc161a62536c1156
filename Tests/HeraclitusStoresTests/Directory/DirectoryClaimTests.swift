import Foundation
import Heraclitus
import HeraclitusStores
import Testing

@testable import Fixtures

@Suite("Claims in a directory") struct DirectoryClaimTests {
    private let place = DirectoryPlace()
    private let date = DirectoryPlace.date

    @Test("Independent workers claim all machines, each machine once", .timeLimit(.minutes(10)))
    func workers() async throws {
        let store = try place.store()
        let ids = (0..<100).map { "\($0)" }
        try await store.save(
            ids.map { .save(DirectoryPlace.row($0, due: date), effects: (nil, DirectoryPlace.effects())) }
        )
        for queue in [ArchiveQuery.Queue.due(by: date), .effects(by: date, names: ["Mail"])] {
            let claimed = try await withThrowingTaskGroup(of: [String].self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        let store = try place.store()
                        var claimed: [String] = []
                        while case let found = try await store.claim(DirectoryPlace.claim(queue, limit: 7)),
                            !found.isEmpty
                        {
                            claimed += found.map(\.id)
                        }
                        return claimed
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(claimed.sorted() == ids.sorted())
        }
    }

    @Test("Due machines with expired claims are claimed in the order in which the claims ended")
    func end() async throws {
        let store = try place.store()
        for (number, id) in ["1", "2", "3"].enumerated() {
            try await store.save(DirectoryPlace.row(id, due: date + Double(number)))
        }
        #expect(try await store.claim(DirectoryPlace.claim(until: date + 10)).map(\.id) == ["1"])
        let others = try place.store()
        #expect(
            try await others.claim(DirectoryPlace.claim(.due(by: date + 9), until: date + 30, limit: 1)).map(\.id) == [
                "2"
            ]
        )
        #expect(
            try await others.claim(DirectoryPlace.claim(.due(by: date + 20), until: date + 30)).map(\.id) == ["3", "1"]
        )
        #expect(try await store.claim(DirectoryPlace.claim(.due(by: date + 29))) == [])
        #expect(try await store.claim(DirectoryPlace.claim(.due(by: date + 30))).map(\.id).sorted() == ["1", "2", "3"])
    }

    @Test("A save by another process ends a claim, and each machine is claimed once")
    func save() async throws {
        let store = try place.store()
        let others = try place.store()
        try await store.save(DirectoryPlace.row("1", due: date))
        #expect(try await store.claim(DirectoryPlace.claim(until: date + 10)).count == 1)
        try await others.save(DirectoryPlace.row("1", replacing: 1, due: date))
        #expect(try await others.claim(DirectoryPlace.claim(until: date + 60)).map(\.revision) == [2])
        #expect(try await store.claim(DirectoryPlace.claim(.due(by: date + 20))) == [])
        #expect(try place.links("claimed") == ["1.json"] && place.links("due") == [])
    }

    @Test("A claim skips unreadable and oversized files, and returns the others")
    func damaged() async throws {
        let store = try place.store()
        for id in ["1", "2", "3"] {
            try await store.save([
                .save(DirectoryPlace.row(id, due: date), effects: (nil, DirectoryPlace.effects()))
            ])
        }
        #expect(try await store.ids(DirectoryPlace.dueIDs()).count == 3)
        let text = try place.text(of: "1.json")
        try place.write(String(text.dropLast(6)), to: "1.json")
        try place.write("damaged", to: "2.json")
        let effects = ArchiveQuery.Queue.effects(by: date, names: nil)
        #expect(try await store.claim(DirectoryPlace.claim(effects)).map(\.id) == ["3"])
        #expect(try await store.claim(DirectoryPlace.claim()).map(\.id) == ["3"])
        try place.write(text, to: "1.json")
        #expect(try await store.claim(DirectoryPlace.claim()).map(\.id) == ["1"])
    }

    @Test("A claim passes over an inaccessible file, and throws if it claims nothing else", arguments: [false, true])
    func inaccessible(isForEffects: Bool) async throws {
        let store = try place.store()
        for (number, id) in ["1", "2"].enumerated() {
            let day = date - 10 + Double(number)
            try await store.save([
                .save(DirectoryPlace.row(id, due: day), effects: (nil, DirectoryPlace.effects(at: day)))
            ])
        }
        try place.hide(["1.json"])
        let queue: ArchiveQuery.Queue = isForEffects ? .effects(by: date, names: ["Mail"]) : .due(by: date)
        #expect(try await store.claim(DirectoryPlace.claim(queue)).map(\.id) == ["2"])
        await #expect(throws: ArchiveError.self) { try await store.claim(DirectoryPlace.claim(queue)) }
    }

    @Test(
        "A claim passes over hundreds of inaccessible files, and stops after a thousand in a row",
        arguments: [999, 1_000]
    )
    func failingMedium(count: Int) async throws {
        let store = try place.store()
        let ids = (0..<count).map { String(format: "%04d", $0) } + ["last"]
        try await store.save(
            ids.enumerated().map { number, id in
                .save(DirectoryPlace.row(id, due: date - Double(ids.count - number)))
            }
        )
        try place.hide(ids.dropLast().map { "\($0).json" })
        if count < 1_000 {
            #expect(try await store.claim(DirectoryPlace.claim(limit: 1)).map(\.id) == ["last"])
        } else {
            await #expect(throws: ArchiveError.self) { try await store.claim(DirectoryPlace.claim(limit: 1)) }
        }
    }
}
