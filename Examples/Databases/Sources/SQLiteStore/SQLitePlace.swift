import Foundation
import SQLStores
import Synchronization

/// The place of a file, and which file was there first.
///
/// Connections are opened when they are needed. One to another file, or to one that was made anew, would find nothing of what was saved.
final class SQLitePlace: Sendable {
    static let gone = ConnectionFailure.refused(
        .inaccessible("Its file was moved, deleted or replaced while it was open.")
    )

    private let path: String
    private let first = Mutex<String?>(nil)

    init(path: String) { self.path = path }

    /// Opens a connection to the file that was opened first, which alone may be made.
    func open(_ body: (_ makes: Bool) throws -> SQLiteConnection) throws -> SQLiteConnection {
        let known = first.withLock { $0 }
        if let known, known != file { throw Self.gone }
        let connection = try body(known == nil)
        // Afterwards it is there to be looked at, and what the connection has opened is still there.
        guard let file, known == nil || known == file else { throw Self.gone }
        if known == nil { first.withLock { $0 = file } }
        return connection
    }

    /// The file that is there, by the numbers that the system has for it.
    private var file: String? {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            let device = attributes[.systemNumber], let number = attributes[.systemFileNumber]
        else { return nil }
        return "\(device)/\(number)"
    }
}
