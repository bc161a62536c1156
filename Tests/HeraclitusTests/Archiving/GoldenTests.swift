import Foundation
import Heraclitus
import Testing

/// Archives that earlier versions have written; files are added here and never changed.
@Suite("Golden archives") struct GoldenTests {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Golden")

    static let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path))?.sorted() ?? []

    @Test("There are some")
    func some() { #expect(Self.files.count >= 4) }

    @Test("Every one is restored, and archived to the same bytes", arguments: files)
    func golden(_ file: String) throws {
        let text = try String(contentsOf: Self.folder.appendingPathComponent(file), encoding: .utf8)
        let machine = try StateMachine<Download>(archive: Data(text.utf8))
        #expect(String(decoding: try machine.archive(), as: UTF8.self) + "\n" == text)
    }
}
