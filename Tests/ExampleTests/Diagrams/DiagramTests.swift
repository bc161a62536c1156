import Foundation
import Heraclitus
import HeraclitusInspecting
import Testing

/// The tables of the examples' workflows.
///
/// Each example has a file of its own here, because modules have workflows of the same name.
enum ExampleTables {
    /// The programs by the folder and name of the example.
    static let all: [(folder: String, program: String, tables: [TransitionTable])] = [
        ("Download", "download", download), ("DpkgReplay", "dpkg-replay", dpkgReplay),
        ("FirstProgram", "first-program", firstProgram), ("Inbox", "inbox", inbox), ("Orders", "orders", orders),
        ("Session", "session", session), ("Subscription", "subscription", subscription),
        ("TrafficLight", "traffic-light", trafficLight),
    ]

    /// The files by the names in `workflow-diagram`.
    static let byName: [(name: String, table: TransitionTable)] = all.flatMap { example in
        example.tables.map { ("\(example.program)/\($0.workflow)", $0) }
    }
}

@Suite("Diagrams of examples") struct ExampleDiagramTests {
    /// Whether to write outdated files again: `HERACLITUS_WRITE_DIAGRAMS=yes swift test --filter ExampleDiagramTests`.
    private static let writes = ProcessInfo.processInfo.environment["HERACLITUS_WRITE_DIAGRAMS"] != nil

    private static func expect(_ text: String, in path: String) throws {
        if writes {
            let folder = (path as NSString).deletingLastPathComponent
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try text.write(toFile: path, atomically: true, encoding: .utf8)
        }
        let found = try String(contentsOfFile: path, encoding: .utf8)
        #expect(found == text, "\(path) is to be:\n\(text)")
    }

    @Test("Each README ends with the diagrams of its workflows", arguments: ExampleTables.all.indices)
    func readmes(example: Int) throws {
        let (folder, _, tables) = ExampleTables.all[example]
        let path = "\(packageFolder)/Examples/\(folder)/README.md"
        let readme = try String(contentsOfFile: path, encoding: .utf8)
        let diagrams = tables.map { table in
            (tables.count > 1 ? "`\(table.workflow)`:\n\n" : "") + "```mermaid\n\(table.diagram(.mermaid))```\n"
        }
        let head = readme.components(separatedBy: "\n## Diagram\n")[0]
        try Self.expect("\(head)\n## Diagram\n\n\(diagrams.joined(separator: "\n"))", in: path)
    }

    @Test("The program's tables are those of the examples", arguments: ExampleTables.byName.indices)
    func tables(number: Int) throws {
        let (name, table) = ExampleTables.byName[number]
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        let json = String(decoding: try encoder.encode(table), as: UTF8.self) + "\n"
        try Self.expect(json, in: "\(packageFolder)/Examples/WorkflowDiagram/Tables/\(name).json")
    }

    @Test("The program lists each example that has a workflow")
    func list() throws {
        let run = try run("workflow-diagram", [])
        #expect(run.output.split(separator: "\n").map(String.init) == ExampleTables.byName.map(\.name).sorted())
        #expect(run.status == 0 && run.errors == "")
        for folder in try FileManager.default.contentsOfDirectory(atPath: packageFolder + "/Examples") {
            // Their workflows are the library's own, or data, or measured. `Usage` has none.
            let others = ["Approval", "Benchmark", "Databases", "Operations", "Usage", "WorkflowDiagram"]
            if others.contains(folder) { continue }
            #expect(ExampleTables.all.contains { $0.folder == folder }, "\(folder)")
        }
    }

    @Test("The program prints a table's diagrams in each format")
    func formats() throws {
        for (name, table) in ExampleTables.byName {
            for (format, text) in [
                ("mermaid", table.diagram()), ("dot", table.diagram(.dot)), ("scxml", table.scxml()),
            ] {
                let run = try run("workflow-diagram", [name, "--format", format])
                #expect(run.output == text && run.status == 0 && run.errors == "", "\(name)")
            }
        }
    }

    @Test("The program writes files of a user's table or archive, with the current state marked")
    func files() throws {
        let folder = try TemporaryDirectory()
        let all = try run("workflow-diagram", ["--all", "--to", folder.path])
        let written = all.output.split(separator: "\n").map(String.init)
        #expect(written.count == 3 * ExampleTables.byName.count && written.contains("\(folder.path)/orders/Order.dot"))
        for path in written { #expect(!(try String(contentsOfFile: path, encoding: .utf8)).isEmpty) }

        let machine = StateMachine<Own>()
        try machine.fire.go()
        let archive = folder.file("own.json")
        try machine.archive(includingDefinition: true).write(to: URL(fileURLWithPath: archive))
        #expect(try run("workflow-diagram", [archive]).output == Own.table.diagram(.mermaid, current: "OtherState"))
        let table = String(decoding: try JSONEncoder().encode(Own.table), as: UTF8.self)
        #expect(
            try run("workflow-diagram", ["-", "--format", "dot"], input: folder.write(table, to: "t")).output
                == Own.table.diagram(.dot)
        )
    }

    @Test("Names of files and workflows stay within the folder")
    func names() throws {
        let place = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: place.file("a"), withIntermediateDirectories: true)
        let table = String(decoding: try JSONEncoder().encode(Own.table), as: UTF8.self)
        func written(_ name: String, input: String? = nil) throws -> [String] {
            let out = place.file("out")
            let run = try run("workflow-diagram", [name, "--to", out], input: input, in: place.path)
            #expect(run.status == 0 && run.errors == "")
            return run.output.split(separator: "\n").map { String($0.dropFirst(out.count + 1)) }
        }
        for (workflow, stem) in [
            ("../../x/evil", ".._.._x_evil"), ("..", "workflow"), ("", "workflow"), (" ", "workflow"), ("/", "_"),
        ] {
            let evil = table.replacingOccurrences(of: #""workflow":"Own""#, with: #""workflow":"\#(workflow)""#)
            let files = try written("-", input: place.write(evil, to: "evil"))
            #expect(files == ["\(stem).dot", "\(stem).mmd", "\(stem).scxml"])
        }
        _ = try place.write(table, to: "a/t.table")
        #expect(try written("a/t.table") == ["t.table.dot", "t.table.mmd", "t.table.scxml"])
        #expect(try written(place.file("a/../a/t.table")).first == "t.table.dot")
    }

    @Test("Two workflows with the same file names are refused before anything is written")
    func sameFiles() throws {
        let place = try TemporaryDirectory()
        let table = String(decoding: try JSONEncoder().encode(Own.table), as: UTF8.self)
        for folder in ["a", "b"] {
            try FileManager.default.createDirectory(atPath: place.file(folder), withIntermediateDirectories: true)
            _ = try place.write(table, to: "\(folder)/t.json")
        }
        let run = try run("workflow-diagram", ["a/t.json", "b/t.json", "--to", "out"], in: place.path)
        #expect(run.status == 2 && run.output == "")
        #expect(run.errors == "heraclitus-workflow-diagram: a/t.json and b/t.json would both be written to t.\n")
        #expect(!FileManager.default.fileExists(atPath: place.file("out")))
    }

    @Test("An archive may hold deep data")
    func deep() throws {
        let place = try TemporaryDirectory()
        let machine = StateMachine<Own>()
        let archive = String(decoding: try machine.archive(includingDefinition: true), as: UTF8.self)
        let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
        let changed = archive.replacingOccurrences(of: #""data":{}"#, with: #""data":{"list":\#(deep)}"#)
        #expect(changed != archive)
        let run = try run("workflow-diagram", [place.write(changed, to: "deep.json")])
        #expect(run.output == Own.table.diagram(.mermaid, current: "OneState") && run.errors == "")
    }

    final class OneState: EmptyState {}
    final class OtherState: EmptyState {}
    struct Own: Workflow {
        static var initial: any WorkflowState { OneState() }
        let go = Event(from: OneState.self, to: OtherState.self)
    }

    @Test("An unknown name is refused")
    func unknownName() throws {
        let run = try run("workflow-diagram", ["nowhere"])
        let text = "nowhere is neither a workflow of the examples nor a file that can be read."
        #expect(run.status == 2 && run.output == "" && run.errors == "heraclitus-workflow-diagram: \(text)\n")
    }

    @Test(
        "Wrong arguments are refused with one sentence and the usage",
        arguments: [
            (["--format", "svg"], "--format is one of dot, mermaid, scxml, not svg."),
            (["--colour"], "There is no option --colour."), (["--to"], "--to needs a value."),
        ]
    )
    func refusals(arguments: [String], text: String) throws {
        let run = try run("workflow-diagram", arguments)
        #expect(run.status == 64 && run.output == "")
        #expect(run.errors.hasPrefix("heraclitus-workflow-diagram: \(text)\nusage: heraclitus-workflow-diagram"))
    }
}
