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
            let json = try JSONValue(text: archive)
            guard let former = json["outbox"] else { return self }
            var bytes = [UInt8](archive)
            bytes.removeOutbox()
            var row = self
            row.archive = Data(bytes)
            row.effects = try Outbox(former: former, revision: revision, version: json["version"]?.intValue)
                .waiting(of: id)
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

extension [UInt8] {
    /// Removes the member from the bytes of a valid object.
    fileprivate mutating func removeOutbox() {
        // Members are the bytes between the commas of the outer object.
        var (level, isText, start) = (0, false, 0)
        var place = 0
        while place < count {
            let byte = self[place]
            if isText {
                if byte == UInt8(ascii: "\\") { place += 1 } else if byte == UInt8(ascii: "\"") { isText = false }
            } else if byte == UInt8(ascii: "\"") {
                isText = true
            } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
                level += 1
                if level == 1 { start = place + 1 }
            } else if level == 1, byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") {
                if isOutbox(start..<place) {
                    // The comma after the member is removed, or the comma before the last member.
                    let isFirst = self[start - 1] == UInt8(ascii: "{")
                    removeSubrange(
                        byte == UInt8(ascii: ",") ? start..<place + 1 : (isFirst ? start : start - 1)..<place
                    )
                    return
                }
                start = place + 1
                if byte == UInt8(ascii: "}") { return }
            } else if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
                level -= 1
            }
            place += 1
        }
    }

    /// Whether the key of a member is `outbox`.
    private func isOutbox(_ member: Range<Int>) -> Bool {
        guard let start = self[member].firstIndex(of: UInt8(ascii: "\"")) else { return false }
        let key = UInt8(ascii: "\"")
        guard let end = self[member].dropFirst(start + 1 - member.lowerBound).firstIndex(of: key) else { return false }
        return self[start + 1..<end].elementsEqual("outbox".utf8)
    }
}
