import Foundation
import Heraclitus
import HeraclitusStores

/// Promises of stores about finding machines.
extension StoreCheck {
    func finding() async throws {
        try await store.save(archive("b", "On"))
        let revision = try await store.save(archive("a", "On"))
        try await store.save(archive("c", "Off"))
        try await store.save(archive("d", "On", workflow: "Door"))
        try await store.save(archive("a", replacing: revision, "Off"))
        let found: [([String]?, [String]?, [String])] = [
            (nil, nil, ["a", "b", "c", "d"]), (["Lamp"], nil, ["a", "b", "c"]), (["Lamp"], ["On"], ["b"]),
            (["Lamp"], ["Off"], ["a", "c"]), (nil, ["On"], ["b", "d"]), (["Door"], ["Off"], []), (["Nobody"], nil, []),
            (["Lamp", "Door"], ["On"], ["b", "d"]), (["Lamp"], ["On", "Off"], ["a", "b", "c"]), ([], nil, []),
        ]
        for (workflows, states, ids) in found {
            let machines = "the ids of \(workflows ?? ["any workflow"]) in \(states ?? ["any state"])"
            try await expectIDs(ids, machines) { ($0.workflows, $0.states) = (workflows, states) }
        }
        let counts = try await store.counts(query { $0.workflows = ["Lamp"] })
        expect(counts == ["On": 1, "Off": 2], "the machines of Lamp are counted as \(counts)")
    }

    func findingByValues() async throws {
        let all: [(String, StoredValue?, Double, Double)] = [
            ("a", .text("ada"), 10, 0), ("b", .text("bob"), 20, 1), ("c", .text("ada"), 30, 2),
            ("d", .number(7), 40, 3), ("e", nil, 50, 4), ("f", .text("Ada"), -1.5, 5),
            ("g", .text("a\u{308}da"), 0, 6), ("h", .text("äda"), 0, 7),
        ]
        for (id, buyer, total, days) in all {
            let values = ["buyer": buyer, "total": StoredValue.number(total)].compactMapValues(\.self)
            try await store.save(archive(id) { ($0.entered, $0.values) = (date + days, values) })
        }
        let conditions: [([StoredCondition], [String])] = [
            ([.equal("buyer", .text("ada"))], ["a", "c"]),
            ([.equal("buyer", .text("ada")), .greater("total", .number(10))], ["c"]),
            ([.greaterOrEqual("total", .number(30))], ["c", "d", "e"]), ([.less("total", .number(0))], ["f"]),
            ([.lessOrEqual("total", .number(0))], ["f", "g", "h"]),
            ([.equal("buyer", .number(7))], ["d"]), ([.equal("buyer", .text("7"))], []),
            ([.equal("buyer", .text("äda"))], ["h"]), ([.equal("nobody", .text("ada"))], []),
            ([.greater("buyer", .text("b"))], ["b", "h"]),
            ([.greater("total", .number(10)), .less("total", .number(40))], ["b", "c"]),
        ]
        for (values, ids) in conditions { try await expectIDs(ids, "machines with \(values)") { $0.values = values } }
        try await expectIDs(["c", "d"], "machines that have entered their state between two dates") {
            ($0.enteredAfter, $0.enteredBefore) = (date + 1, date + 4)
        }
        try await expectIDs(["c", "d"], "a page of machines by a value") {
            ($0.values, $0.after, $0.limit) = ([.greaterOrEqual("total", .number(0))], "b", 2)
        }
        let revision = try await store.load("a")?.revision ?? 0
        try await store.save(archive("a", replacing: revision) { $0.values = ["buyer": .text("eve")] })
        try await store.delete("c")
        try await expectIDs([], "machines with a value that was replaced or deleted") {
            $0.values = [.equal("buyer", .text("ada"))]
        }
        let counts = try await store.counts(query { $0.values = [.greaterOrEqual("total", .number(30))] })
        expect(counts == ["On": 2], "machines with a value are counted as \(counts)")
        let one = query { ($0.values, $0.limit) = ([.greaterOrEqual("total", .number(0))], 1) }
        let limited = try await store.counts(one)
        expect(limited.values.reduce(0, +) == 1, "a count with a limit of 1 is \(limited)")
        try await findingBySpelling()
    }

    /// A save replaces a text by one that Swift calls equal, with other UTF-8.
    private func findingBySpelling() async throws {
        let (old, new) = ("ne\u{301}", "n\u{E9}")
        let saved = try await store.save(archive("spelled") { $0.values = ["buyer": .text(old)] })
        let row = archive("spelled", replacing: saved) { $0.values = ["buyer": .text(new)] }
        try await keep(row, else: "a text keeps its spelling when another one replaces it")
        try await expectIDs(["spelled"], "machines with a text that has replaced another spelling") {
            $0.values = [.equal("buyer", .text(new))]
        }
        try await expectIDs([], "machines with a text that another spelling has replaced") {
            $0.values = [.equal("buyer", .text(old))]
        }
        // A mark makes one character with the sign before it.
        let odd: [String: StoredValue] = ["\"\u{301}": .number(1), "\\\u{301}": .number(2), "a\",b": .number(3)]
        try await keep(archive("odd names") { $0.values = odd }, else: "values lose odd names")
    }

    func pages() async throws {
        for id in Self.oddIDs { try await store.save(archive(id, id.utf8.count % 2 == 0 ? "On" : "Off")) }
        try await store.save(archive("door", "On", workflow: "Door"))
        for state in [nil, "On", "Off"] {
            let expected = Self.oddIDs.filter { state == nil || (state == "On") == ($0.utf8.count % 2 == 0) }
                .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            for size in [1, 7, expected.count, 100] {
                var found: [String] = []
                // The loop is bounded: a broken store might return the same page again.
                for _ in 0...expected.count {
                    let next = query {
                        ($0.workflows, $0.states) = (["Lamp"], state.map { [$0] })
                        ($0.after, $0.limit) = (found.last, size)
                    }
                    let page = try await store.ids(next)
                    expect(page.count <= size, "a page has more ids than its limit")
                    found += page
                    if page.isEmpty { break }
                }
                let isComplete = found.map { Array($0.utf8) } == expected.map { Array($0.utf8) }
                let pages = "pages of \(size) ids in \(state ?? "any state")"
                expect(isComplete, "\(pages) are not all ids in the order of their UTF-8")
            }
        }
        try await expectIDs([], "the ids of a page with a limit of 0") { $0.limit = 0 }
        try await expectIDs(["door"], "the ids after an unknown id") { ($0.after, $0.limit) = ("dooq", 1) }
    }

    func versions() async throws {
        for (id, version) in [("old", nil), ("1", 1), ("2", 2), ("3", 3)] {
            try await store.save(archive(id, due: date) { $0.version = version })
        }
        let known = ["1", "2", "old"]
        try await expectIDs(known, "machines up to version 2") { $0.newestVersion = 2 }
        try await expectIDs(["3"], "due machines from version 3") { ($0.oldestVersion, $0.queue) = (3, .due(by: date)) }
        let claimed = try await claim(.due(by: date), at: date, by: "worker", upTo: 2).map(\.id).sorted()
        expect(claimed == known, "a worker of version 2 claims \(claimed)")
    }

    func deadlines() async throws {
        let dues: [(String, Date?)] = [
            ("later", date + 60), ("second", date), ("first", date - 60), ("never", nil), ("early", .distantPast),
        ]
        for (id, due) in dues { try await keep(archive(id, due: due), else: "the deadline of \(id) has changed") }
        try await store.save(archive("door", workflow: "Door", due: date - 30))
        let found: [(Date, [String]?, [String])] = [
            (date, ["Lamp"], ["early", "first", "second"]), (date, nil, ["early", "first", "door", "second"]),
            (date - 0.001, ["Lamp"], ["early", "first"]), (.distantFuture, ["Door"], ["door"]), (date, ["Nobody"], []),
        ]
        for (date, workflows, ids) in found {
            let machines = "due machines of \(workflows ?? ["any workflow"])"
            try await expectIDs(ids, machines) { ($0.workflows, $0.queue) = (workflows, .due(by: date)) }
        }
        try await expectIDs(["early"], "the machine that is due first") {
            ($0.workflows, $0.queue, $0.limit) = (["Lamp"], .due(by: .distantFuture), 1)
        }
        let revision = try await store.load("first")?.revision ?? 0
        try await store.save(archive("first", replacing: revision))
        try await store.delete("early")
        try await expectIDs(["second"], "due machines after a deletion and a change of a deadline") {
            ($0.workflows, $0.queue) = (["Lamp"], .due(by: date))
        }
        // The machine that comes first by its id is saved last.
        for id in ["y", "x"] { try await store.save(archive(id, due: date - 120)) }
        let saved = try await store.load("x")?.revision ?? 0
        try await store.save(archive("x", replacing: saved, due: date - 120))
        for (limit, ids) in [(1, ["x"]), (2, ["x", "y"])] {
            try await expectIDs(ids, "the first \(limit) of the machines of one date") {
                ($0.workflows, $0.queue, $0.limit) = (["Lamp"], .due(by: date), limit)
            }
        }
    }

    func ringing() async throws {
        guard let bell = store.bell else { return }
        let rings = bell.rings
        try await store.save(archive("1", due: .distantPast))
        // Some bells ring a moment later.
        for _ in 0..<1_000 where bell.rings == rings { try await Task.sleep(for: .milliseconds(1)) }
        expect(bell.rings > rings, "the bell does not ring after a save of a due machine")
    }
}
