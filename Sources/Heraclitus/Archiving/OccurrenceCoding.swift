#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Occurrence: Codable {
    private enum Key: String, CodingKey {
        case kind, date, workflow, path, revision, event, action, announcement, source, destination, isUpdate, reason,
            message
        case userInfo
    }

    /// Reads an occurrence that was written; it has no ``outcome``.
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError` for anything else.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let record = Record(
            kind: try container.decode(Kind.self, forKey: .kind),
            workflow: try container.decode(String.self, forKey: .workflow),
            path: try container.decodeIfPresent(String.self, forKey: .path),
            event: try container.decodeIfPresent(String.self, forKey: .event),
            action: try container.decodeIfPresent(String.self, forKey: .action),
            announcement: try container.decodeIfPresent(String.self, forKey: .announcement),
            source: try container.decode(String.self, forKey: .source),
            destination: try container.decodeIfPresent(String.self, forKey: .destination),
            isUpdate: try container.decodeIfPresent(Bool.self, forKey: .isUpdate) ?? false,
            reason: try container.decodeIfPresent(String.self, forKey: .reason),
            message: try container.decode(String.self, forKey: .message),
            userInfo: try container.decodeIfPresent(UserInfo.self, forKey: .userInfo) ?? [:]
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
    public func encode(to encoder: any Encoder) throws {
        let record = record
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(record.kind, forKey: .kind)
        try container.encode(date, forKey: .date)
        try container.encode(record.workflow, forKey: .workflow)
        try container.encodeIfPresent(record.path, forKey: .path)
        try container.encode(revision, forKey: .revision)
        try container.encodeIfPresent(record.event, forKey: .event)
        try container.encodeIfPresent(record.action, forKey: .action)
        try container.encodeIfPresent(record.announcement, forKey: .announcement)
        try container.encode(record.source, forKey: .source)
        try container.encodeIfPresent(record.destination, forKey: .destination)
        if record.isUpdate { try container.encode(true, forKey: .isUpdate) }
        try container.encodeIfPresent(record.reason, forKey: .reason)
        try container.encode(record.message, forKey: .message)
        if !record.userInfo.isEmpty { try container.encode(record.userInfo, forKey: .userInfo) }
    }
}
