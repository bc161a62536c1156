import Foundation
import Heraclitus

/// Draws workflows.
@main
struct WorkflowDiagram {
    static func main() {
        do {
            let options = try Options(Array(CommandLine.arguments.dropFirst()))
            try run(options)
        } catch {
            FileHandle.standardError.write(Data("workflow-diagram: \(error)\n".utf8))
            exit(2)
        }
    }

    private static func run(_ options: Options) throws {
        if options.wantsHelp { return print(Options.usage) }
        let names = options.wantsAll ? try Examples.names() : options.names
        if names.isEmpty { return print(try Examples.names().joined(separator: "\n")) }
        for name in names {
            let drawing = try Drawing(name)
            if let folder = options.folder {
                for file in try drawing.write(to: folder, options.theme) { print(file) }
            } else {
                print(drawing.text(options.format, options.theme), terminator: "")
            }
        }
    }
}

/// Why nothing was drawn.
struct Refused: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
