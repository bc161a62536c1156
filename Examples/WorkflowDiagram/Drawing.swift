import Foundation
import Heraclitus

/// A workflow that is drawn: its table, and the current state of a machine.
struct Drawing {
    private let name: String
    private let table: TransitionTable
    private let current: String?

    /// Reads the table of an example, or a file.
    init(_ name: String) throws {
        let data = try Examples.table(name) ?? Self.content(of: name)
        do {
            let json = try JSONValue(json: data)
            // An archive has its table within.
            table = try (json["definition"] ?? json).decoded(as: TransitionTable.self)
            current = json["definition"] == nil ? nil : json["state"]?.stringValue
        } catch {
            throw Refused("\(name) is no table of a workflow, nor an archive with one: \(error)")
        }
        self.name = name
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
        let stem = name.hasSuffix(".json") ? String((name as NSString).lastPathComponent.dropLast(5)) : name
        let base = "\(folder)/\(stem == "-" ? table.workflow : stem)"
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
