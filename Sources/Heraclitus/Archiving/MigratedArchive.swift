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

// MARK: - Names

extension TransitionValidator {
    /// The names that the states of an occurrence have today, as far as migrations say it.
    package func namesToday(of occurrence: Occurrence) -> (source: String, destination: String?) {
        definition.namesToday(of: occurrence)
    }
}

extension DrawnMoment {
    /// The names that the states of an occurrence have today, as far as migrations say it.
    package func namesToday(of occurrence: Occurrence) -> (source: String, destination: String?) {
        definition.namesToday(of: occurrence)
    }
}

extension Definition {
    fileprivate func namesToday(of occurrence: Occurrence) -> (source: String, destination: String?) {
        (
            nameToday(ofState: occurrence.source, in: occurrence.version),
            occurrence.destination.map { nameToday(ofState: $0, in: occurrence.version) }
        )
    }

    fileprivate func nameToday(ofState state: String, in version: Int) -> String {
        guard version < self.version else { return state }
        return migrations.reduce(state) { state, step in
            guard step.version > version, case .state(state, let name) = step.renaming else { return state }
            return name
        }
    }
}
