import Foundation
import Heraclitus
import Testing

private final class IdleState: EmptyState {}
private final class LoadingState: WorkflowState {
    let url: String
    init(url: String) { self.url = url }
}

private struct Download: Workflow {
    static var initial: any WorkflowState { IdleState() }
    let load = Event(from: IdleState.self, to: LoadingState.self)
    let cancel = Event(from: LoadingState.self, to: IdleState.self)
}

@MainActor private final class Model { var title = "" }

@Suite("Finding mistakes", .serialized) struct FindingMistakesTests {
    private static let article = "Sources/Heraclitus/Heraclitus.docc/Reference/FindingMistakes.md"

    /// The folder of the library's module, beside the tests.
    private static let modules = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("Modules").path

    @Test("The article's valid code runs")
    func works() throws {
        let machine = StateMachine<Download>()
        try machine.fire.load(LoadingState(url: "a"))
        try machine.fire.cancel()
        #expect(Download.diagnostics.isEmpty)
    }

    @Test("The compiler's message for each mistake is printed in the article")
    func messages() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var code = try Documentation.blocks(Self.article, language: "swift")
        let expected = try Documentation.blocks(Self.article, language: "")
        code = code.enumerated().map { index, block in
            let isDeclaration = ["final class", "class", "struct"].contains { block.hasPrefix($0) }
            let body = isDeclaration || index == 0 ? block : Self.function(block, index)
            return "import Heraclitus\n\n" + body
        }
        #expect(code.count == expected.count + 1 && code.count > 15)
        // The article has this message within a sentence.
        code.append("import Heraclitus\n\n" + Self.function("if machine.can.lode {}", code.count))
        code.append("import Heraclitus\n\n" + Self.function("if machine.is.lively {}", code.count))
        for (index, block) in code.enumerated() {
            try block.write(
                to: folder.appendingPathComponent("Mistake\(index).swift"),
                atomically: true,
                encoding: .utf8
            )
        }

        let output = try Self.compile(code.indices.map { "Mistake\($0).swift" }, in: folder)
        for (index, message) in expected.enumerated() {
            let lines = output.split(separator: "\n").filter { $0.contains("Mistake\(index + 1).swift:") }
            for error in message.split(separator: "\n") {
                #expect(error.hasPrefix("error: ") || error.hasPrefix("warning: "))
                #expect(lines.contains { $0.contains(error) }, "\(code[index + 1])\n\(lines.joined(separator: "\n"))")
            }
        }
        let question = "unavailable: the workflow has no property of this name with an event"
        #expect(output.contains("error: 'subscript(dynamicMember:)' is \(question)"))
        #expect(output.contains("error: type 'Download' has no member 'lively'"))
        #expect(try Documentation.text(Self.article).contains("`\(question)`"))
        let around = output.split(separator: "\n").filter { $0.hasPrefix("Mistake0.swift:") && $0.contains("error:") }
        #expect(around == [])
    }

    private static func function(_ body: String, _ index: Int) -> String {
        "func mistake\(index)(_ machine: StateMachine<Download>) async throws {\n\(body)}\n"
    }

    /// Type-checks files that import the library, and returns the compiler's messages.
    private static func compile(_ files: [String], in folder: URL) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.currentDirectoryURL = folder
        process.arguments =
            ["swiftc", "-typecheck", "-wmo", "-swift-version", "6", "-diagnostic-style", "llvm", "-I", modules] + files
        // The output goes to a file, because a pipe may fill up.
        let said = folder.appendingPathComponent("said.txt")
        try Data().write(to: said)
        process.standardError = try FileHandle(forWritingTo: said)
        try process.run()
        process.waitUntilExit()
        return try String(contentsOf: said, encoding: .utf8)
    }
}
