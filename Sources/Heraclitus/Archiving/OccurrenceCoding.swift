import HeraclitusEssentials

extension Occurrence: Codable {
    private enum Key: String, CodingKey {
        case kind, date, workflow, version, path, revision, event, action, announcement, source, destination, isUpdate
        case reason, message, userInfo, cause, facts, microseconds
    }

    /// Decodes an occurrence.
    ///
    /// Its ``transition``, ``error`` and ``state`` are `nil`.
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError` for other data.
    public init(from decoder: any Decoder) throws { try self.init(from: decoder, in: nil) }

    /// Decodes an occurrence of an archive.
    /// - Parameters:
    ///   - decoder: The decoder.
    ///   - workflow: The name of the archive's workflow, which its occurrences omit.
    /// - Throws: `DecodingError` for other data.
    init(from decoder: any Decoder, in workflow: String?) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let kind = try container.decode(Kind.self, forKey: .kind)
        let text = try container.decodeIfPresent(String.self, forKey: .message)
        let record = Record(
            kind: kind,
            workflow: try workflow ?? container.decode(String.self, forKey: .workflow),
            version: try container.decodeIfPresent(Int.self, forKey: .version) ?? 1,
            path: try container.decodeIfPresent(String.self, forKey: .path),
            event: try container.decodeIfPresent(String.self, forKey: .event),
            action: try container.decodeIfPresent(String.self, forKey: .action),
            announcement: try container.decodeIfPresent(String.self, forKey: .announcement),
            source: try container.decode(String.self, forKey: .source),
            destination: try container.decodeIfPresent(String.self, forKey: .destination),
            isUpdate: try container.decodeIfPresent(Bool.self, forKey: .isUpdate) ?? false,
            reason: try container.decodeIfPresent(String.self, forKey: .reason),
            // The text of a transition follows from its names.
            text: kind == .transitioned ? nil : text ?? "",
            userInfo: try container.decodeIfPresent(UserInfo.self, forKey: .userInfo) ?? [:],
            // A cause of a later version is left out.
            cause: try? container.decodeIfPresent(Cause.self, forKey: .cause),
            facts: try container.decodeIfPresent(UserInfo.self, forKey: .facts) ?? [:],
            duration: try container.decodeIfPresent(Int64.self, forKey: .microseconds).map { .microseconds($0) }
        )
        self.init(
            record,
            at: try container.decode(Date.self, forKey: .date),
            revision: try container.decode(Int.self, forKey: .revision)
        )
    }

    /// Encodes everything except the objects: ``transition``, ``error`` and ``state``.
    ///
    /// Empty parts are left out.
    ///
    /// The encoder chooses the form of dates. `JSONEncoder.DateEncodingStrategy.archived` is the form in archives.
    /// - Parameter encoder: The encoder.
    /// - Throws: The error of a value of the user info.
    public func encode(to encoder: any Encoder) throws { try encode(to: encoder, isInArchive: false) }

    /// Encodes an occurrence.
    ///
    /// In an archive, data of the archive is left out.
    ///
    /// In an archive, an unwritable or unreadable value of the user info is written as its description, so that the
    /// machine stays archivable.
    func encode(to encoder: any Encoder, isInArchive: Bool) throws {
        let record = record
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(record.kind, forKey: .kind)
        try container.encode(date, forKey: .date)
        if !isInArchive { try container.encode(record.workflow, forKey: .workflow) }
        if record.version != 1 { try container.encode(record.version, forKey: .version) }
        try container.encodeIfPresent(record.path, forKey: .path)
        try container.encode(revision, forKey: .revision)
        try container.encodeIfPresent(record.event, forKey: .event)
        try container.encodeIfPresent(record.action, forKey: .action)
        try container.encodeIfPresent(record.announcement, forKey: .announcement)
        try container.encode(record.source, forKey: .source)
        try container.encodeIfPresent(record.destination, forKey: .destination)
        if record.isUpdate { try container.encode(true, forKey: .isUpdate) }
        try container.encodeIfPresent(record.reason, forKey: .reason)
        if !isInArchive || record.text != nil { try container.encode(record.message, forKey: .message) }
        if let duration = record.duration {
            let (seconds, attoseconds) = duration.components
            try container.encode(seconds * 1_000_000 + attoseconds / 1_000_000_000_000, forKey: .microseconds)
        }
        try container.encodeIfPresent(record.cause, forKey: .cause)
        for (values, key) in [(record.userInfo, Key.userInfo), (record.facts, .facts)] where !values.isEmpty {
            if isInArchive {
                try container.encode(WritableUserInfo(userInfo: values), forKey: key)
            } else {
                try container.encode(values, forKey: key)
            }
        }
    }
}
