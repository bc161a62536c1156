import Foundation
import Heraclitus

/// Draws workflows.
@main
struct WorkflowDiagram {
    static func main() {
        let options: Options
        do {
            options = try Options(Array(CommandLine.arguments.dropFirst()))
        } catch {
            stop("\(error)\n\(Options.usage)", EX_USAGE)
        }
        do {
            try run(options)
        } catch {
            stop("\(error)", 2)
        }
    }

    private static func stop(_ text: String, _ status: Int32) -> Never {
        FileHandle.standardError.write(Data("heraclitus-workflow-diagram: \(text)\n".utf8))
        exit(status)
    }

    private static func run(_ options: Options) throws {
        if options.wantsHelp { return print(Options.usage) }
        let names = options.wantsAll ? try Examples.names() : options.names
        if names.isEmpty { return print(try Examples.names().joined(separator: "\n")) }
        guard let folder = options.folder else {
            for name in names { print(try Drawing(name).text(options.format), terminator: "") }
            return
        }
        let drawings = try names.map(Drawing.init)
        try requireOwnFiles(drawings)
        for drawing in drawings {
            for file in try drawing.write(to: folder) { print(file) }
        }
    }

    /// Throws before the first write if two drawings would have the same files.
    private static func requireOwnFiles(_ drawings: [Drawing]) throws {
        var names: [String: String] = [:]
        for drawing in drawings {
            if let other = names.updateValue(drawing.name, forKey: drawing.stem), other != drawing.name {
                throw Refused("\(other) and \(drawing.name) would both be written to \(drawing.stem).")
            }
        }
    }
}

/// Why nothing was drawn.
struct Refused: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
