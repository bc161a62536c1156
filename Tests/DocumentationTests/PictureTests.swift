import Foundation
import Heraclitus
import HeraclitusInspecting
import Testing

/// A diagram of an article's workflow, which the library describes in DOT and Graphviz draws.
struct Picture: Sendable {
    /// The name of the picture's files, and of the image in the article.
    let name: String
    let page: String
    let table: TransitionTable

    static let all = [download, light, bill, order, ticket]
}

@Suite("Pictures of articles") struct PictureTests {
    /// Whether to draw the pictures again: `HERACLITUS_WRITE_DIAGRAMS=yes swift test --filter PictureTests`.
    private static let draws = ProcessInfo.processInfo.environment["HERACLITUS_WRITE_DIAGRAMS"] != nil

    @Test("A picture shows the library's current DOT", arguments: Picture.all.indices, ["light", "dark"])
    func inStep(number: Int, theme: String) throws {
        let picture = Picture.all[number]
        let page = try Documentation.path(of: picture.page)
        #expect(try Documentation.text(page).contains("](\(picture.name))"), "\(page) does not show \(picture.name)")
        let catalog = page.prefix { $0 != "." } + ".docc"
        let file = "\(catalog)/Resources/\(picture.name)\(theme == "dark" ? "~dark" : "").svg"
        let dot = Self.dot(of: picture.table, theme)
        if Self.draws { try Self.draw(dot, to: Documentation.root.appendingPathComponent(file)) }
        let hint = "HERACLITUS_WRITE_DIAGRAMS=yes swift test --filter PictureTests draws it"
        #expect(try Documentation.text(file).contains(Self.comment(dot)), "\(file) is of another diagram: \(hint)")
    }

    /// The library's DOT in the colours of a light or dark page.
    private static func dot(of table: TransitionTable, _ theme: String) -> String {
        let (foreground, background) = theme == "dark" ? ("#e6e6e6", "#1e1e1e") : ("#1a1a1a", "#ffffff")
        let own = "color=\"\(foreground)\", fontcolor=\"\(foreground)\", fontname=\"Helvetica\""
        let colours = [
            "bgcolor=\"\(background)\";", "color=\"\(foreground)\";", "fontcolor=\"\(foreground)\";",
            "fontname=\"Helvetica\";", "node [\(own)];", "edge [\(own)];",
        ]
        let shape = "    node [shape=box, style=rounded];\n"
        return table.diagram(.dot)
            .replacing(shape, with: colours.map { "    \($0)\n" }.joined() + shape)
            .replacing("fillcolor=black", with: "fillcolor=\"\(foreground)\"")
    }

    /// A comment of XML with the DOT of a picture.
    ///
    /// Two hyphens would end the comment.
    private static func comment(_ dot: String) -> String { "<!--\n\(dot.replacing("--", with: "- -"))-->" }

    private static func draw(_ dot: String, to file: URL) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let source = folder.appendingPathComponent("picture.dot")
        let drawing = folder.appendingPathComponent("picture.svg")
        try dot.write(to: source, atomically: true, encoding: .utf8)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["dot", "-Tsvg", "-o", drawing.path, source.path]
        try process.run()
        process.waitUntilExit()
        let svg = try String(contentsOf: drawing, encoding: .utf8)
        let start = try #require(svg.firstRange(of: "<svg "))
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try "\(comment(dot))\n\(svg[start.lowerBound...])".write(to: file, atomically: true, encoding: .utf8)
    }
}
