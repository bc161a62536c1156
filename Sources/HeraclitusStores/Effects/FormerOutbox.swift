import Heraclitus
import HeraclitusEssentials

extension StoredArchive {
    /// The row with its effects in their own column.
    ///
    /// Earlier releases kept effects within the archive.
    ///
    /// A store that opens data of an earlier release calls this for each row that it reads. Other rows are returned
    /// unchanged.
    /// - Throws: ``StoreError/damaged(id:explanation:)`` if the effects cannot be read.
    public func splittingOutbox() throws(StoreError) -> StoredArchive {
        guard version == nil, archive.mayHaveOutbox else { return self }
        do {
            var json = try JSONValue(text: archive)
            guard let former = json["outbox"] else { return self }
            json["outbox"] = nil
            var row = self
            // Archives have sorted keys and every digit of a number, so the other members keep their bytes.
            // Archives of more than 64 levels are damaged: raw values have no more.
            row.archive = try ArchiveEncoder.data(of: json)
            row.effects = try Outbox(former: former, of: id, revision: revision, version: json["version"]?.intValue)
                .waiting()
            return row
        } catch let damage as StoreError {
            throw damage
        } catch {
            throw .damaged(id: id, explanation: "Its effects cannot be read. \(ArchiveError.explanation(of: error))")
        }
    }
}

extension Data {
    private static let key = Array(#""outbox""#.utf8)

    /// Whether the bytes contain the key; most archives lack it.
    fileprivate var mayHaveOutbox: Bool {
        let (bytes, key) = (span, Self.key)
        guard bytes.count >= key.count else { return false }
        for start in 0...(bytes.count - key.count) where bytes[start] == key[0] {
            if key.indices.allSatisfy({ bytes[start + $0] == key[$0] }) { return true }
        }
        return false
    }
}
