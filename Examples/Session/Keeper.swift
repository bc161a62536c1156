import Foundation
import Heraclitus
import HeraclitusStores

/// Stores a session in a directory, which one process at a time may use.
struct Keeper {
    private let file: URL

    /// Claims the directory until the process ends or crashes.
    init(in directory: URL) throws {
        file = directory.appendingPathComponent("session.json")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let descriptor = unsafe open(directory.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let number = errno
            let reason = unsafe String(cString: strerror(number))
            throw Unkept(directory, number == EWOULDBLOCK ? "another program has it" : reason)
        }
    }

    /// The last stored session, or a new one.
    func session(_ network: Network) throws -> StateMachine<Session> {
        guard FileManager.default.fileExists(atPath: file.path) else { return StateMachine<Session>(context: network) }
        do {
            return try StateMachine<Session>(archive: Data(contentsOf: file), context: network)
        } catch {
            throw Unkept(file, error.localizedDescription)
        }
    }

    /// Replaces the previously stored session.
    func keep(_ session: StateMachine<Session>) {
        do { try Archive.write([session], to: file) } catch { tell("cannot be kept: \(error.localizedDescription)") }
    }
}

/// Why a session cannot be had.
struct Unkept: LocalizedError {
    let errorDescription: String?

    init(_ place: URL, _ reason: String) { errorDescription = "there is no session in \(place.path): \(reason)" }
}
