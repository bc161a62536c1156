import Heraclitus
import HeraclitusEssentials

extension StoredArchive {
    /// The row with the effects in their own place, which earlier releases kept within the archive.
    ///
    /// A store that opens what an earlier release has stored calls it for each row that it reads. A row without such effects is returned as it is.
    /// - Throws: ``StoreError/damaged(id:explanation:)`` if the effects cannot be read.
    public func splittingOutbox() throws(StoreError) -> StoredArchive {
        guard version == nil, archive.mayHaveOutbox else { return self }
        do {
            let json = try JSONValue(text: [UInt8](archive))
            guard let former = json["outbox"] else { return self }
            var bytes = [UInt8](archive)
            bytes.removeOutbox()
            return StoredArchive(
                id: id,
                revision: revision,
                workflow: workflow,
                version: version,
                state: state,
                entered: entered,
                due: due,
                values: values,
                archive: Data(bytes),
                handled: handled,
                effects: try Outbox(former: former, revision: revision, version: json["version"]?.intValue).waiting(
                    of: id
                )
            )
        } catch let damage as StoreError {
            throw damage
        } catch {
            throw .damaged(id: id, explanation: "Its effects cannot be read. \(ArchiveError.explanation(of: error))")
        }
    }
}

extension Data {
    private static let key = Array(#""outbox""#.utf8)

    /// Whether it is worth looking for the member; most archives have none.
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
    /// Removes the member from an object, as which the bytes were parsed.
    fileprivate mutating func removeOutbox() {
        // The bytes between the commas of the object itself.
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
                    // With a comma: the one behind it, or that before the last member.
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

    /// Whether a member has that key.
    private func isOutbox(_ member: Range<Int>) -> Bool {
        guard let start = self[member].firstIndex(of: UInt8(ascii: "\"")) else { return false }
        let key = UInt8(ascii: "\"")
        guard let end = self[member].dropFirst(start + 1 - member.lowerBound).firstIndex(of: key) else { return false }
        return self[start + 1..<end].elementsEqual("outbox".utf8)
    }
}
