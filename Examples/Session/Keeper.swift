import Foundation
import Heraclitus

/// Keeps a session in a directory, which one process at a time has.
struct Keeper {
    private let file: URL

    /// Claims the directory until the process ends, in whatever way.
    init(in directory: URL) throws {
        file = directory.appendingPathComponent("session.json")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        guard flock(unsafe open(directory.path, O_RDONLY | O_CLOEXEC), LOCK_EX | LOCK_NB) == 0 else {
            throw DirectoryTaken(path: directory.path)
        }
    }

    /// The session as it was kept last, or a new one.
    func session(_ network: Network) throws -> StateMachine<Session> {
        guard let archive = FileManager.default.contents(atPath: file.path) else {
            return StateMachine<Session>(context: network)
        }
        return try StateMachine<Session>(archive: archive, context: network)
    }

    /// Puts the session into the place of the one that was kept before.
    func keep(_ session: StateMachine<Session>) {
        do { try Archive.write([session], to: file) } catch { tell("cannot be kept: \(error.localizedDescription)") }
    }
}

struct DirectoryTaken: LocalizedError {
    let path: String

    var errorDescription: String? { "another program has the session in \(path)" }
}
