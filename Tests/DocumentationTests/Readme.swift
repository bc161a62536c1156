import Foundation
import Heraclitus
import HeraclitusInspecting
import Testing

@testable import FirstProgramExample

@Suite("README") struct ReadmeTests {
    @Test("The first program is the example, with at most 40 lines and without unchecked Sendable")
    func firstProgram() throws {
        // The example answers `--help` before the README's program begins.
        let program = try Documentation.text("Examples/FirstProgram/main.swift")
            .replacing("import ExampleUsage\n", with: "")
            .replacing(/readNoArguments.+\n\n/, with: "")
        #expect(try Documentation.blocks("README.md", language: "swift").contains(program))
        #expect(program.split(separator: "\n", omittingEmptySubsequences: false).count <= 41)
        #expect(!program.contains("@unchecked"))
    }

    @Test("The README prints the output of the first program")
    func output() throws {
        let output = try Documentation.text("Tests/ExampleTests/Outputs/first-program.txt")
        #expect(try Documentation.blocks("README.md", language: "").contains(output))

        let machine = StateMachine<Download>()
        try machine.fire.load(LoadingState(url: "https://example.org"))
        let error = try #require(throws: InvalidTransition.self) { try machine.fire.load(LoadingState(url: "")) }
        let archive = try machine.archive()
        let restored = try StateMachine<Download>(archive: archive)
        let before = "\(machine)"
        try restored.fire.finish(LoadedState(byteCount: 1256))
        #expect(output == "\(before)\n\(error)\n\(String(decoding: archive, as: UTF8.self))\n\(restored)\n")
    }

    @Test("The README has at most 900 words and the licence")
    func length() throws {
        let parts = try Documentation.text("README.md").components(separatedBy: "\n## Licence\n")
        #expect(parts.count == 2 && parts[1].contains("MIT License"))
        #expect(parts[0].split(whereSeparator: \.isWhitespace).count <= 900)
    }

    @Test("The README has the diagram of the first program's workflow")
    func diagram() throws {
        let diagram = Download.table.diagram()
        #expect(try Documentation.blocks("README.md", language: "mermaid") == [diagram], "\(diagram)")
    }

    @Test("Every link leads to a file")
    func links() throws {
        let readme = try Documentation.text("README.md")
        let targets = readme.matches(of: /\]\(([^)]+)\)/).map { String($0.1) }
        #expect(targets.count > 20)
        for target in targets {
            #expect(
                FileManager.default.fileExists(atPath: Documentation.root.appendingPathComponent(target).path),
                "\(target)"
            )
        }
    }
}
