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
        #expect(odd.contains(#"initial="_x31__x20_odd_x5f_x20__x20__x22_name_x22__x20__x3c__xe9__x3e_""#))
        #expect(odd.contains(#"<transition event="go_x2e__x20__x2a_.end" target="end"/>"#))
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
        #expect(text.contains(#"event="_x64_one""#) && text.contains(#"event="_x65_rror""#))
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
        #expect(text.contains(#"event="_x_Work._x64_one""#) && text.contains(#"event="_x_Work.2._x64_one""#))
    }

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
            return "_x\(String(scalar.value, radix: 16))_"
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
}
