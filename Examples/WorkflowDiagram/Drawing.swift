import Foundation
import Heraclitus
import HeraclitusInspecting

/// A drawn workflow: its table, and the current state of a machine.
struct Drawing {
    /// The user's name for the workflow.
    let name: String

    /// The path of the files within a folder, without suffixes.
    let stem: String
    private let table: TransitionTable
    private let current: String?

    /// Reads the table of an example, or a file.
    init(_ name: String) throws {
        let example = try Examples.table(name)
        let data = try example ?? Self.content(of: name)
        let decoder = JSONDecoder()
        do {
            // An archive contains its table, and its data of any depth stays unread.
            let archive = try decoder.decode(ArchivedTable.self, from: data)
            table = try archive.definition ?? decoder.decode(TransitionTable.self, from: data)
            current = archive.definition == nil ? nil : archive.state
        } catch {
            throw Refused("\(name) is no table of a workflow, nor an archive with one: \(error)")
        }
        self.name = name
        stem = example == nil ? Self.stem(of: name, workflow: table.workflow) : name
    }

    /// The file name for a user's workflow, which cannot lead out of the folder.
    private static func stem(of file: String, workflow: String) -> String {
        let last = (file as NSString).lastPathComponent
        let name = file == "-" ? workflow : last.hasSuffix(".json") ? String(last.dropLast(5)) : last
        let stem = String(name.map { "/\0".contains($0) ? "_" : $0 })
        return stem.allSatisfy { $0 == "." || $0.isWhitespace } ? "workflow" : stem
    }

    func text(_ format: DiagramFormat) -> String { table.diagram(format, current: current) }

    /// Writes a file in each format.
    /// - Returns: Their paths.
    func write(to folder: String) throws -> [String] {
        let base = "\(folder)/\(stem)"
        let parent = (base as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        return try [(DiagramFormat.dot, "dot"), (.mermaid, "mmd"), (.scxml, "scxml")].map { format, suffix in
            let path = "\(base).\(suffix)"
            try text(format).write(toFile: path, atomically: true, encoding: .utf8)
            return path
        }
    }

    private static func content(of file: String) throws -> Data {
        if file == "-" { return try FileHandle.standardInput.readToEnd() ?? Data() }
        do {
            return try Data(contentsOf: URL(fileURLWithPath: file))
        } catch {
            throw Refused("\(file) is neither a workflow of the examples nor a file that can be read.")
        }
    }
}

/// The parts of an archive that the program reads.
private struct ArchivedTable: Decodable {
    let definition: TransitionTable?
    let state: String?
}

/// The tables of the examples' workflows; a test checks them.
enum Examples {
    private static var folder: URL? { Bundle.module.resourceURL?.appendingPathComponent("Tables") }

    /// The names, such as `orders/Order`.
    static func names() throws -> [String] {
        guard let folder, let files = FileManager.default.enumerator(atPath: folder.path) else {
            throw Refused("The tables of the examples are missing.")
        }
        return files.compactMap { $0 as? String }.filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }
            .sorted()
    }

    /// The table with a name; `nil` if there is none.
    static func table(_ name: String) throws -> Data? {
        guard try names().contains(name), let folder else { return nil }
        return try Data(contentsOf: folder.appendingPathComponent("\(name).json"))
    }
}
