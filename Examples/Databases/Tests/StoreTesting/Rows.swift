public import Foundation
public import HeraclitusStores

/// A new row, or a replacement for a revision.
public func archive(
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

extension ArchiveStore {
    /// The ids of all rows.
    public func ids() async throws -> [String] { try await ids(ArchiveQuery()) }

    /// Saves a row, and keeps its waiting effects.
    /// - Returns: The new revision.
    @discardableResult
    public func save(_ row: StoredArchive) async throws -> Int { try await save([.save(row)])[0] }
}

extension WorkReport {
    /// Throws the error of the first failure, if there is one.
    public func throwFirstFailure() throws { if let first = failures.first { throw first.error } }
}

/// A query with changed properties.
public func query(_ change: (inout ArchiveQuery) -> Void) -> ArchiveQuery {
    var query = ArchiveQuery()
    change(&query)
    return query
}
