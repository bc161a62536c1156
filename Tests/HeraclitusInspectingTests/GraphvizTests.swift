import Foundation
import Heraclitus
import HeraclitusInspecting
import Testing

@testable import Fixtures

@Suite("Graphviz", .enabled(if: Graphviz.isInstalled)) struct GraphvizTests {
    @Test("Graphviz reads every name")
    func names() throws {
        for (text, names) in [
            (Door.table.diagram(.dot), ["OpenState", "swing"]),
            (DiagramTests.Odd.table.diagram(.dot, current: "end"), ["end", #"\"b\""#]),
            (DiagramTests.Odder.table.diagram(.dot), ["here"]),
            (DiagramTests.Boxed.table.diagram(.dot), ["SeveralState"]),
            (DiagramTests.Gathered.table.diagram(.dot), ["Timed", "late", "any state", "leave"]),
            (DiagramTests.Roomy.table.diagram(.dot), ["&#160;a &#160;&#160;b&#160;"]),
            (DiagramTests.Shares.table.diagram(.dot), [#" "%done" rounded"#]),
            (DiagramTests.Ampersands.table.diagram(.dot), [#""A&lt;B""#, #"&amp;#65;"#, #""a &amp; b""#]),
        ] {
            let (drawing, messages) = try Graphviz.draw([text])
            #expect(messages == "")
            for name in names { #expect(drawing.contains(name)) }
        }
    }

    @Test("Graphviz draws nested boxes without a message")
    func boxes() throws {
        let (order, _) = try CompositeDiagramTests.placed()
        let texts = [
            CompositeDiagramTests.Order.table.diagram(.dot), order.diagram(.dot),
            try Forest.busyOrder().diagram(.dot),
        ]
        let (drawings, messages) = try Graphviz.draw(texts)
        #expect(messages == "" && drawings.contains("PlacedState"))
    }

    @Test("Graphviz draws 120 random tables without a message, and each label as a node")
    func randomTables() throws {
        let texts = try (0..<120).map { try Self.table(Seed($0)).diagram(.dot) }
        let (drawings, messages) = try Graphviz.draw(texts)
        #expect(messages == "")
        #expect(drawings.split(separator: "\n").count { $0 == "stop" } == texts.count)
        // An edge ends with its style and its colour; a label would stand before them.
        let edges = drawings.split(separator: "\n").filter { $0.hasPrefix("edge ") }
        #expect(edges.allSatisfy { !$0.contains("event") } && drawings.contains("\"event 1\""))
    }

    /// A table with loops, arrows in both directions, notes, groups within and across one another, and unusual names.
    private static func table(_ start: Seed) throws -> TransitionTable {
        var seed = start
        let odd = ["<b> & \\N", "a\nb  c", "", "\u{1}\t", "\u{FFFF}%", "|{}\""]
        let states = (0..<2 + seed.below(6)).map { seed.chance(20) ? seed.pick(odd) + "\($0)" : "State \($0)" }
        var groups: [[String: Any]] = []
        var events: [[String: Any]] = []
        func addEvent(_ transitions: [(String, String)]) {
            events.append([
                "name": "event \(events.count)",
                "transitions": transitions.map { from, to in
                    ["from": from, "to": to, "isUpdate": from == to && seed.chance(60)] as [String: Any]
                },
                "fromAnyState": seed.chance(10) ? [seed.pick(states)] : [],
                "ignored": seed.chance(20) ? [seed.pick(states)] : [],
                "isGuarded": seed.chance(30),
            ])
        }
        for _ in 0...seed.below(8) {
            addEvent((0...seed.below(3)).map { _ in (seed.pick(states), seed.pick(states)) })
        }
        for number in 0..<seed.below(4) {
            let members = states.filter { _ in seed.chance(50) }
            groups.append(["name": "Group \(number)", "states": members])
            let destination = seed.pick(states)
            addEvent(members.map { ($0, destination) })
        }
        let table: [String: Any] = [
            "workflow": "Random", "version": 1, "states": states, "superstates": [String: String](),
            "initial": states[0], "finals": states.filter { _ in seed.chance(20) }, "events": events, "groups": groups,
        ]
        return try JSONDecoder().decode(TransitionTable.self, from: JSONSerialization.data(withJSONObject: table))
    }
}
