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

/// A query with changed properties.
public func query(_ change: (inout ArchiveQuery) -> Void) -> ArchiveQuery {
    var query = ArchiveQuery()
    change(&query)
    return query
}
