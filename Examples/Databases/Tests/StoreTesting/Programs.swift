public import Foundation

/// Runs a program to its end, on a thread of its own.
/// - Returns: Its status, and what it wrote.
public func run(_ program: String, _ arguments: [String]) async throws -> (status: Int32, output: String) {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread {
            continuation.resume(
                with: Result {
                    let process = Process()
                    process.executableURL = URL(filePath: program)
                    process.arguments = arguments
                    let pipe = Pipe()
                    process.standardOutput = pipe
                    process.standardError = pipe
                    try process.run()
                    let output = pipe.fileHandleForReading.readDataToEndOfFile()
                    process.waitUntilExit()
                    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
                }
            )
        }
    }
}

/// The folder of the programs that were built with the tests.
public var products: URL {
    // Of a test's own executable: everything is built into one folder.
    URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
}
