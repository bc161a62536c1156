import Crypto
import Foundation
import SQLStores

/// A text as tables with indexes have it: its first 1,000 bytes, and the rest.
///
/// Databases limit the size of what they index. Bytes and not text, because text cannot have NUL everywhere, nor the same order.
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

/// An id as it stands in the three columns `id`, `id_hash` and `id_rest`: the index has a hash of a longer id.
struct StoredID {
    /// The id.
    let id: String

    /// The content of `id` and `id_rest`.
    let bytes: IndexedBytes

    /// The content of `id_hash`; empty for an id that stands whole in `id`.
    let hash: Data

    /// Divides an id.
    init(_ id: String) {
        self.id = id
        bytes = IndexedBytes(id)
        hash = bytes.rest.isEmpty ? Data() : Data(id.utf8).sha256
    }

    /// What finds the row.
    var key: [PostgresValue] { [.bytes(bytes.beginning), .bytes(hash)] }

    /// The id of a row; `nil` if it is none.
    static func text(_ beginning: Data, _ rest: Data) -> String? {
        let bytes = rest.isEmpty ? beginning : beginning + rest
        return unsafe bytes.withUnsafeBytes { unsafe String(validated: $0) }
    }
}

extension Data {
    /// The hash of long ids in the table, and of what is prepared.
    var sha256: Data { Data(SHA256.hash(data: self)) }
}
