import Foundation
import Heraclitus
import HeraclitusInspecting
import HeraclitusTesting
import Testing

@testable import Fixtures

@Suite("SCXML") struct SCXMLTests {
    final class OddState: WorkflowState, EmptyState { static var name: String { "1 odd_x20_ \"name\" <é>" } }
    final class EndState: WorkflowState, EmptyState { static var name: String { "end" } }

    struct Odd: Workflow {
        static var initial: any WorkflowState { OddState() }
        let go = Event("go. *", from: OddState.self, to: OddState.self, EndState.self)
    }

    @Test("States and transitions have names that XML allows, and an update has no target")
    func text() {
        #expect(
            Door.table.scxml() == """
                <?xml version="1.0" encoding="UTF-8"?>
                <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" datamodel="null" name="Door" initial="ClosedState">
                    <state id="ClosedState">
                        <transition event="open" target="OpenState"/>
                        <transition event="lock" target="LockedState"/>
                        <transition event="smash" target="SmashedState"/>
                    </state>
                    <state id="OpenState">
                        <transition event="close" target="ClosedState"/>
                        <transition event="swing"/>
                        <transition event="smash" target="SmashedState"/>
                    </state>
                    <state id="LockedState">
                        <transition event="unlock" target="ClosedState"/>
                        <transition event="smash" target="SmashedState"/>
                    </state>
                    <final id="SmashedState"/>
                </scxml>

                """
        )
        let odd = Odd.table.scxml()
        #expect(
            odd.contains(
                #"initial="_x0031__x0020_odd_x005f_x20__x0020__x0022_name_x0022__x0020__x003c__x00e9__x003e_""#
            )
        )
        #expect(odd.contains(#"<transition event="go_x002e__x0020__x002a_.end" target="end"/>"#))
    }

    final class DoneState: WorkflowState, EmptyState { static var name: String { "done" } }

    struct Work: Workflow {
        static var initial: any WorkflowState { EndState() }
        let done = Event(from: EndState.self, to: DoneState.self)
        let error = Event(from: DoneState.self, to: EndState.self)
    }

    @Test("Events with the names of the platform's events have other names in SCXML")
    func platformNames() throws {
        let work = Work.table
        let text = work.scxml()
        #expect(text.contains(#"event="_x0064_one""#) && text.contains(#"event="_x0065_rror""#))
        #expect(text.contains(#"id="done""#))
        let read = try TransitionTable(scxml: text)
        #expect(read.events == work.events && read.states == work.states)
    }

    final class PairState: Composite {
        let bells: [StateMachine<Work>]
        init(_ bells: [StateMachine<Work>]) { self.bells = bells }
        var regions: [any Region] { bells }
        func copied() -> PairState { PairState(bells.map { $0.copy() }) }
    }

    struct Pair: Workflow {
        static var initial: any WorkflowState { PairState([StateMachine<Work>(), StateMachine<Work>()]) }
        let other = Event("Work", from: PairState.self, to: EndState.self)
    }

    @Test("Events of machines are told from an event with the name of the machines")
    func regionNames() {
        let text = Pair.table.scxml()
        #expect(text.contains(#"event="_x_Work._x0064_one""#) && text.contains(#"event="_x_Work.2._x0064_one""#))
    }

    // MARK: Reading

    @Test("Names that a table has encoded are decoded, and other names stay as they are")
    func decodedNames() throws {
        let read = try TransitionTable(
            scxml: """
                <scxml><state id="grid_x1_y2"><transition event="move_x10_y20" target="a_x0041_"/></state>
                <state id="a_x0041_"/><state id="a_x00E9_"/><state id="a_x00020_b"/><state id="_x005f_a"/>
                <state id="a_x0020_b"/><state id="a._x0031_.b_x1_"/></scxml>
                """
        )
        let names = ["grid_x1_y2", "a_x0041_", "a_x00E9_", "a_x00020_b", "_x005f_a", "a b", "a.1.b_x1_"]
        #expect(read.states == names && read.events.map(\.name) == ["move_x10_y20"])
    }

    @Test("A number of a character is digits alone", arguments: ["&#+65;", "&#x+41;", "&#-1;", "&#;"])
    func references(_ reference: String) {
        let document =
            "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" name=\"\(reference)\"><state id=\"A\"/></scxml>"
        let error = #expect(throws: ArchiveError.self) { try TransitionTable(scxml: document) }
        #expect(error?.problems.first?.explanation == "There is no character \(reference).")
    }

    @Test("A table's names are read as written, with any characters")
    func namesBothWays() throws {
        let names = [
            "", "_", "__", "_x", "_x_", "_x0020_", "__x0020_", "_x005f_", "a b", "a_x0020_b", " x", "_ x", "grid_x1_y2",
            "grid\u{1}y2", "\0", "done", "_x0064_one", "-1", "a.b", "a_x002e_b", ".", "\u{E9}", "\u{1F600}",
            "\u{10FFFF}",
        ]
        let value: JSONValue = [
            "workflow": "_x0020_", "states": .array(names.map { .string($0) }), "initial": "",
            "events": .array(
                names.map { name -> JSONValue in
                    ["name": .string(name), "transitions": [["from": "", "to": .string(name)]]]
                }
            ),
        ]
        let table = try value.decoded(as: TransitionTable.self)
        let read = try TransitionTable(scxml: table.scxml())
        #expect(read.workflow == table.workflow)
        #expect(read.states == names)
        #expect(read.events.map(\.name) == names)
    }

    @Test(
        "Two states or two events with one name are a problem",
        arguments: [
            "<state id=\"a.b\"/>\n<state id=\"a_x002e_b\"/>", "<state id=\"a_x002e_b\"/>\n<state id=\"a_x002e_b\"/>",
            "<state id=\"a\"><transition event=\"a.b a_x002e_b\" target=\"a\"/></state>",
        ]
    )
    func oneName(content: String) {
        let error = #expect(throws: ArchiveError.self) { try TransitionTable(scxml: "<scxml>\(content)</scxml>") }
        #expect(error?.problems.map(\.name) == ["a_x002e_b"])
    }

    @Test("A nearer transition replaces the inherited ones of its event to several states")
    func nearer() throws {
        let table = try TransitionTable(
            scxml: """
                <scxml>
                  <state id="Outer">
                    <transition event="go.B" target="B"/>
                    <transition event="go.C" target="C"/>
                    <state id="Leaf"><transition event="go" target="X"/></state>
                    <state id="Other"/>
                  </state>
                  <final id="B"/><final id="C"/><final id="X"/>
                </scxml>
                """
        )
        #expect(table["go"]?.transitions.map(\.text) == ["Leaf → X", "Other → B", "Other → C"])
    }

    @Test(
        "A mistake in a transition of an outer state is one problem, whatever its inner states have",
        arguments: [
            (
                "<state id='P'><transition event='e' target='X'/><state id='a'><transition event='e' target='a'/></state></state>",
                ["There is no state X."]
            ),
            (
                "<state id='P'><transition event='e' target='a'/><transition event='e' target='b'/><state id='a'/><state id='b'/></state>",
                ["An earlier transition is for this event."]
            ),
            (
                "<state id='P'><transition event='e' target='X'/>\((0..<150).map { "<state id='s\($0)'/>" }.joined())</state>"
                    + "<state id='Q'><transition event='f' target='Y'/></state>",
                ["There is no state X.", "There is no state Y."]
            ),
        ]
    )
    func outerMistakes(content: String, explanations: [String]) {
        let error = #expect(throws: ArchiveError.self) { try TransitionTable(scxml: "<scxml>\(content)</scxml>") }
        #expect(error?.problems.map(\.explanation) == explanations)
    }

    @Test("An event of another program keeps its name, although it ends with the name of its target")
    func foreignNames() throws {
        let read = try TransitionTable(
            scxml: """
                <scxml>
                  <state id="off">
                    <transition event="goto.red" target="red"/>
                    <transition event="goto.green" target="green"/>
                  </state>
                  <state id="green"><transition event="goto.red" target="red"/></state>
                  <state id="red"/>
                </scxml>
                """
        )
        #expect(read.events.map(\.name) == ["goto.red", "goto.green"])
    }

    @Test(
        "A problem of an event's name is in the line of its first transition",
        arguments: [("go", "go.on", "go"), ("a.b", "a_x002e_b", "a_x002e_b")]
    )
    func lines(first: String, second: String, name: String) {
        let error = #expect(throws: ArchiveError.self) {
            try TransitionTable(
                scxml: """
                    <scxml>
                      <state id="a"><transition event="\(first)" target="b"/></state>
                      <state id="b"><transition event="\(second)" target="a"/></state>
                    </scxml>
                    """
            )
        }
        #expect(error?.problems.map { "\($0.line) \($0.name)" } == ["\(name == first ? 2 : 3) \(name)"])
    }

    @Test(
        "An element that does not end is named with its line",
        arguments: [
            (
                "<scxml>\n<state id=\"A\">\n</scxml>",
                "3 The element state of line 2 does not end before the element scxml."
            ),
            ("<scxml>\n<state id=\"A\">\n\n", "2 The element state does not end."),
            ("<!-- -->\n</scxml>", "2 The element scxml ends here and did not begin."),
        ]
    )
    func openElements(document: String, problem: String) {
        let error = #expect(throws: ArchiveError.self) { try TransitionTable(scxml: document) }
        #expect(error?.problems.map { "\($0.line) \($0.explanation)" } == [problem])
    }

    @Test("Problems come in the order of the document, 100 at most, of which the text has 20")
    func problems() {
        let broken = "<scxml>\n" + String(repeating: "<history/>\n", count: 150) + "</state>"
        let initials = (0..<150).map { "\n<state id=\"s\($0)\" initial=\"none\"><state id=\"t\($0)\"/></state>" }
        for document in [broken, "<scxml>\(initials.joined())</scxml>"] {
            let error = #expect(throws: ArchiveError.self) { try TransitionTable(scxml: document) }
            #expect(error?.problems.map(\.line) == Array(2...101))
            let lines = error?.description.split(separator: "\n") ?? []
            #expect(lines.count == 20 && lines.last?.hasPrefix("  line 21, ") == true)
        }
    }

    // MARK: Another reader

    @Test(
        "A reader of SCXML makes exactly the transitions of the table",
        .enabled(if: SCXMLTests.python != nil)
    )
    func read() throws {
        for table in [Door.table, Download.table, Playback.table, Odd.table] {
            // Random paths, mixed with events of other states.
            var seed = Seed(9)
            let walks =
                table.paths(covering: .randomWalks(5, length: 40, seed: 2)) + table.paths(covering: .transitions)
            var script: [[String]] = []
            var expected: [[String]] = []
            for walk in walks {
                var state = walk.start
                var sent: [String] = []
                var entered: [String] = []
                for step in walk.steps {
                    let strange = table.events.filter { event in !event.transitions.contains { $0.from == state } }
                    if let other = strange.randomElement(using: &seed) {
                        sent.append(name(other.name))
                        entered.append(name(state))
                    }
                    let several = table[step.event]?.transitions.count { $0.from == state } ?? 0
                    sent.append(name(step.event) + (several > 1 ? ".\(name(step.to))" : ""))
                    entered.append(name(step.to))
                    state = step.to
                }
                script.append(sent)
                expected.append(entered)
            }
            let answer = try Self.run(table.scxml(), script)
            #expect(answer.map { $0.flatMap(\.self) } == expected, "\(table.workflow)")
        }
    }

    /// The document's form of a name.
    private func name(_ text: String) -> String {
        text.unicodeScalars.enumerated().map { index, scalar in
            let isLetter = scalar.isASCII && scalar.properties.isAlphabetic
            let isDigit = scalar.isASCII && scalar.properties.numericType != nil
            let isNumbered = text.dropFirst(index).hasPrefix("_x")
            if isLetter || (index > 0 && isDigit) || (scalar == "_" && !isNumbered) { return String(scalar) }
            return String(format: "_x%04x_", scalar.value)
        }.joined()
    }

    /// Sends events to machines of the reader, and returns the states after each event.
    static func run(_ document: String, _ script: [[String]]) throws -> [[[String]]] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(document.utf8).write(to: folder.appendingPathComponent("workflow.scxml"))
        try JSONEncoder().encode(script).write(to: folder.appendingPathComponent("script.json"))
        let program = """
            import json
            from statemachine.io.scxml.processor import SCXMLProcessor
            answers = []
            for events in json.load(open("script.json")):
                reader = SCXMLProcessor()
                reader.parse_scxml("workflow", open("workflow.scxml").read())
                machine = reader.start()
                answers.append([])
                for event in events:
                    machine.send(event)
                    answers[-1].append([state.id for state in machine.configuration])
            json.dump(answers, open("answers.json", "w"))
            """
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(Self.python))
        process.currentDirectoryURL = folder
        process.arguments = ["-c", program]
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return try JSONDecoder().decode(
            [[[String]]].self,
            from: Data(contentsOf: folder.appendingPathComponent("answers.json"))
        )
    }

    /// A Python with the package `python-statemachine`: of the environment `.build/scxml`, or the system's.
    static let python = [
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent(".build/scxml/bin/python3").path,
        "/usr/bin/python3", "/usr/local/bin/python3",
    ].first { path in
        guard FileManager.default.isExecutableFile(atPath: path) else { return false }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = ["-c", "import statemachine.io.scxml"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    @Test("An initial state of a state without inner states is refused")
    func initialOfLeaf() {
        for content in [
            "<state id='a' initial='b'/>", "<state id='a'><initial><transition target='b'/></initial></state>",
        ] {
            let document = "<scxml>\(content)<state id='b'/></scxml>"
            let error = #expect(throws: ArchiveError.self) { try TransitionTable(scxml: document) }
            #expect(error?.problems.map(\.explanation) == ["The initial state of a is not within it."])
        }
    }
}
