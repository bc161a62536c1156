import Foundation
import Heraclitus
import HeraclitusInspecting
import HeraclitusTesting
import Testing

@testable import Fixtures

/// Generated Mermaid diagrams, read by Mermaid itself.
@Suite("Mermaid", .enabled(if: MermaidReader.isInstalled)) struct MermaidTests {
    @Test("Mermaid reads the states, groups, arrows and notes of a table")
    func tables() throws {
        let tables = [
            Door.table, Download.table, Playback.table, DiagramTests.Odd.table, DiagramTests.Odder.table,
            DiagramTests.Boxed.table, DiagramTests.Gathered.table, CompositeDiagramTests.Order.table,
        ]
        let texts = tables.map { $0.diagram(.mermaid, current: $0.initial) }
        for (table, drawn) in zip(tables, try MermaidReader.read(texts)) {
            #expect(drawn.kind == "stateDiagram" && drawn.error == nil, "\(table.workflow): \(drawn)")
            expect(table, in: drawn)
        }
    }

    private func expect(_ table: TransitionTable, in drawn: MermaidReader.Drawing) {
        let said = drawn.texts.joined(separator: "\n")
        for name in table.states + table.groups.map(\.name) + table.events.map(\.name) {
            #expect(said.contains(MermaidReader.shown(name)), "\(name) of \(table.workflow) in \(drawn)")
        }
    }

    /// Names with Mermaid syntax, or with ends of texts.
    private static let names = [
        "end", "state", "note", "class", "as", "[*]", "direction LR", "-->", "a --> b", "a: b", "a; b", "%% no", "#35;",
        "<b>bold</b>", "\"quoted\"", "'", "`", "{", "}", "--", "<<fork>>", "a\nb", "a\\nb", "a\tb", "\\",
        "é e\u{301} 日本 🇪🇺",
        "$&", "click", "style", "title", "section", "participant", "loop", "alt", "else", "activate", "accTitle: a",
        "1", "", " ", "  a  b  ",
        "hide empty description", "scale 1", "done", "crit", "milestone", "after l1", "ﬂ°°35¶ß", "__proto__",
        "constructor",
    ]

    @Test("Any name is read as the name of a state or event")
    func names() throws {
        let tables = try Self.names.map { try Self.renaming(["OpenState", "close"], to: $0, in: Door.table) }
        let drawings = try MermaidReader.read(([Door.table] + tables).map { $0.diagram(.mermaid) })
        for (name, (table, drawn)) in zip(Self.names, zip(tables, drawings.dropFirst())) {
            #expect(drawn.error == nil && drawn.texts.count == drawings[0].texts.count, "\(name): \(drawn)")
            expect(table, in: drawn)
        }
    }

    @Test("Mermaid reads each line of a journal, as a sequence and as a chart")
    func journals() throws {
        let parcel = try JournalReplayTests.parcel().journal
        var journals = [parcel]
        for name in Self.names {
            journals.append(try parcel.map { try Self.renaming(["Sent", "send"], to: name, in: $0) })
        }
        let drawings = try MermaidReader.read(
            journals.map { $0.mermaidSequence() } + journals.map { $0.mermaidGantt() }
        )
        let sequences = drawings.prefix(journals.count)
        let charts = Array(drawings.dropFirst(journals.count))
        for (number, (sequence, chart)) in zip(sequences, charts).enumerated() {
            let name = number == 0 ? "send" : Self.names[number - 1]
            #expect(sequence.kind == "sequence" && sequence.error == nil, "\(name): \(sequence)")
            #expect(sequence.texts.count == sequences[0].texts.count, "\(name): \(sequence)")
            #expect(sequence.texts.contains { $0.contains(MermaidReader.shown(name)) }, "\(name): \(sequence)")
            #expect(chart.kind == "gantt" && chart.error == nil, "\(name): \(chart)")
            #expect(chart.texts.count == charts[0].texts.count, "\(name): \(chart)")
            #expect(chart.texts.contains { $0.contains(MermaidReader.shown(name)) }, "\(name): \(chart)")
        }
    }

    @Test("Mermaid reads a table with empty names, with its groups and machines")
    func nameless() throws {
        let order = CompositeDiagramTests.Order.table
        let nameless = try Self.renaming(
            order.regions.map(\.name) + order.regions.map(\.table.workflow),
            to: "",
            in: order
        )
        #expect(Set(nameless.regions.map(\.name)) == [""])
        let boxed = DiagramTests.Boxed.table
        let tables = [nameless, try Self.renaming(boxed.groups.map(\.name), to: "", in: boxed)]
        for drawn in try MermaidReader.read(tables.map { $0.diagram(.mermaid) }) {
            #expect(drawn.kind == "stateDiagram" && drawn.error == nil, "\(drawn)")
        }
    }

    /// A text as Mermaid shows it, without white space.
    private static func shown(_ text: String) -> String { text.filter { !$0.isWhitespace } }

    @Test("Mermaid reads dates of any time as they are written")
    func dates() throws {
        let starts = [-8.0e12, -1, 0, 0.001, 9.999, 1_767_268_800.25, 8.0e12]
        let journals = try starts.map { start in
            try JournalReplayTests.parcel(ManualClock(at: Date(timeIntervalSince1970: start))).journal
        }
        let charts = try MermaidReader.read(journals.map { $0.mermaidGantt() })
        for (start, (journal, chart)) in zip(starts, zip(journals, charts)) {
            let dates = journal.map { ($0.date.timeIntervalSince1970 * 1_000).rounded() }
            #expect(
                Set(chart.times).subtracting([dates[3] + 1]) == [dates[0], dates[2], dates[3]],
                "\(start): \(chart)"
            )
        }
    }

    /// The value with some names replaced.
    private static func renaming<Value: Codable>(_ old: [String], to new: String, in value: Value) throws -> Value {
        let json = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value))
        return try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(json.renaming(old, to: new)))
    }
}

extension JSONValue {
    /// The value with some texts replaced, also in keys.
    fileprivate func renaming(_ old: [String], to new: String) -> JSONValue {
        func renamed(_ text: String) -> String { old.contains(text) ? new : text }
        return switch self {
        case .string(let text): .string(renamed(text))
        case .array(let values): .array(values.map { $0.renaming(old, to: new) })
        case .object(let values):
            .object(Dictionary(values.map { (renamed($0), $1.renaming(old, to: new)) }) { $1 })
        default: self
        }
    }
}
