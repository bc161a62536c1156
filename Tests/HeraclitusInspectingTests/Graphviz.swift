import Foundation
import Testing

/// Graphviz, which draws texts in DOT.
enum Graphviz {
    /// The place of `dot`, if it is installed.
    private static let program = ["/usr/bin/dot", "/usr/local/bin/dot", "/opt/homebrew/bin/dot"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    static var isInstalled: Bool { program != nil }

    /// The drawings of texts in the form `plain`, and the messages of Graphviz.
    static func draw(_ texts: [String]) throws -> (drawings: String, messages: String) {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = texts.indices.map { folder.appendingPathComponent("\($0).dot") }
        for (text, file) in zip(texts, files) { try text.write(to: file, atomically: true, encoding: .utf8) }
        let messages = folder.appendingPathComponent("messages")
        try Data().write(to: messages)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(program))
        process.arguments = ["-Tplain"] + files.map(\.path)
        let output = Pipe()
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: messages)
        try process.run()
        let drawings = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return (drawings, try String(contentsOf: messages, encoding: .utf8))
    }
}
