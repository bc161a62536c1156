import Foundation
public import Heraclitus

/// The program, for those who give it databases besides a directory.
public enum OrdersProgram {
    /// Runs the program with the arguments of the command line.
    /// - Parameter open: Opens a database, or says `nil` to one that it does not know.
    public static func run(
        opening open: @Sendable (_ database: String) async throws -> (any ArchiveStore)? = { _ in nil }
    ) async {
        var arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == "--help" || arguments.first == "-h" { return print(Command.usage) }
        if arguments.first == "--database" { arguments.removeFirst() }
        guard !arguments.isEmpty else { stop("no database was given\n\(Command.usage)", EX_USAGE) }
        let database = arguments.removeFirst()
        let command: Command?
        do {
            command = arguments.isEmpty ? nil : try Command(arguments)
        } catch {
            stop("\(error)\n\(Command.usage)", EX_USAGE)
        }
        do {
            let desk = Desk(store: try await store(database, open), database: database)
            if let command {
                for line in try await desk.carryOut(command) { print(line) }
            } else if await !readCommands(desk) {
                exit(1)
            }
        } catch {
            stop("\(error)", 1)
        }
    }

    private static func store(
        _ database: String,
        _ open: @Sendable (_ database: String) async throws -> (any ArchiveStore)?
    ) async throws -> any ArchiveStore {
        if let store = try await open(database) { return store }
        guard !database.contains("://"), !database.hasSuffix(".sqlite") else {
            throw Refusal("\(database) is no directory; the orders of Examples/Databases take databases")
        }
        return try DirectoryStore(at: URL(fileURLWithPath: database))
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

    static func complain(_ text: String) {
        FileHandle.standardError.write(Data("orders: \(text)\n".utf8))
    }

    private static func stop(_ text: String, _ status: Int32) -> Never {
        complain(text)
        exit(status)
    }
}
