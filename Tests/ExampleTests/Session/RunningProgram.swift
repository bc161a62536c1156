import Foundation
import Testing

/// A program that runs until it is stopped or released.
final class RunningProgram: Sendable {
    private let process = Process()
    private let input = Pipe()
    private let log: String

    /// Starts an example's program.
    init(_ program: String, _ arguments: [String], in directory: TemporaryDirectory) throws {
        log = directory.file(UUID().uuidString)
        try Data().write(to: URL(fileURLWithPath: log))
        process.executableURL = executable(program)
        process.arguments = arguments
        process.currentDirectoryURL = URL(fileURLWithPath: directory.path)
        process.standardInput = input
        process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: log))
        try process.run()
    }

    /// Sends a line to its input.
    func say(_ line: String) throws { try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8)) }

    /// The whole lines of its output until now.
    var lines: [String] {
        get throws {
            let text = try String(contentsOfFile: log, encoding: .utf8)
            return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
        }
    }

    /// Waits until its lines are as they should be.
    @discardableResult
    func lines(
        until areThere: ([String]) -> Bool,
        _ location: SourceLocation = #_sourceLocation
    ) async throws -> [String] {
        for _ in 0..<30_000 {
            let lines = try lines
            if areThere(lines) { return lines }
            try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("not there: \(try lines.suffix(20))", sourceLocation: location)
        throw CancellationError()
    }

    /// Waits until so many lines have a text.
    func tells(_ text: String, times: Int = 1, _ location: SourceLocation = #_sourceLocation) async throws {
        try await lines(until: { $0.count { $0.contains(text) } >= times }, location)
    }

    /// Sends a signal, and waits until it has ended.
    /// - Returns: The status that it has ended with; of a signal, below 0.
    @discardableResult
    func stop(_ signal: Int32) async throws -> Int32 {
        kill(process.processIdentifier, signal)
        return try await ended()
    }

    /// Waits until it has ended.
    func ended() async throws -> Int32 {
        while process.isRunning { try await Task.sleep(for: .milliseconds(10)) }
        return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }

    deinit {
        guard process.isRunning else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
