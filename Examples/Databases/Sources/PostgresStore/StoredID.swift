import Crypto
import Foundation
import SQLStores

/// A text in the form of indexed columns: its first 1,000 bytes, and the rest.
///
/// Databases limit the size of an index entry. The columns have bytes, because text columns refuse NUL and sort differently.
struct IndexedBytes {
    /// The number of bytes in the index.
    static let limit = 1_000

    /// The bytes in the index.
    let beginning: Data

    /// The bytes after them.
    let rest: Data

    /// Divides a text.
    init(_ text: String) {
        let bytes = Data(text.utf8)
        beginning = bytes.prefix(Self.limit)
        rest = bytes.dropFirst(Self.limit)
    }
}

/// An id in the three columns `id`, `id_hash` and `id_rest`.
///
/// For a long id the index has a hash.
struct StoredID {
    /// The id.
    let id: String

    /// The content of `id` and `id_rest`.
    let bytes: IndexedBytes

    /// The content of `id_hash`; empty for an id that fits in `id`.
    let hash: Data

    /// Divides an id.
    init(_ id: String) {
        self.id = id
        bytes = IndexedBytes(id)
        hash = bytes.rest.isEmpty ? Data() : Data(id.utf8).sha256
    }

    /// The parameters that find the row.
    var key: [PostgresValue] { [.bytes(bytes.beginning), .bytes(hash)] }

    /// The id of a row; `nil` for invalid UTF-8.
    static func text(_ beginning: Data, _ rest: Data) -> String? {
        let bytes = rest.isEmpty ? beginning : beginning + rest
        return unsafe bytes.withUnsafeBytes { unsafe String(validated: $0) }
    }
}

extension Data {
    /// The SHA-256 hash, for long ids and for the names of prepared statements.
    var sha256: Data { Data(SHA256.hash(data: self)) }
}
