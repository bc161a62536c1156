import Foundation
import Heraclitus
public import HeraclitusStores

/// The program, with an option for databases besides a directory.
public enum OrdersProgram {
    /// Opens a database, or returns `nil` for an unknown kind.
    public typealias Opening =
        @Sendable (_ database: String, _ making: (_ file: String) throws -> Void) async throws -> (any ArchiveStore)?

    /// Runs the program with the arguments of the command line.
    /// - Parameter open: Opens a database, or returns `nil` for an unknown kind. Before it makes a file it calls `making`, which throws if the
    ///   command needs existing orders.
    public static func run(
        opening open: Opening = { _, _ in nil }
    ) async {
        var arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == "--help" || arguments.first == "-h" { return print(Command.usage) }
        if arguments.first == "--database" { arguments.removeFirst() }
        guard !arguments.isEmpty else { stop("no database was given\n\(Command.usage)", EX_USAGE) }
        let database = arguments.removeFirst()
        guard !database.hasPrefix("-") else { stop("there is no option \(database)\n\(Command.usage)", EX_USAGE) }
        let command: Command?
        do {
            command = arguments.isEmpty ? nil : try Command(arguments)
        } catch {
            stop("\(error)\n\(Command.usage)", EX_USAGE)
        }
        do {
            // A mistyped name must not make a new database.
            let mustBeThere = command.map { !$0.mayBeFirst } ?? false
            let desk = Desk(store: try await store(database, mustBeThere, open), database: database)
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
        _ mustBeThere: Bool,
        _ open: Opening
    ) async throws -> any ArchiveStore {
        func making(_ file: String) throws {
            if mustBeThere, !FileManager.default.fileExists(atPath: file) {
                throw Refusal("there is no \(file); it is made when the first order is added")
            }
        }
        if let store = try await open(database, making) { return store }
        guard !database.contains("://"), !database.hasSuffix(".sqlite") else {
            throw Refusal("\(database) is no directory; the orders of Examples/Databases take databases")
        }
        try making(database)
        return try Archive.directory(at: URL(fileURLWithPath: database))
    }

    /// Carries out a command per line, and continues after a refused command.
    /// - Returns: Whether all commands succeeded.
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
        FileHandle.standardError.write(Data("heraclitus-orders: \(text)\n".utf8))
    }

    private static func stop(_ text: String, _ status: Int32) -> Never {
        complain(text)
        exit(status)
    }
}
