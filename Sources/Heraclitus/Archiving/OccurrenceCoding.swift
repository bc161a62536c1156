import HeraclitusEssentials

extension Occurrence: Codable {
    private enum Key: String, CodingKey {
        case kind, date, workflow, version, path, revision, event, action, announcement, source, destination, isUpdate
        case reason, message, userInfo, cause, facts, microseconds
    }

    /// Reads an occurrence that was written; it has no ``outcome``.
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError` for anything else.
    public init(from decoder: any Decoder) throws { try self.init(from: decoder, in: nil) }

    /// Reads an occurrence as an archive has it.
    /// - Parameters:
    ///   - decoder: The decoder.
    ///   - workflow: The name of the archive's workflow, which its occurrences do not repeat.
    /// - Throws: `DecodingError` for anything else.
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
            // The text of a transition is made of its names.
            text: kind == .transitioned ? nil : text ?? "",
            userInfo: try container.decodeIfPresent(UserInfo.self, forKey: .userInfo) ?? [:],
            // One of a later version of the library is left out.
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

    /// Writes everything but the objects of the ``outcome``; what there is nothing to say of is left out.
    ///
    /// The encoder decides about the form of the date: `JSONEncoder.DateEncodingStrategy.archived` is the one that archives have.
    /// - Parameter encoder: The encoder.
    /// - Throws: What a value of the user info throws.
    public func encode(to encoder: any Encoder) throws { try encode(to: encoder, isInArchive: false) }

    /// Writes an occurrence, for an archive without what that says already.
    ///
    /// A value of the user info that cannot be written, or could not be read again, is written there as its description: it is not to keep the
    /// machine from being archived.
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
