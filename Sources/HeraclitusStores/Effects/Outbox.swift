import Heraclitus
public import HeraclitusEssentials

/// What is to be done for a machine: the effects that were saved and not carried out yet, and who is at it.
///
/// It is the member `outbox` of a stored archive, so every store keeps both together, whatever it knows of effects. Only a save with the
/// expected revision changes it.
struct Outbox: Codable {
    struct Entry: Codable {
        let name: String
        let data: JSONValue

        /// The revision that was saved together with it; `nil` in that revision itself, because nobody knows it before.
        var revision: Int?
        var index: Int?
        var attempts: Int?
        var error: String?
        var parked: Bool?

        var isParked: Bool { parked == true }

        /// Whether it has a whole key, or none yet.
        var hasKeyOrNone: Bool {
            guard let revision, let index else { return revision == nil && index == nil }
            return revision >= 0 && 0..<Int(Int32.max) ~= index
        }
    }

    /// In the order in which they are to be carried out.
    var effects: [Entry] = []

    /// Who has leased the machine's effects; `nil` for nobody.
    var worker: String?

    /// Until when they are leased, or before when nobody is to try again; text, as archives have dates.
    private var at: String?

    /// Until when the effects are leased, or before when nobody is to try again.
    var date: Date? {
        get { at.flatMap(ArchivedDate.date(of:)) }
        set { at = newValue.flatMap { ArchivedDate.text(of: min(max($0, .distantPast), .distantFuture)) } }
    }

    /// The next effect to be carried out; a parked one holds no other up.
    var head: Int? { effects.firstIndex { !$0.isParked } }

    /// The revision with which the next effect was saved; `nil` if there is none.
    var headRevision: Int? { head.map { effects[$0].revision ?? .max } }

    /// Whether there is nothing to keep: no effect, and nobody who may still be carrying out one that was discarded.
    var isOfNoUse: Bool { effects.isEmpty && worker == nil }

    /// When the next effect may be carried out; the distant future if all are parked, `nil` if there are none.
    var due: Date? { effects.isEmpty ? nil : head == nil ? .distantFuture : date ?? .distantPast }

    /// Notes the revision of those that were saved with it.
    ///
    /// Those of another store that came along may have the same one.
    mutating func noteRevision(_ revision: Int) {
        var next = (effects.filter { $0.revision == revision }.compactMap(\.index).max() ?? -1) + 1
        for index in effects.indices where effects[index].revision == nil {
            (effects[index].revision, effects[index].index) = (revision, next)
            next += 1
        }
    }

    func effect(_ index: Int, of id: String) -> StoredEffect {
        let entry = effects[index]
        return StoredEffect(
            key: EffectKey(id: id, revision: entry.revision ?? 0, index: entry.index ?? 0),
            name: entry.name,
            data: entry.data,
            attempts: entry.attempts ?? 0,
            error: entry.error,
            isParked: entry.isParked
        )
    }

    /// The place of an effect; `nil` if it is not there any more.
    func index(of key: EffectKey) -> Int? {
        effects.firstIndex { $0.revision == key.revision && $0.index == key.index }
    }

    /// Removes an effect.
    mutating func remove(_ index: Int) {
        // If it has failed, those after it have waited because of it alone.
        if worker == nil, index == head { date = .distantPast }
        effects.remove(at: index)
    }

    /// Adds the effects of the states that were entered.
    mutating func add<W: Workflow>(
        _ entered: [any Effect],
        of workflow: W.Type,
        at date: Date
    ) throws(ArchiveError) {
        // Whoever still carries out an effect that was discarded is alone at the machine's effects until the lease ends.
        if head == nil, worker != nil, (self.date ?? .distantPast) <= date { worker = nil }
        guard !entered.isEmpty else { return }
        if head == nil, worker == nil { self.date = date }
        let known = Set(W.effects.map { ObjectIdentifier($0) })
        for effect in entered {
            let type = Swift.type(of: effect)
            guard known.contains(ObjectIdentifier(type)) else {
                throw .unknownEffect(type.name, known: W.effects.map { $0.name })
            }
            do {
                effects.append(Entry(name: type.name, data: try Self.data(of: effect, at: effects.count)))
            } catch {
                throw .unwritableEffect(type.name, underlyingError: error)
            }
        }
    }

    /// The data of an effect, read as from its place in the archive: what is too deep there could never be read again.
    private static func data(of effect: any Effect, at index: Int) throws -> JSONValue {
        let place: [any CodingKey] = [EnvelopeKey.outbox, CodingKeys.effects, JSONKey(index: index), JSONKey("data")]
        return try JSONValue(encoding: effect, at: place)
    }
}

// MARK: - In an archive

extension StoredArchive {
    /// When the machine's next effect may be carried out: the distant future if all that it has are parked, the distant past if they
    /// cannot be read, `nil` if it has none.
    ///
    /// It is read from the archive. A store that has a column or an index for it answers
    /// ``ArchiveStore/ids(withEffectsBy:of:limit:)`` without reading archives.
    public var effectsDue: Date? {
        do {
            return try outbox()?.due
        } catch {
            // So that it is found by whoever delivers, who says that it is damaged.
            return .distantPast
        }
    }

    /// The effects; `nil` if there are none.
    func outbox() throws(StoreError) -> Outbox? { try outboxAndVersion().outbox }

    /// The effects, and the workflow's version that wrote them; `nil` if there are none.
    func outboxAndVersion() throws(StoreError) -> (outbox: Outbox?, version: Int?) {
        guard archive.mayHaveOutbox else { return (nil, nil) }
        do {
            let json = try JSONValue(text: [UInt8](archive))
            let container = try ArchiveDecoder(json).container(keyedBy: EnvelopeKey.self)
            guard var outbox = try container.decodeIfPresent(Outbox.self, forKey: .outbox) else { return (nil, nil) }
            // What has half a key would be found by nobody.
            guard outbox.effects.allSatisfy(\.hasKeyOrNone) else {
                throw StoreError.damaged(id: id, explanation: "Its effects have keys that are none.")
            }
            outbox.noteRevision(revision)
            return (outbox, try? container.decode(Int.self, forKey: .version))
        } catch let damage as StoreError {
            throw damage
        } catch let problem as JSONProblem {
            throw .damaged(id: id, explanation: problem.description)
        } catch {
            throw .damaged(id: id, explanation: "Its effects cannot be read. \(ArchiveError.explanation(of: error))")
        }
    }

    /// The same archive with other effects; without the member if there are none and nobody has leased them.
    func with(_ outbox: Outbox) throws(StoreError) -> StoredArchive {
        do {
            let content = try archive.replacingOutbox(by: outbox.isOfNoUse ? nil : outbox)
            return StoredArchive(
                id: id,
                revision: revision,
                workflow: workflow,
                state: state,
                due: due,
                archive: content
            )
        } catch {
            throw .damaged(id: id, explanation: "Its effects cannot be written. \(ArchiveError.explanation(of: error))")
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

    /// An archive with another outbox, or none, and all else byte for byte.
    fileprivate func replacingOutbox(by outbox: Outbox?) throws -> Data {
        var bytes = [UInt8](self)
        if mayHaveOutbox {
            _ = try JSONValue(text: bytes)
            bytes.removeOutbox()
        }
        guard let outbox, let end = bytes.lastIndex(of: UInt8(ascii: "}")) else { return Data(bytes) }
        let isEmpty = bytes[..<end].last { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "{")
        let member = Array((isEmpty ? "" : ",").utf8) + Self.key + [UInt8(ascii: ":")]
        bytes.insert(contentsOf: member + (try ArchiveEncoder.bytes(of: outbox)), at: end)
        return Data(bytes)
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
        return self[start + 1..<end].elementsEqual(EnvelopeKey.outbox.rawValue.utf8)
    }
}
