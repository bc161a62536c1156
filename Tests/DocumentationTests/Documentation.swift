import Foundation
import Testing

/// The README, the articles, and their compiled code.
enum Documentation {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The folders of a catalog with articles.
    ///
    /// The pages of modules and symbols are in other folders.
    static let kinds = ["Guides", "Reference", "Internals"]

    /// The paths of all articles, pages and READMEs, from the package's folder.
    static let articles: [String] = {
        let catalogs = subfolders(of: "Sources").map { "\($0)/\(name(of: $0)).docc" }
        let folders = catalogs + catalogs.flatMap(subfolders) + subfolders(of: "Examples")
        return ["README.md"] + folders.flatMap { folder in files(in: folder).filter { $0.hasSuffix(".md") } }.sorted()
    }()

    /// The path of the article or page with a name.
    static func path(of article: String) throws -> String {
        try #require(articles.first { $0.hasSuffix("/\(article).md") })
    }

    /// The text of a file of the package.
    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    /// The blocks of code of one language in an article, each with its last line feed.
    static func blocks(_ path: String, language: String) throws -> [String] {
        var blocks: [String] = []
        var current: (language: Substring, lines: [Substring])?
        for line in try text(path).split(separator: "\n", omittingEmptySubsequences: false) {
            switch current {
            case nil where line.hasPrefix("```"): current = (line.dropFirst(3), [])
            case nil: break
            case let block? where line == "```":
                if block.language == language { blocks.append(block.lines.map { $0 + "\n" }.joined()) }
                current = nil
            case _?: current?.lines.append(line)
            }
        }
        return blocks
    }

    /// The files with an article's compiled code.
    ///
    /// They are tests with the article's name or in a folder of that name, or the article's example.
    static func compiled(for article: String) -> [String] {
        let name = name(of: article) == "README.md" ? "Readme" : String(name(of: article).dropLast(3))
        let own = ["DocumentationTests", "MainActorTests", "PublicModule"].map { "Tests/\($0)/\(name).swift" }
        let example =
            article.hasPrefix("Examples/") ? String(article.dropLast("/README.md".count)) : "Examples/FirstProgram"
        let folder = name == "Readme" ? example : "Tests/DocumentationTests/\(name)"
        return own.filter { FileManager.default.fileExists(atPath: root.appendingPathComponent($0).path) }
            + files(in: folder).filter { $0.hasSuffix(".swift") }
    }

    /// The lines of code without indentation and access level, which articles leave out.
    static func lines(_ code: String) -> [String] {
        code.split(separator: "\n").map { line in
            let line = line.trimmingCharacters(in: .whitespaces)
            for access in ["private ", "fileprivate "] {
                if line.hasPrefix(access) { return String(line.dropFirst(access.count)) }
                if line.hasPrefix("@MainActor " + access) {
                    return line.replacing(access, with: "", maxReplacements: 1)
                }
            }
            return line
        }.filter { !$0.isEmpty && !answersHelp($0) }
    }

    /// Whether a line of the first program belongs to its answer to `--help`, which the README leaves out.
    private static func answersHelp(_ line: String) -> Bool {
        line == "import ExampleUsage" || line.hasPrefix("readNoArguments(")
    }

    private static func name(of path: String) -> String { (path as NSString).lastPathComponent }

    private static func subfolders(of folder: String) -> [String] {
        children(of: folder).filter { $0.hasDirectoryPath }.map { "\(folder)/\($0.lastPathComponent)" }
    }

    private static func files(in folder: String) -> [String] {
        children(of: folder).filter { !$0.hasDirectoryPath }.map { "\(folder)/\($0.lastPathComponent)" }
    }

    private static func children(of folder: String) -> [URL] {
        let found = try? FileManager.default.contentsOfDirectory(
            at: root.appendingPathComponent(folder),
            includingPropertiesForKeys: [.isDirectoryKey]
        )
        return found ?? []
    }
}

/// Expects that an article prints a text as a block of JSON.
func expectBlock(_ text: String, in article: String) throws {
    let blocks = try Documentation.blocks(Documentation.path(of: article), language: "json")
    #expect(blocks.contains(text + "\n"), "\(article) does not print \(text)")
}
