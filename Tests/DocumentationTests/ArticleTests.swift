import Foundation
import Testing

@Suite("Articles") struct ArticleTests {
    private static let folders = Documentation.articles.filter { path in
        Documentation.kinds.contains { path.contains(".docc/\($0)/") }
    }

    @Test("The catalog has sixteen articles in three folders and a page for each module")
    func found() {
        #expect(Self.folders.count == 16, "\(Self.folders)")
        for module in ["", "Foundation", "Inspecting", "Stores", "Tables", "Testing"].map({ "Heraclitus\($0)" }) {
            #expect(Documentation.articles.contains("Sources/\(module)/\(module).docc/\(module).md"))
        }
    }

    @Test("An article has at most 1,200 words", arguments: folders)
    func short(article: String) throws {
        let words = try Documentation.text(article).split(whereSeparator: \.isWhitespace).count
        #expect(words <= 1_200, "\(words) words")
    }

    @Test("The code of each article is compiled, word for word", arguments: Documentation.articles)
    func compiled(article: String) throws {
        let files = Documentation.compiled(for: article)
        let compiled = try files.map { Documentation.lines(try Documentation.text($0)) }
        // `FindingMistakes` has invalid code, whose messages its own tests compare.
        let limit = article.hasSuffix("/FindingMistakes.md") ? 1 : Int.max
        for block in try Documentation.blocks(article, language: "swift").prefix(limit) {
            let block = Documentation.lines(block)
            // The lines of a package manifest.
            let manifest = [".package(", ".executableTarget(", ".testTarget("]
            if block.allSatisfy({ line in manifest.contains { line.hasPrefix($0) } }) { continue }
            let isThere = compiled.contains { lines in
                lines.indices.contains { lines[$0...].starts(with: block) }
            }
            #expect(isThere, "\(files) do not have:\n\(block.joined(separator: "\n"))")
        }
    }

    @Test("The source files that articles about the internals name exist")
    func files() throws {
        let names = try Documentation.articles.filter { $0.contains("/Internals/") }.flatMap { article in
            try Documentation.text(article).matches(of: #/`(\w+/[\w/]+\.swift)`/#).map { String($0.1) }
        }
        #expect(names.count > 5)
        for name in names {
            let file = Documentation.root.appendingPathComponent("Sources/Heraclitus/\(name)")
            #expect(FileManager.default.fileExists(atPath: file.path), "\(name)")
        }
    }

    @Test("The performance article prints the counted instructions, to a tenth")
    func performance() throws {
        struct Figure: Decodable { let instructions: Int }
        let figures = try JSONDecoder().decode(
            [String: Figure].self,
            from: Data(Documentation.text(".ci/cost/figures.json").utf8)
        )
        let rows = try Documentation.text(Documentation.path(of: "Performance"))
            .matches(of: #/\| ([^|]+) \| ([0-9,]+) \|/#)
            .map { (String($0.1), Int($0.2.replacing(",", with: "")) ?? 0) }
        let names = [
            "transition-bare", "transition", "transition-observed", "transition-closures", "transition-built", "inner",
            "rejection", "ignored", "making", "reading", "archive", "foundation-encode", "restore",
            "foundation-decode",
        ]
        #expect(rows.count == names.count)
        for (row, name) in zip(rows, names) {
            let counted = try #require(figures[name]).instructions
            #expect(abs(row.1 - counted) * 10 <= counted, "\(row.0): \(counted)")
        }
    }
}
