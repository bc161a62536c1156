public import Foundation

/// Runs a program to its end on its own thread.
/// - Returns: Its status and output.
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

/// The folder of the programs built with the tests.
public var products: URL {
    // The folder of the test's own executable, which has all programs.
    URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
}
