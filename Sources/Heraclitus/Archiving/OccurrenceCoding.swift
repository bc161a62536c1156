import HeraclitusEssentials

extension Occurrence: Codable {
    private enum Key: String, CodingKey {
        case kind, date, workflow, version, path, revision, event, action, announcement, source, destination, isUpdate
        case reason, message, userInfo, cause, facts, microseconds
    }

    /// Decodes an occurrence.
    ///
    /// Its ``transition`` and ``error`` are `nil`.
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
            cause: try? container.decodeIfPresent(CodedCause.self, forKey: .cause)?.cause,
            facts: try container.decodeIfPresent(UserInfo.self, forKey: .facts) ?? [:],
            duration: try container.decodeIfPresent(Int64.self, forKey: .microseconds).map { .microseconds($0) }
        )
        self.init(
            record,
            at: try container.decode(Date.self, forKey: .date),
            revision: try container.decode(Int.self, forKey: .revision)
        )
    }

    /// Encodes everything except the objects: ``transition`` and ``error``.
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
        try container.encodeIfPresent(record.cause.map { CodedCause($0) }, forKey: .cause)
        for (values, key) in [(record.userInfo, Key.userInfo), (record.facts, .facts)] where !values.isEmpty {
            if isInArchive {
                try container.encode(WritableUserInfo(userInfo: values), forKey: key)
            } else {
                try container.encode(values, forKey: key)
            }
        }
    }
}

/// A cause in JSON: the name of its trigger, with its details.
private struct CodedCause: Codable {
    let kind: TransitionTable.Trigger
    var date: Date?
    var error: String?
    var regions: [String]?

    init(_ cause: Occurrence.Cause) {
        switch cause {
        case .due(let date):
            kind = .due
            self.date = date
        case .failure(let error):
            kind = .failure
            self.error = error
        case .done: kind = .done
        case .condition: kind = .condition
        case .completion(let regions):
            kind = .completion
            self.regions = regions
        }
    }

    /// The cause; `nil` without its details.
    var cause: Occurrence.Cause? {
        switch kind {
        case .due: date.map { .due($0) }
        case .failure: error.map { .failure($0) }
        case .done: .done
        case .condition: .condition
        case .completion: regions.map { .completion($0) }
        }
    }
}
