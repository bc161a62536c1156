import Foundation
import GRDB
import HeraclitusStores
import SQLiteStore
import StoreTesting

/// A temporary file, and stores on it.
struct Place {
    let folder: TemporaryFolder
    let file: URL

    init() throws {
        folder = try TemporaryFolder()
        file = folder.url.appending(path: "shop.sqlite")
    }

    func store(busyTimeout: Duration = .seconds(20), sizeLimit: Int? = nil) async throws -> SQLiteStore {
        try await SQLiteStore(at: file, busyTimeout: busyTimeout, sizeLimit: sizeLimit)
    }

    /// A connection for changes by hand, which may leave transactions open.
    func connection() throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .timeout(20)
        configuration.allowsUnsafeTransactions = true
        return try DatabaseQueue(path: file.path, configuration: configuration)
    }

    /// Runs statements that change the file by hand.
    func change(_ statements: String...) throws {
        let connection = try connection()
        for statement in statements { try connection.execute(statement) }
        try connection.close()
    }

    /// The first column of a query, as text.
    func text(_ query: String) throws -> [String] {
        let connection = try connection()
        defer { try? connection.close() }
        return try connection.text(query)
    }
}

extension DatabaseQueue {
    /// Runs a statement outside of transactions.
    func execute(_ statement: String) throws { try writeWithoutTransaction { try $0.execute(sql: statement) } }

    /// The first column of a query, as text.
    func text(_ query: String) throws -> [String] {
        try writeWithoutTransaction { try String.fetchAll($0, sql: query) }
    }
}
