import Foundation
import GRDB
import HeraclitusStores
import SQLiteStore
import StoreTesting

/// A file of its own, and stores on it.
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

    /// A connection of somebody who changes the file by hand, and may leave transactions open.
    func connection() throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .timeout(20)
        configuration.allowsUnsafeTransactions = true
        return try DatabaseQueue(path: file.path, configuration: configuration)
    }

    /// Carries statements out that change the file by hand.
    func change(_ statements: String...) throws {
        let connection = try connection()
        for statement in statements { try connection.execute(statement) }
        try connection.close()
    }

    /// What a query finds in one column, as text.
    func text(_ query: String) throws -> [String] {
        let connection = try connection()
        defer { try? connection.close() }
        return try connection.text(query)
    }
}

extension DatabaseQueue {
    /// Carries a statement out, outside of transactions.
    func execute(_ statement: String) throws { try writeWithoutTransaction { try $0.execute(sql: statement) } }

    /// What a query finds in one column, as text.
    func text(_ query: String) throws -> [String] {
        try writeWithoutTransaction { try String.fetchAll($0, sql: query) }
    }
}

func archive(
    _ id: String,
    replacing revision: Int = 0,
    due: Date? = nil,
    values: [String: StoredValue] = [:],
    content: String = "{}"
) -> StoredArchive {
    StoredArchive(
        id: id,
        revision: revision,
        workflow: "Lamp",
        version: 1,
        state: "On",
        due: due,
        values: values,
        archive: Data(content.utf8)
    )
}

/// A query with some of its properties.
func query(_ change: (inout ArchiveQuery) -> Void) -> ArchiveQuery {
    var query = ArchiveQuery()
    change(&query)
    return query
}
