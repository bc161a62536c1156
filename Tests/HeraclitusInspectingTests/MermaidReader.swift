import Foundation
import Testing

/// Mermaid itself, from a package that contains it, run by Node.js.
enum MermaidReader {
    /// A text for comparisons, without white space, which Mermaid shortens.
    ///
    /// A text of white space stays.
    ///
    /// An empty text is drawn as a space.
    static func shown(_ text: String) -> String {
        let visible = text.filter { !$0.isWhitespace }
        return visible.isEmpty ? (text.isEmpty ? " " : text) : visible
    }

    /// The content of a drawing.
    struct Drawing: Decodable {
        var error: String?
        var kind: String?

        /// The texts of states and arrows.
        var texts: [String] = []

        /// The beginnings and ends of a chart's bars, in milliseconds since 1970.
        var times: [Double] = []

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            error = try container.decodeIfPresent(String.self, forKey: .error)
            kind = try container.decodeIfPresent(String.self, forKey: .kind)
            texts = try container.decodeIfPresent([String].self, forKey: .texts)?.map(MermaidReader.shown) ?? []
            times = try container.decodeIfPresent([Double].self, forKey: .times) ?? []
        }

        private enum CodingKeys: CodingKey { case error, kind, texts, times }
    }

    static func read(_ texts: [String]) throws -> [Drawing] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (program, question, answer) = ("reader.mjs", "texts.json", "drawings.json")
        try Data(Self.program.utf8).write(to: folder.appendingPathComponent(program))
        try JSONEncoder().encode(texts).write(to: folder.appendingPathComponent(question))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(node))
        process.currentDirectoryURL = folder
        process.arguments = [program, mermaid, question, answer]
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return try JSONDecoder().decode([Drawing].self, from: Data(contentsOf: folder.appendingPathComponent(answer)))
    }

    /// Mermaid needs little of a browser for reading.
    private static let program = """
        import fs from 'node:fs'
        import vm from 'node:vm'
        class Nothing {}
        globalThis.window = {
            document: { nodeType: 9, implementation: {}, currentScript: null, createElement: () => ({}) },
            Element: Nothing, Node: Nothing, NodeFilter: {}, HTMLTemplateElement: Nothing, DOMParser: Nothing,
            addEventListener() {},
        }
        const [script, question, answer] = process.argv.slice(2)
        vm.runInThisContext(fs.readFileSync(script, 'utf8'))
        const mermaid = globalThis.mermaid
        // Mermaid's form of `#35;` before drawing.
        const character = (_, code) => /^[0-9]+$/.test(code) ? String.fromCodePoint(Number(code)) : `&${code};`
        const shown = (text) => String(text).replace(/ﬂ°°([0-9]+)¶ß/g, character).replace(/ﬂ°(\\\\w+)¶ß/g, character)
        const described = (statements) =>
            statements.flatMap((one) => [one.description ?? '', ...described(one.doc ?? [])]).filter((text) => text !== '')
        const texts = {
            stateDiagram: (db) => described(db.getRootDocV2().doc),
            sequence: (db) => [
                ...[...db.getActors().values()].map((actor) => actor.description),
                ...db.getMessages().map((message) => message.message),
            ],
            gantt: (db) => [...db.getSections(), ...db.getTasks().map((task) => task.task)],
        }
        const drawings = []
        for (const text of JSON.parse(fs.readFileSync(question, 'utf8'))) {
            try {
                await mermaid.parse(text)
                const { type, db } = await mermaid.mermaidAPI.getDiagramFromText(text)
                const times = type === 'gantt' ? db.getTasks().flatMap((task) => [+task.startTime, +task.endTime]) : []
                drawings.push({ kind: type, texts: texts[type](db).map(shown), times })
            } catch (error) {
                drawings.push({ error: String(error.message ?? error) })
            }
        }
        fs.writeFileSync(answer, JSON.stringify(drawings))
        """

    /// The path of Mermaid, if it was unpacked in `.build/mermaid`.
    private static let mermaid = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .appendingPathComponent(".build/mermaid/mermaidx/assets/mermaid.js").path

    private static let node = ["/usr/bin/node", "/usr/local/bin/node", "/opt/homebrew/bin/node"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    static var isInstalled: Bool { node != nil && FileManager.default.fileExists(atPath: mermaid) }
}
