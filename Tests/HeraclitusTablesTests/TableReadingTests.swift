import Foundation
import Heraclitus
import HeraclitusInspecting
import HeraclitusTables
import Testing

@testable import Fixtures

@Suite("Reading tables")
struct TableReadingTests {
    @Test("A table needs in JSON only its name, states, initial state and events")
    func json() throws {
        let table = try TransitionTable(
            json: Data(
                """
                {
                    "workflow": "approval",
                    "states": ["Draft", "Review", "Approved"],
                    "initial": "Draft",
                    "events": [
                        {"name": "submit", "transitions": [{"from": "Draft", "to": "Review"}]},
                        {"name": "approve", "transitions": [{"from": "Review", "to": "Approved"}], "dueAfter": 60},
                        {"name": "reset", "fromAnyState": ["Draft"], "ignored": ["Approved"]}
                    ],
                    "keys": {"Review": {"amount": "number", "note": "string?"}},
                    "migrations": []
                }
                """.utf8
            )
        )
        #expect(table.version == 1)
        #expect(table.finals == ["Approved"])
        #expect(table["approve"]?.triggers == [.due])
        #expect(table.keys["Review"]?["note"] == .string.optional)
        #expect(table.problems.isEmpty)
        let machine = try StateMachine(try DataWorkflow(table), entering: DataState("Review", ["amount": 1]))
        try machine.fire[named: "reset"]()
        #expect(machine.stateName == "Draft")
    }

    @Test("An event with a delay is due, even beside triggers without that one, and unknown triggers are left out")
    func dueWithoutTrigger() throws {
        let event = #"{"name": "close", "transitions": [], "dueAfter": 60, "triggers": ["done", "later"]}"#
        let json = #"{"workflow": "w", "states": ["A"], "initial": "A", "events": [\#(event)]}"#
        #expect(try TransitionTable(json: Data(json.utf8))["close"]?.triggers == [.due, .done])
    }

    @Test("A written table is read again", arguments: [TransitionTable.approval, .everything, Door.table])
    func writtenAndRead(_ table: TransitionTable) throws {
        #expect(try TransitionTable(json: JSONEncoder().encode(table)) == table)
        let archive = try StateMachine(try DataWorkflow(.approval)).archive(includingDefinition: true)
        let value = try #require(JSONValue(json: archive)["definition"])
        #expect(try value.decoded(as: TransitionTable.self) == .approval)
    }

    @Test(
        "A missing key is an error with its place",
        arguments: [
            (#"{"states": [], "initial": "A", "events": []}"#, "workflow"),
            (
                #"{"workflow": "w", "states": ["A"], "initial": "A", "events": [{"name": "e"}]}"#,
                "events[0].transitions"
            ),
        ]
    )
    func broken(_ json: String, _ path: String) throws {
        let error = #expect(throws: ArchiveError.self) { try TransitionTable(json: Data(json.utf8)) }
        guard case .malformed(path, _) = error else {
            Issue.record("\(error as Any)")
            return
        }
    }

    @Test(
        "A key of an unknown type, and an invalid step, are problems with their place, and such a table is written again",
        arguments: [
            (#""keys": {"A": {"k": "money"}}"#, "keys.A.k", #""money" is no type of a key; the types are string, "#),
            (#""migrations": [{"version": 2}]"#, "migrations[0]", "A step of a migration has one of renameState, "),
            (#""keys": []"#, "keys", ""), (#""migrations": [true]"#, "migrations[0]", ""),
        ]
    )
    func malformed(_ member: String, _ path: String, _ explanation: String) throws {
        let json = Data(#"{"workflow": "w", "states": ["A"], "initial": "A", "events": [], \#(member)}"#.utf8)
        let table = try TransitionTable(json: json)
        let error = try #require(throws: InvalidWorkflow.self) { try DataWorkflow(table) }
        #expect(error.problems == table.problems && error.problems.facts == ["malformedTable \(path)"])
        #expect(error.problems[0].description.hasPrefix("The table is wrong at \(path): \(explanation)"))
        #expect(table.keys.allSatisfy(\.value.isEmpty) && table.migrations.isEmpty)
        #expect(try TransitionTable(json: JSONEncoder().encode(table)) == table)
    }

    @Test("A table keeps additions of a later release, and its archives have its keys")
    func later() throws {
        let value: JSONValue = [
            "workflow": "w", "states": ["A"], "initial": "A", "events": [], "keys": ["A": ["k": "number"]],
            "later": ["b": [1, .null], "a": 2.5], "colours": ["A": "red"],
        ]
        let table = try value.decoded(as: TransitionTable.self)
        let machine = try StateMachine(try DataWorkflow(table), entering: DataState("A", ["k": 1]))
        let archived = try #require(JSONValue(json: machine.archive(includingDefinition: true))["definition"])
        let written = try JSONValue(json: JSONEncoder().encode(table))
        for key in ["later", "colours", "keys"] { #expect(written[key] == value[key]) }
        #expect(archived["keys"] == value["keys"] && archived["later"] == nil && archived["colours"] == nil)
    }

    // MARK: SCXML

    @Test(
        "A table written as SCXML is read with its states and events, and is written alike",
        arguments: [TransitionTable.approval, .everything, .odd, Door.table, Download.table]
    )
    func scxml(_ table: TransitionTable) throws {
        let read = try TransitionTable(scxml: table.scxml(), version: table.version)
        #expect(read.workflow == table.workflow)
        #expect(read.states == table.states)
        #expect(read.initial == table.initial)
        #expect(Set(read.events.map(\.name)) == Set(table.events.map(\.name)))
        for event in table.events { #expect(Set(read[event.name]?.transitions ?? []) == Set(event.transitions)) }
        #expect(read.scxml() == table.scxml())
    }

    @Test("Inner states have the transitions of outer states, the nearest first, and enter the initial one")
    func hierarchy() throws {
        let table = try TransitionTable(
            scxml: """
                <?xml version="1.0"?>
                <!-- A player. -->
                <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" name="player" initial="off">
                  <state id="off"><transition event="power" target="on"/></state>
                  <state id="on">
                    <initial><transition target="stopped"/></initial>
                    <transition event="power" target="off"/>
                    <transition event="eject pull" target="empty"/>
                    <state id="playing"><transition event="stop" target="stopped"/></state>
                    <state id="stopped">
                      <transition event="play" target="playing"/>
                      <transition event="eject" target="stopped"/>
                    </state>
                  </state>
                  <final id="empty"/>
                </scxml>
                """
        )
        #expect(table.states == ["off", "on", "playing", "stopped", "empty"])
        #expect(table.superstates == ["playing": "on", "stopped": "on"])
        #expect(table.finals == ["empty"])
        #expect(table["power"]?.transitions.map(\.text) == ["off → stopped", "playing → off", "stopped → off"])
        #expect(table["eject"]?.transitions.map(\.text) == ["playing → empty", "stopped → stopped"])
        #expect(table["pull"]?.transitions.count == 2)
        let machine = try StateMachine(try DataWorkflow(table))
        try machine.fire[named: "power"]()
        #expect(machine.stateName == "stopped")
        #expect(machine.isIn(named: "on"))
        try machine.fire[named: "pull"]()
        #expect(machine.stateName == "empty")
    }

    @Test(
        "SCXML beyond tables is rejected with its name and line",
        arguments: [
            ("<parallel id=\"p\"/>", "parallel"),
            ("<history id=\"h\"/>", "history"),
            ("<datamodel><data id=\"x\"/></datamodel>", "datamodel"),
            ("<state id=\"x\"><onentry><log expr=\"1\"/></onentry></state>", "onentry"),
            ("<state id=\"x\"><invoke/></state>", "invoke"),
            ("<state id=\"x\"><transition event=\"e\" cond=\"In('a')\" target=\"a\"/></state>", "cond"),
            ("<state id=\"x\"><transition event=\"e\" target=\"a\"><log/></transition></state>", "log"),
            ("<state id=\"x\"><transition target=\"a\"/></state>", "transition"),
            ("<state id=\"x\"><transition event=\"*\" target=\"a\"/></state>", "*"),
            ("<state id=\"x\"><transition event=\"done.state.a\" target=\"a\"/></state>", "done.state.a"),
            ("<state id=\"x\"><transition event=\"e\" target=\"a x\"/></state>", "target"),
            ("<state id=\"x\"><transition event=\"e\" target=\"lost\"/></state>", "e"),
            ("<state id=\"x\"><transition event=\"e\" type=\"internal\" target=\"a\"/></state>", "type"),
            ("<state id=\"x\" initial=\"a\"><state id=\"y\"/></state>", "a"),
            ("<state id=\"a\"/>", "a"),
            ("<state/>", "state"),
            ("text", "scxml"),
            ("<qt:layout/>", "qt:layout"),
        ]
    )
    func refused(_ content: String, _ name: String) throws {
        let error = #expect(throws: ArchiveError.self) {
            try TransitionTable(scxml: "<scxml initial=\"a\">\n<state id=\"a\"/>\n\(content)\n</scxml>")
        }
        let problem = try #require(error?.problems.first)
        #expect(problem.line == 3)
        #expect(problem.name == name)
    }

    @Test("An event whose name extends another one's is rejected, because SCXML takes it for both")
    func ambiguous() throws {
        let error = #expect(throws: ArchiveError.self) {
            try TransitionTable(
                scxml: """
                    <scxml><state id="a"><transition event="go" target="b"/></state>
                    <state id="b"><transition event="go.on" target="a"/></state></scxml>
                    """
            )
        }
        #expect(error?.problems.first?.name == "go")
    }

    @Test(
        "Invalid XML is an error with its line",
        arguments: [
            "", "<scxml>", "<scxml><state id=\"a\"></scxml>", "<scxml></scxml><scxml/>", "<!DOCTYPE scxml []><scxml/>",
            "<scxml name=a/>", "<scxml name=\"a\" name=\"b\"/>", "<scxml name=\"&lol;\"/>", "<html/>", "<scxml/",
            "<scxml name=\"&#x110000;\"/>", "<scxml name=\"<\"/>", "<!-- <scxml/>", "</scxml>",
            "<scxml><![CDATA[a]]></scxml>",
            "<scxml name=\"&#0;\"/>", "&amp;", "<scxml ><a", "\u{FEFF}",
        ]
    )
    func brokenXML(_ text: String) throws {
        let error = #expect(throws: ArchiveError.self) { try TransitionTable(scxml: text) }
        #expect(error?.problems.isEmpty == false)
    }

    @Test("A document larger than the limit is an error with both sizes")
    func largeDocument() {
        let document = Data("<scxml/>".utf8)
        let error = #expect(throws: ArchiveError.self) { try TransitionTable(scxml: document, limit: 7) }
        guard case .tooLarge(8, limit: 7) = error else {
            Issue.record("\(error as Any)")
            return
        }
    }

    @Test("A document cut off or changed anywhere is read or is a typed error")
    func mutations() throws {
        let bytes = Array(TransitionTable.everything.scxml().utf8)
        for place in bytes.indices {
            _ = try? TransitionTable(scxml: Data(bytes[..<place]))
            for byte in [0, 0x22, 0x26, 0x3C, 0x3E, 0xFF] as [UInt8] {
                var changed = bytes
                changed[place] = byte
                do { _ = try TransitionTable(scxml: Data(changed)) } catch {
                    #expect("\(error)".hasPrefix("The content is malformed at line "))
                }
            }
        }
    }
}

extension TransitionTable {
    /// A table with everything that a workflow of data can have.
    static var everything: TransitionTable {
        TransitionTable(
            "everything",
            version: 3,
            states: ["A", "B", "C", "D", "In"],
            initial: "A",
            events: [
                Event("go", from: "A", to: "B").or(from: "A", to: "C").or(from: "B", to: "C").ignored(in: "D"),
                Event("note", updating: "B", "C"),
                Event("lapse", from: "C", to: "D").due(after: .seconds(1.5)),
                Event("again", from: "B", to: "B"),
            ]
        )
        .keys(["n": .integer, "at": .date.optional], in: "B", "C")
        .group("live", "A", "B", "C")
        .within("In", "A", "B")
        .ending(in: "D")
        .migrating(
            MigrationStep(in: 2, .renameState("Old", to: "A")),
            MigrationStep(in: 2, .setKey("n", to: ["a": [1, .null]], state: "B")),
            MigrationStep(in: 3, .renameKey("m", to: "n", state: nil)),
            MigrationStep(in: 3, .removeKey("x", state: "C")),
            MigrationStep(in: 3, .removeState("Gone", into: "D")),
            MigrationStep(in: 3, .unchanged)
        )
    }

    /// A table with names of any characters.
    static var odd: TransitionTable {
        TransitionTable(
            "odd \"<&>",
            states: ["_x20_", "é ü", "_", "a.b", "1", "go"],
            initial: "_x20_",
            events: [
                Event("go. *", from: "_x20_", to: "é ü").or(from: "_x20_", to: "_"),
                Event("x", from: "é ü", to: "a.b"),
                Event("go", from: "a.b", to: "1").or(from: "1", to: "go"),
            ]
        )
    }
}
