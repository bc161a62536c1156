public import Foundation
import HeraclitusStores
public import SQLStores

/// A store in one file of SQLite.
///
/// ```swift
/// let store = try await SQLiteStore(at: URL(filePath: "shop.sqlite"))
/// try await store.update("42", of: Order.self) { order in try order.fire.pay(…) }
/// ```
///
/// Any number of processes of one computer may use the file at once. What was saved is on the disk when `save` returns. One connection
/// writes and a few others read, on threads of their own, so a call never holds a thread of Swift's tasks. Units of work run on those of the one
/// that writes.
///
/// A file that is moved, deleted or replaced while a store has it open is `DatabaseError.Reason.inaccessible` from then on. Make the store anew
/// where the file is to be used that is there now.
public final class SQLiteStore: SQLStore {
    /// The connections that read.
    public let readers: ConnectionPool<SQLiteConnection>

    /// The one connection that writes.
    public let writers: ConnectionPool<SQLiteConnection>

    /// Opens a file, or makes it.
    /// - Parameters:
    ///   - file: The file. SQLite keeps two more beside it while it is in use.
    ///   - readers: The number of connections that read.
    ///   - busyTimeout: How long to wait while other processes write.
    ///   - sizeLimit: The maximum size of the file in bytes.
    /// - Throws: `DatabaseError`: the file cannot be opened, is one of another program, or of a newer version of this store.
    public init(
        at file: URL,
        readers: Int = 3,
        busyTimeout: Duration = .seconds(10),
        sizeLimit: Int? = nil
    ) async throws {
        let path = file.path
        let place = SQLitePlace(path: path)
        let open: @Sendable () throws -> SQLiteConnection = {
            try place.open { makes in
                let connection = try SQLiteConnection(
                    path: path,
                    busyTimeout: busyTimeout,
                    sizeLimit: sizeLimit,
                    makes: makes
                )
                try SQLiteTable.check(connection, makes: makes)
                return connection
            }
        }
        self.readers = ConnectionPool(size: readers, store: path, open: open)
        // A unit of work goes on while another one saves.
        writers = ConnectionPool(size: 1, threads: 4, store: path, open: open)
        try await writers.run(for: nil) { _, _ in }
    }
}
