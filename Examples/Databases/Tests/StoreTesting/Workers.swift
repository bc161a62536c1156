import Foundation

/// A process that works on a store until it is killed or this process ends.
public final class Worker: Sendable {
    private let process: Process
    private let input = Pipe()

    /// Starts a worker.
    public init(_ database: String, _ ledger: Ledger, ids: [String], program: String = "worker") throws {
        process = Process()
        process.executableURL = products.appending(path: program)
        process.arguments = [database, ledger.file.path] + ids
        process.standardInput = input
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    /// Kills the process with SIGKILL.
    public func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    deinit { if process.isRunning { kill() } }
}

/// Waits until a condition holds.
/// - Returns: Whether the condition held within ten minutes.
public func wait(until isSo: () async throws -> Bool) async rethrows -> Bool {
    let end = ContinuousClock.now + .seconds(600)
    while ContinuousClock.now < end {
        if try await isSo() { return true }
        try? await Task.sleep(for: .milliseconds(5))
    }
    return false
}

/// The number of rounds: `few`, or the value of `HERACLITUS_LONG_TESTS`.
public func rounds(_ few: Int) -> Int {
    ProcessInfo.processInfo.environment["HERACLITUS_LONG_TESTS"].flatMap { Int($0) } ?? few
}
