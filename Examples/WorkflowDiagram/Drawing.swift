import Foundation
import Heraclitus
import HeraclitusInspecting

/// A workflow that is drawn: its table, and the current state of a machine.
struct Drawing {
    /// What the user has named it by.
    let name: String

    /// The path of its files within a folder, without their suffixes.
    let stem: String
    private let table: TransitionTable
    private let current: String?

    /// Reads the table of an example, or a file.
    init(_ name: String) throws {
        let example = try Examples.table(name)
        let data = try example ?? Self.content(of: name)
        let decoder = JSONDecoder()
        do {
            // An archive has its table within, and data of which nothing is read, however deep it is.
            let archive = try decoder.decode(ArchivedTable.self, from: data)
            table = try archive.definition ?? decoder.decode(TransitionTable.self, from: data)
            current = archive.definition == nil ? nil : archive.state
        } catch {
            throw Refused("\(name) is no table of a workflow, nor an archive with one: \(error)")
        }
        self.name = name
        stem = example == nil ? Self.stem(of: name, workflow: table.workflow) : name
    }

    /// The name of the files of somebody's own workflow, which never leads out of a folder.
    private static func stem(of file: String, workflow: String) -> String {
        let last = (file as NSString).lastPathComponent
        let name = file == "-" ? workflow : last.hasSuffix(".json") ? String(last.dropLast(5)) : last
        let stem = String(name.map { "/\0".contains($0) ? "_" : $0 })
        return stem.allSatisfy { $0 == "." || $0.isWhitespace } ? "workflow" : stem
    }

    func text(_ format: DiagramFormat, _ theme: DiagramTheme?) -> String {
        switch format {
        case .dot: table.dot(current: current, theme: theme)
        case .scxml: table.scxml()
        default: table.mermaid(current: current, theme: theme)
        }
    }

    /// Writes a file in each format.
    /// - Returns: Their paths.
    func write(to folder: String, _ theme: DiagramTheme?) throws -> [String] {
        let base = "\(folder)/\(stem)"
        let parent = (base as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        return try [(DiagramFormat.dot, "dot"), (.mermaid, "mmd"), (.scxml, "scxml")].map { format, suffix in
            let path = "\(base).\(suffix)"
            try text(format, theme).write(toFile: path, atomically: true, encoding: .utf8)
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

/// What is read of an archive.
private struct ArchivedTable: Decodable {
    let definition: TransitionTable?
    let state: String?
}

/// The tables of the examples' workflows, which a test keeps in step.
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

    /// The table of a name; `nil` if no example has it.
    static func table(_ name: String) throws -> Data? {
        guard try names().contains(name), let folder else { return nil }
        return try Data(contentsOf: folder.appendingPathComponent("\(name).json"))
    }
}
