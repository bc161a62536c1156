import Foundation
import Testing

@testable import OrdersDeskExample

@Suite("Terminal sessions of READMEs") struct SessionTests {
    @Test(
        "A README prints the program's output",
        arguments: ["Orders", "WorkflowDiagram"]
    )
    func session(of example: String) throws {
        let readme = try String(contentsOfFile: packageFolder + "/Examples/\(example)/README.md", encoding: .utf8)
        let command = "$ swift run heraclitus-"
        let printed = try #require(readme.components(separatedBy: "```\n").first { $0.hasPrefix(command) })
        let folder = try TemporaryDirectory()
        var said = ""
        for line in printed.split(separator: "\n") where line.hasPrefix("$ ") {
            let words = Command.words(of: String(line.dropFirst(command.count)))
            let run = try run(words[0], Array(words.dropFirst()), in: folder.path)
            said += line + "\n" + run.output + run.errors
        }
        #expect(said == printed)
    }
}
