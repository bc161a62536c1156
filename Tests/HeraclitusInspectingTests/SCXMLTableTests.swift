import Foundation
import Heraclitus
import HeraclitusInspecting
import Testing

@testable import Fixtures

@Suite("SCXML of decoded tables") struct SCXMLTableTests {
    /// The table that is read from the SCXML of a table.
    private func reread(_ json: JSONValue) throws -> TransitionTable {
        let table = try json.decoded(as: TransitionTable.self)
        return try TransitionTable(scxml: Data(table.diagram(.scxml).utf8))
    }

    @Test("Events of a machine in a state keep their names, with one destination or several")
    func regions() throws {
        let inner: JSONValue = [
            "workflow": "Payment", "states": ["Due", "Open", "Lapsed", "Refused"], "initial": "Due",
            "events": [
                [
                    "name": "fail",
                    "transitions": [
                        ["from": "Due", "to": "Lapsed"], ["from": "Due", "to": "Refused"],
                        ["from": "Open", "to": "Lapsed"],
                    ],
                ]
            ],
        ]
        let table = try reread([
            "workflow": "Order", "states": ["Placed"], "initial": "Placed", "events": [],
            "regions": [["state": "Placed", "name": "payment", "table": inner]],
        ])
        #expect(table.events.map(\.name) == ["payment.fail"])
        #expect(table.events.first?.transitions.map(\.to).sorted().first == "Placed.payment.Lapsed")
        #expect(table.events.first?.transitions.count == 3)
    }

    @Test("A name that is composed in two ways has one id", arguments: ["a", "\u{E9}", "e\u{301}"])
    func composed(initial: String) throws {
        let table = try reread([
            "workflow": "w", "states": ["a", "\u{E9}"], "initial": .string(initial),
            "events": [["name": "go", "transitions": [["from": "a", "to": "e\u{301}"]]]],
        ])
        #expect(table.states == ["a", "\u{E9}"] && table.initial == initial)
        #expect(table["go"]?.transitions.map(\.to) == ["\u{E9}"])
    }

    @Test("A transition that an outer state repeats is in the table once, and so is a repeated pair")
    func repeated() throws {
        let document = """
            <scxml><state id="o"><transition event="go" target="B"/>
              <state id="i"><transition event="go.B" target="B"/><transition event="go.C" target="C"/></state></state>
            <state id="B"/><state id="C"/></scxml>
            """
        let table = try TransitionTable(scxml: Data(document.utf8))
        #expect(table["go"]?.transitions.map(\.to) == ["B", "C"])
        #expect(try TransitionTable(scxml: Data(table.diagram(.scxml).utf8)).events == table.events)
        let twice = try reread([
            "workflow": "w", "states": ["A", "B"], "initial": "A",
            "events": [["name": "go", "transitions": [["from": "A", "to": "B"], ["from": "A", "to": "B"]]]],
        ])
        #expect(twice.events.map(\.name) == ["go"] && twice["go"]?.transitions.count == 1)
    }

    @Test("Ids of another program may have dots")
    func dots() throws {
        let document = """
            <scxml><state id="s.1"><transition event="go.s.2" target="s.2"/><transition event="go.s.3" target="s.3"/></state>
            <state id="s.2"><transition event="load.s.3" target="s.3"/></state><state id="s.3"/></scxml>
            """
        let table = try TransitionTable(scxml: Data(document.utf8))
        #expect(table.events.map(\.name) == ["go", "load.s.3"])
        #expect(table["go"]?.transitions.map(\.to) == ["s.2", "s.3"])
    }
}
