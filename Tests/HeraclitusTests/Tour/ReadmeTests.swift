import Foundation
import Heraclitus
import Testing

@Suite("README") struct ReadmeTests {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    static let root = folder.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The lines of a text without their indentation.
    static func lines(_ text: some StringProtocol) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    static func text(_ file: URL) throws -> String { try String(contentsOf: file, encoding: .utf8) }

    @Test("All code of the README is compiled and run, word for word")
    func code() throws {
        let compiled = Self.lines(try Self.text(Self.folder.appendingPathComponent("Tour.swift")))
        let readme = try Self.text(Self.root.appendingPathComponent("README.md"))
        let blocks = readme.components(separatedBy: "```swift\n").dropFirst().map {
            Self.lines($0.components(separatedBy: "```")[0])
        }.filter { $0.first?.hasPrefix(".") == false }
        #expect(blocks.count == 5)
        for block in blocks {
            let isThere = compiled.indices.contains { compiled[$0...].starts(with: block) }
            #expect(isThere, "\(block.joined(separator: "\n"))")
        }
    }

    @Test("The README's error is the one that is thrown")
    func error() throws {
        let readme = try Self.text(Self.root.appendingPathComponent("README.md"))
        let machine = StateMachine<Download>(alreadyIn: FailureState(.timedOut))
        let error = try #require(throws: InvalidTransition.self) { try machine.fire.cancel() }
        #expect(readme.contains("```\n\(error)\n```"))
    }
}
