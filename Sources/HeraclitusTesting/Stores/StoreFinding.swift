import Foundation
import Heraclitus
import HeraclitusStores

/// Promises of stores about finding machines.
extension StoreConformance {
    static func finding(_ store: any ArchiveStore, _ report: ConformanceReport) async throws {
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
            let query = query { ($0.workflows, $0.states) = (workflows, states) }
            let listed = try await store.ids(query)
            report.expect(
                listed == ids,
                "the ids of \(workflows ?? ["any workflow"]) in \(states ?? ["any state"]) are \(listed), not \(ids)"
            )
        }
        let counts = try await store.counts(query { $0.workflows = ["Lamp"] })
        report.expect(counts == ["On": 1, "Off": 2], "the machines of Lamp are counted as \(counts)")
    }

    static func findingByValues(_ store: any ArchiveStore, _ report: ConformanceReport) async throws {
        let date = Date(timeIntervalSinceReferenceDate: 800_000_000)
        let all: [(String, StoredValue?, Double, Double)] = [
            ("a", .text("ada"), 10, 0), ("b", .text("bob"), 20, 1), ("c", .text("ada"), 30, 2),
            ("d", .number(7), 40, 3),
            ("e", nil, 50, 4), ("f", .text("Ada"), -1.5, 5), ("g", .text("a\u{308}da"), 0, 6),
            ("h", .text("äda"), 0, 7),
        ]
        for (id, buyer, total, days) in all {
            let values = ["buyer": buyer, "total": StoredValue.number(total)].compactMapValues(\.self)
            try await store.save(archive(id, entered: date + days, values: values))
        }
        let conditions: [([StoredCondition], [String])] = [
            ([.equal("buyer", .text("ada"))], ["a", "c"]),
            ([.equal("buyer", .text("ada")), .greater("total", .number(10))], ["c"]),
            ([.greaterOrEqual("total", .number(30))], ["c", "d", "e"]), ([.less("total", .number(0))], ["f"]),
            ([.lessOrEqual("total", .number(0))], ["f", "g", "h"]),
            ([.equal("buyer", .number(7))], ["d"]), ([.equal("buyer", .text("7"))], []),
            ([.equal("buyer", .text("äda"))], ["h"]),
            ([.equal("nobody", .text("ada"))], []), ([.greater("buyer", .text("b"))], ["b", "h"]),
            ([.greater("total", .number(10)), .less("total", .number(40))], ["b", "c"]),
        ]
        for (values, ids) in conditions {
            let listed = try await store.ids(query { $0.values = values })
            report.expect(listed == ids, "machines with \(values) are \(listed), not \(ids)")
        }
        let entered = try await store.ids(query { ($0.enteredAfter, $0.enteredBefore) = (date + 1, date + 4) })
        report.expect(entered == ["c", "d"], "machines that have entered their state between two dates are \(entered)")
        let page = try await store.ids(
            query { ($0.values, $0.after, $0.limit) = ([.greaterOrEqual("total", .number(0))], "b", 2) }
        )
        report.expect(page == ["c", "d"], "a page of machines by a value is \(page)")
        let revision = try await store.load("a")?.revision ?? 0
        try await store.save(archive("a", replacing: revision, values: ["buyer": .text("eve")]))
        try await store.delete("c")
        let left = try await store.ids(query { $0.values = [.equal("buyer", .text("ada"))] })
        report.expect(left == [], "a replaced or deleted value is still found in \(left)")
        let counts = try await store.counts(query { $0.values = [.greaterOrEqual("total", .number(30))] })
        report.expect(counts == ["On": 2], "machines with a value are counted as \(counts)")
        let limited = try await store.counts(
            query { ($0.values, $0.limit) = ([.greaterOrEqual("total", .number(0))], 1) }
        )
        report.expect(limited.values.reduce(0, +) == 1, "a count with a limit of 1 is \(limited)")
        try await findingBySpelling(store, report)
    }

    /// A save replaces a text by one that Swift calls equal, with other UTF-8.
    private static func findingBySpelling(_ store: any ArchiveStore, _ report: ConformanceReport) async throws {
        let (old, new) = ("ne\u{301}", "n\u{E9}")
        let saved = try await store.save(archive("spelled", values: ["buyer": .text(old)]))
        try await store.save(archive("spelled", replacing: saved, values: ["buyer": .text(new)]))
        let found = try await store.ids(query { $0.values = [.equal("buyer", .text(new))] })
        report.expect(found == ["spelled"], "machines with a text that was replaced by another spelling are \(found)")
        let left = try await store.ids(query { $0.values = [.equal("buyer", .text(old))] })
        report.expect(left == [], "a text that was replaced by another spelling is still found in \(left)")
        let values = try await store.load("spelled")?.values
        report.expect(values == ["buyer": .text(new)], "a text keeps its spelling when another one replaces it")
        // A mark makes one character with the sign before it.
        let odd: [String: StoredValue] = ["\"\u{301}": .number(1), "\\\u{301}": .number(2), "a\",b": .number(3)]
        try await store.save(archive("odd names", values: odd))
        let oddValues = try await store.load("odd names")?.values
        report.expect(oddValues == odd, "values keep odd names: \(oddValues ?? [:])")
    }

    static func pages(_ store: any ArchiveStore, _ report: ConformanceReport) async throws {
        for id in oddIDs { try await store.save(archive(id, id.utf8.count % 2 == 0 ? "On" : "Off")) }
        try await store.save(archive("door", "On", workflow: "Door"))
        for state in [nil, "On", "Off"] {
            let expected = oddIDs.filter { state == nil || (state == "On") == ($0.utf8.count % 2 == 0) }
                .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            for size in [1, 7, expected.count, 100] {
                var found: [String] = []
                // The loop is bounded: a broken store might return the same page again.
                for _ in 0...expected.count {
                    let page = try await store.ids(
                        query {
                            ($0.workflows, $0.states) = (["Lamp"], state.map { [$0] })
                            ($0.after, $0.limit) = (found.last, size)
                        }
                    )
                    report.expect(page.count <= size, "a page has more ids than its limit")
                    found += page
                    if page.isEmpty { break }
                }
                report.expect(
                    found.map { Array($0.utf8) } == expected.map { Array($0.utf8) },
                    "pages of \(size) ids in \(state ?? "any state") are not all ids in the order of their UTF-8"
                )
            }
        }
        let none = try await store.ids(query { $0.limit = 0 })
        report.expect(none == [], "a page with a limit of 0 has ids")
        let last = try await store.ids(query { ($0.after, $0.limit) = ("dooq", 1) })
        report.expect(last == ["door"], "the ids after an unknown id are not found")
    }

    static func versions(_ store: any ArchiveStore, _ report: ConformanceReport) async throws {
        let date = Date(timeIntervalSinceReferenceDate: 800_000_000)
        for (id, version) in [("old", nil), ("1", 1), ("2", 2), ("3", 3)] {
            try await store.save(archive(id, version: version, due: date))
        }
        let known = try await store.ids(query { $0.newestVersion = 2 })
        report.expect(known == ["1", "2", "old"], "machines up to version 2 are \(known)")
        let newer = try await store.ids(query { ($0.oldestVersion, $0.queue) = (3, .due(by: date)) })
        report.expect(newer == ["3"], "due machines from version 3 are \(newer)")
        var claim = lampClaim(.due(by: date), at: date, by: "worker")
        claim.query.newestVersion = 2
        let claimed = try await store.claim(claim).map(\.id).sorted()
        report.expect(claimed == ["1", "2", "old"], "a worker of version 2 claims \(claimed)")
    }

    static func deadlines(_ store: any ArchiveStore, _ report: ConformanceReport) async throws {
        let date = Date(timeIntervalSinceReferenceDate: 800_000_000.123_456)
        let dues: [(String, Date?)] = [
            ("later", date + 60), ("second", date), ("first", date - 60), ("never", nil), ("early", .distantPast),
        ]
        for (id, due) in dues { try await store.save(archive(id, due: due)) }
        try await store.save(archive("door", workflow: "Door", due: date - 30))
        for (id, due) in dues {
            report.expect(try await store.load(id)?.due == due, "the deadline of \(id) has changed")
        }
        func due(by date: Date, of workflows: [String]?, limit: Int = .max) async throws -> [String] {
            try await store.ids(query { ($0.workflows, $0.queue, $0.limit) = (workflows, .due(by: date), limit) })
        }
        let found: [(Date, [String]?, [String])] = [
            (date, ["Lamp"], ["early", "first", "second"]), (date, nil, ["early", "first", "door", "second"]),
            (date - 0.001, ["Lamp"], ["early", "first"]), (.distantFuture, ["Door"], ["door"]), (date, ["Nobody"], []),
        ]
        for (date, workflows, ids) in found {
            let listed = try await due(by: date, of: workflows)
            report.expect(listed == ids, "due machines of \(workflows ?? ["any workflow"]) are \(listed), not \(ids)")
        }
        let next = try await due(by: .distantFuture, of: ["Lamp"], limit: 1)
        report.expect(next == ["early"], "the machine that is due first is \(next)")
        let revision = try await store.load("first")?.revision ?? 0
        try await store.save(archive("first", replacing: revision))
        try await store.delete("early", expecting: nil)
        let listed = try await due(by: date, of: ["Lamp"])
        report.expect(listed == ["second"], "a machine that was deleted or is no longer due is listed as due")
        // The machine that comes first by its id is saved last.
        for id in ["y", "x"] { try await store.save(archive(id, due: date - 120)) }
        let saved = try await store.load("x")?.revision ?? 0
        try await store.save(archive("x", replacing: saved, due: date - 120))
        for (limit, ids) in [(1, ["x"]), (2, ["x", "y"])] {
            let first = try await due(by: date, of: ["Lamp"], limit: limit)
            report.expect(first == ids, "the first \(limit) of the machines of one date are \(first), not \(ids)")
        }
    }

    static func ringing(_ store: any ArchiveStore, _ report: ConformanceReport) async throws {
        guard let bell = store.bell else { return }
        let rings = bell.rings
        try await store.save(archive("1", due: .distantPast))
        // Some bells ring a moment later.
        for _ in 0..<1_000 where bell.rings == rings { try await Task.sleep(for: .milliseconds(1)) }
        report.expect(bell.rings > rings, "the bell does not ring after a save of a due machine")
    }
}
