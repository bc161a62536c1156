import Foundation

/// An id as it stands in the three columns `id`, `id_hash` and `id_rest`.
///
/// Databases limit the size of what they index, and stores have ids of any length. So the index has the first 1,000 bytes, in their
/// order, and for a longer id a hash of all of it. Bytes and not text, because text cannot have NUL everywhere, nor the same order.
struct StoredID {
    private static let indexed = 1_000

    let id: String
    let beginning: Data
    let hash: Data
    let rest: Data

    init(_ id: String) {
        let bytes = Data(id.utf8)
        self.id = id
        beginning = bytes.prefix(Self.indexed)
        rest = bytes.dropFirst(Self.indexed)
        hash = rest.isEmpty ? Data() : SHA256.hash(of: bytes)
    }

    /// What finds the row.
    var key: [SQLValue] { [.bytes(beginning), .bytes(hash)] }

    var columns: [SQLValue] { key + [.bytes(rest)] }

    /// The id of a row, `nil` if it is none; usually it stands in one column.
    static func text(_ connection: some SQLConnection, beginning: Int, rest: Int) -> String? {
        guard let end = connection.bytes(rest) else { return nil }
        if end.isEmpty { return connection.text(beginning) }
        return connection.bytes(beginning).flatMap { String(validating: $0 + end, as: UTF8.self) }
    }
}
