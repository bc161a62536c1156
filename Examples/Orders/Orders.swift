import Foundation
import Heraclitus

/// Keeps orders in a directory, a file each.
@main
struct Orders {
    static func main() async {
        var arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == "--help" || arguments.first == "-h" { return print(Command.usage) }
        guard !arguments.isEmpty else { stop("no directory was given\n\(Command.usage)", EX_USAGE) }
        let directory = URL(fileURLWithPath: arguments.removeFirst())
        let command: Command?
        do {
            command = arguments.isEmpty ? nil : try Command(arguments)
        } catch {
            stop("\(error)\n\(Command.usage)", EX_USAGE)
        }
        do {
            let desk = Desk(store: try DirectoryStore(at: directory))
            if let command {
                for line in try await desk.carryOut(command) { print(line) }
            } else if await !readCommands(desk) {
                exit(1)
            }
        } catch {
            stop("\(error)", 1)
        }
    }

    /// Carries out a command a line; one that is refused does not keep the others from being carried out.
    /// - Returns: Whether all were carried out.
    private static func readCommands(_ desk: Desk) async -> Bool {
        var number = 0
        var isGood = true
        while let line = readLine() {
            number += 1
            let words = Command.words(of: line)
            guard !words.isEmpty else { continue }
            do {
                for line in try await desk.carryOut(try Command(words)) { print(line) }
            } catch {
                isGood = false
                complain("line \(number): \(error)")
            }
        }
        return isGood
    }

    private static func complain(_ text: String) {
        FileHandle.standardError.write(Data("orders: \(text)\n".utf8))
    }

    private static func stop(_ text: String, _ status: Int32) -> Never {
        complain(text)
        exit(status)
    }
}
