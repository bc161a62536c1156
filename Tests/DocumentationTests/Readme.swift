import Foundation
import Heraclitus
import HeraclitusInspecting
import Testing

@testable import FirstProgram

@Suite("README") struct ReadmeTests {
    @Test("The first program is the one that is run, has at most 25 lines and needs no unchecked Sendable")
    func firstProgram() throws {
        let program = try Documentation.text("Examples/FirstProgram/main.swift")
        #expect(try Documentation.blocks("README.md", language: "swift").contains(program))
        #expect(program.split(separator: "\n", omittingEmptySubsequences: false).count <= 26)
        #expect(!program.contains("@unchecked"))
    }

    @Test("The README has at most 900 words and the licence")
    func length() throws {
        let parts = try Documentation.text("README.md").components(separatedBy: "\n## Licence\n")
        #expect(parts.count == 2 && parts[1].contains("MIT License"))
        #expect(parts[0].split(whereSeparator: \.isWhitespace).count <= 900)
    }

    @Test("The diagram is that of the first program's workflow")
    func diagram() throws {
        let diagram = Download.table.mermaid()
        #expect(try Documentation.blocks("README.md", language: "mermaid") == [diagram], "\(diagram)")
    }

    @Test("The error and the archive are those of the first program")
    func errorAndArchive() throws {
        let machine = StateMachine<Download>()
        try machine.fire.load(LoadingState(url: "https://example.org"))
        try machine.fire.finish(LoadedState(byteCount: 1256))
        do {
            try machine.fire.cancel()
        } catch {  // `error` is an InvalidTransition
            print(error)
        }
        let error = try #require(throws: InvalidTransition.self) { try machine.fire.cancel() }
        #expect(try Documentation.blocks("README.md", language: "").contains("\(error)\n"))

        let json = try machine.archive()
        print(String(decoding: json, as: UTF8.self))

        let later = try StateMachine<Download>(archive: json)
        later.activate()  // calls `didRestore` of the state, and no entry hook
        #expect(
            try Documentation.blocks("README.md", language: "json") == [String(decoding: json, as: UTF8.self) + "\n"]
        )
        #expect(later.isActive && later.revision == 2)
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
