extension Definition {
    /// Brings an archive up to this version, step by step.
    /// - Parameters:
    ///   - archive: What was archived.
    ///   - path: Where that is.
    /// - Returns: The same with another state and other data.
    /// - Throws: ``ArchiveError/failedMigration(_:version:path:underlyingError:)``.
    func migrated(_ archive: RawArchive, at path: String) throws(ArchiveError) -> RawArchive {
        var archive = archive
        for step in migrations where step.version > archive.version {
            do {
                try step.change(&archive)
            } catch {
                throw .failedMigration(step.name, version: step.version, path: path, underlyingError: error)
            }
        }
        return archive
    }
}

extension Workflow {
    /// An archive as the steps of today's version leave it, before anything typed is decoded.
    /// - Parameter archive: What ``archive(of:prettyPrinted:limit:)`` or a machine has written, in whatever version.
    /// - Returns: The same with another state and other data.
    /// - Throws: ``ArchiveError/failedMigration(_:version:path:underlyingError:)``.
    package static func migrated(_ archive: JSONValue) throws(ArchiveError) -> JSONValue {
        guard let version = archive["version"]?.intValue, let state = archive["state"]?.stringValue else {
            return archive
        }
        let raw = RawArchive(
            workflow: archive["workflow"]?.stringValue ?? "",
            version: version,
            revision: archive["revision"]?.intValue ?? 0,
            isActivated: archive["activated"]?.boolValue ?? true,
            state: state,
            data: archive["data"] ?? .null
        )
        let changed = try CompiledWorkflow<Self>.shared.definition.migrated(raw, at: ArchiveError.path([]))
        var migrated = archive
        migrated["state"] = .string(nameToday(ofState: changed.state))
        migrated["data"] = changed.data
        return migrated
    }
}
