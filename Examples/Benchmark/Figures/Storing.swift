import Foundation
import Heraclitus
import HeraclitusStores

// Figures of a store of files, against the same system calls by hand.

extension Figure {
    static var storing: [Figure] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("benchmark-\(UUID().uuidString)")
        return [
            Figure(
                name: "DirectoryStore: saving a machine",
                unit: "ns",
                goal: 1.2,
                ours: perSave { count in
                    let store = try DirectoryStore(at: folder).workflow(Download.self)
                    defer { try? FileManager.default.removeItem(at: folder) }
                    let machine = StateMachine<Download>(resumingIn: LoadingState(url: Content.shared.url))
                    return try await nanosecondsAwaiting {
                        for revision in 0..<count { try await store.save(machine, as: "1", expecting: revision) }
                    }
                },
                limit: perSave { count in
                    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                    defer { try? FileManager.default.removeItem(at: folder) }
                    let encoder = JSONEncoder()
                    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
                    return try await nanosecondsAwaiting {
                        for _ in 0..<count { try saveByHand(encoder.encode(plainArchive), in: folder.path) }
                    }
                }
            )
        ]
    }

    /// A side that saves as often as takes about a time, if a save takes half a millisecond.
    private static func perSave(_ body: @escaping @Sendable (Int) async throws -> Double) -> Side {
        { time in
            let count = max(2, Int(time / .microseconds(500)))
            return waiting { try await body(count) } / Double(count)
        }
    }
}

/// Writes beside the old file, syncs, and renames; then syncs the folder, so that the new name lasts.
private func saveByHand(_ data: Data, in folder: String) throws {
    let path = folder + "/1.json"
    let descriptor = unsafe open(path + ".new", O_WRONLY | O_CREAT | O_TRUNC, 0o666)
    guard descriptor >= 0 else { throw POSIXError(.EIO) }
    let count = unsafe data.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
    guard count == data.count, fsync(descriptor) == 0, close(descriptor) == 0, unsafe rename(path + ".new", path) == 0
    else {
        throw POSIXError(.EIO)
    }
    let directory = unsafe open(folder, O_RDONLY)
    guard directory >= 0, fsync(directory) == 0, close(directory) == 0 else { throw POSIXError(.EIO) }
}
