import Foundation
import Heraclitus
import HeraclitusStores
import PostgresStore
import SQLiteStore
import StoreTesting

/// Passes a turnstile COUNT times in sequence: `counter sqlite|postgres DATABASE ID COUNT`.
@main struct Counter {
    static func main() async throws {
        let arguments = CommandLine.arguments
        let store: any ArchiveStore =
            arguments[1] == "sqlite"
            ? try await SQLiteStore(at: URL(filePath: arguments[2])) : try await PostgresStore(arguments[2])
        for _ in 0..<(Int(arguments[4]) ?? 0) {
            try await store.pass(arguments[3])
            // The test that kills this process reads the number of acknowledged saves.
            print("passed")
            fflush(nil)
        }
    }
}
