import Foundation
import Testing

/// Logs that real runs of dpkg wrote on small packages made for the purpose, each with dpkg's database at its end.
struct Scenario: Sendable, CustomTestStringConvertible {
    let name: String
    let log: String
    /// Lines of package, state and version.
    let packages: [[String]]

    var testDescription: String { name }

    /// dpkg's database with just the fields that matter.
    var status: String {
        packages.map { fields in
            let parts = fields[0].split(separator: ":").map(String.init)
            return "Package: \(parts[0])\nStatus: install ok \(fields[1])\n"
                + (parts.count > 1 ? "Architecture: \(parts[1])\n" : "")
                + (fields.count > 2 ? "Version: \(fields[2])\n" : "")
        }.joined(separator: "\n")
    }

    /// Reads a file of scenarios.
    static func all(in file: String) -> [Scenario] {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Logs/\(file)")
            .path
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return [] }
        return ("\n" + text).components(separatedBy: "\n=== ").dropFirst().map { section in
            let parts = section.components(separatedBy: "\n--- status")
            let lines = parts[0].split(separator: "\n", omittingEmptySubsequences: true).map(String.init)
            return Scenario(
                name: lines[0],
                log: lines.dropFirst().map { $0 + "\n" }.joined(),
                packages: parts[1].split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
            )
        }
    }
}
