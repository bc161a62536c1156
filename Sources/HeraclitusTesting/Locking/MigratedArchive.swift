import Heraclitus

extension Workflow {
    /// Migrates an archive before typed values are decoded.
    /// - Parameter archive: The archive of a state or machine, in any version.
    /// - Returns: The archive with its migrated state and data.
    /// - Throws: `ArchiveError.failedMigration`.
    static func migrated(_ archive: JSONValue) throws(ArchiveError) -> JSONValue {
        guard let raw = RawArchive(archive) else { return archive }
        let changed = try TransitionValidator<Self>().definition.migrated(raw, at: ArchiveError.path([]))
        var migrated = archive
        migrated["state"] = .string(nameToday(ofState: changed.state))
        migrated["data"] = changed.data
        return migrated
    }
}

extension RawArchive {
    /// The raw archive of a JSON archive; `nil` for JSON without a version or a state.
    init?(_ archive: JSONValue) {
        guard let version = archive["version"]?.intValue, let state = archive["state"]?.stringValue else { return nil }
        self.init(
            workflow: archive["workflow"]?.stringValue ?? "",
            version: version,
            revision: archive["revision"]?.intValue ?? 0,
            state: state,
            data: archive["data"] ?? .null
        )
    }
}
