import Foundation
import Heraclitus
import Testing

@testable import Fixtures

/// Archives that earlier versions wrote.
///
/// Files are added here and never changed.
@Suite("Golden archives") struct GoldenTests {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Golden")

    static let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path))?.sorted() ?? []

    @Test("The folder has golden archives")
    func some() { #expect(Self.files.count >= 4) }

    @Test("Every golden archive is restored by the workflow that it names", arguments: files)
    func golden(_ file: String) throws {
        let text = try String(contentsOf: Self.folder.appendingPathComponent(file), encoding: .utf8)
        let envelope = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
        switch envelope["workflow"]?.stringValue {
        case "Download": try open(text, envelope, as: Download.self)
        case "Ticket": try open(text, envelope, as: Ticket.self)
        default: Issue.record("No workflow of \(file)")
        }
    }

    private func open<W: Workflow>(_ text: String, _ envelope: JSONValue, as workflow: W.Type) throws {
        let machine = try StateMachine<W>(archive: Data(text.utf8))
        #expect(machine.revision == envelope["revision"]?.intValue)
        let archive = String(decoding: try machine.archive(), as: UTF8.self) + "\n"
        if envelope["version"]?.intValue == W.version {
            #expect(archive == text)
        } else {
            // An archive of an older version is written in the current one.
            let again = try StateMachine<W>(archive: Data(archive.utf8))
            #expect(archive == String(decoding: try again.archive(), as: UTF8.self) + "\n")
        }
    }

    @Test("The workflow with several versions has a golden archive of each", arguments: 1...Ticket.version)
    func versions(_ version: Int) throws {
        let archives = try Self.files.map { file in
            let data = try Data(contentsOf: Self.folder.appendingPathComponent(file))
            return try JSONDecoder().decode(JSONValue.self, from: data)
        }
        #expect(archives.contains { $0["workflow"] == "Ticket" && $0["version"]?.intValue == version })
    }
}
