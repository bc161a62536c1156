import Foundation
import Heraclitus
import HeraclitusStores
import PostgresStore
import StoreTesting
import Synchronization

/// Fires due turnstiles: `firing DATABASE WORKERS`.
///
/// The output is the number of changed machines, and the peak memory in KiB after a thousand of them and at the end.
@main struct Firing {
    static func main() async throws {
        let (database, workers) = (CommandLine.arguments[1], Int(CommandLine.arguments[2]) ?? 1)
        let store = try await PostgresStore(database, connections: workers)
        let (turnstiles, fired) = (store.workflow(Turnstile.self), Fired())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<workers {
                group.addTask { try await turnstiles.fireDue { _, _ in fired.add() }.throwFirstFailure() }
            }
            try await group.waitForAll()
        }
        let (count, first) = fired.counted
        print(count, first, peak)
    }

    /// The number of changed machines, and the peak memory after a thousand of them.
    private final class Fired: Sendable {
        private let content = Mutex((count: 0, peak: 0))
        var counted: (count: Int, peak: Int) { content.withLock { $0 } }

        func add() {
            content.withLock { content in
                content.count += 1
                if content.count == 1_000 { content.peak = peak }
            }
        }
    }

    /// The peak memory of this process in KiB; `nil` where the system does not report it.
    private static var peak: Int {
        let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) } ?? 0
    }
}
