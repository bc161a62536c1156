internal import CCrypto
package import Foundation

/// An id as it stands in the three columns `id`, `id_hash` and `id_rest`.
///
/// Databases limit the size of what they index, and stores have ids of any length. So the index has the first 1,000 bytes, in their
/// order, and for a longer id a hash of all of it. Bytes and not text, because text cannot have NUL everywhere, nor the same order.
struct StoredID {
    /// The number of bytes in the index.
    static let indexed = 1_000

    let id: String
    let beginning: Data
    let hash: Data
    let rest: Data

    init(_ id: String) {
        let bytes = Data(id.utf8)
        self.id = id
        beginning = bytes.prefix(Self.indexed)
        rest = bytes.dropFirst(Self.indexed)
        hash = rest.isEmpty ? Data() : bytes.sha256
    }

    /// What finds the row.
    var key: [SQLValue] { [.bytes(beginning), .bytes(hash)] }

    var columns: [SQLValue] { key + [.bytes(rest)] }

    /// The id of a row, `nil` if it is none.
    static func text(_ connection: some SQLConnection, beginning: Int, rest: Int) -> String? {
        guard let start = connection.bytes(beginning), let end = connection.bytes(rest) else { return nil }
        return String(validating: start + end, as: UTF8.self)
    }
}

extension Data {
    /// The hash of long ids in the table, and of what is prepared, as libcrypto has it.
    package var sha256: Data {
        var hash = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        unsafe withUnsafeBytes { bytes in
            _ = unsafe SHA256(bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, &hash)
        }
        return Data(hash)
    }
}
