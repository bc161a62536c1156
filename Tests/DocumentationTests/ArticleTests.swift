import Testing

@Suite("Articles") struct ArticleTests {
    @Test("All articles are found")
    func found() {
        #expect(Documentation.articles.count > 25, "\(Documentation.articles)")
    }

    @Test("All code of an article is compiled, word for word", arguments: Documentation.articles)
    func compiled(article: String) throws {
        let files = Documentation.compiled(for: article)
        let compiled = try files.map { Documentation.lines(try Documentation.text($0)) }
        // `FindingMistakes` has code that does not compile: its own tests look at what the compiler says.
        let limit = article.hasSuffix("/FindingMistakes.md") ? 1 : Int.max
        for block in try Documentation.blocks(article, language: "swift").prefix(limit) {
            let block = Documentation.lines(block)
            // The lines for a package manifest.
            let manifest = [".package(", ".executableTarget(", ".testTarget("]
            if block.allSatisfy({ line in manifest.contains { line.hasPrefix($0) } }) { continue }
            let isThere = compiled.contains { lines in
                lines.indices.contains { lines[$0...].starts(with: block) }
            }
            #expect(isThere, "\(files) do not have:\n\(block.joined(separator: "\n"))")
        }
    }
}
