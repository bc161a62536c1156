extension Workflow {
    /// An archive as the steps of today's version leave it, before anything typed is decoded.
    /// - Parameter archive: What ``archive(of:prettyPrinted:limit:)`` or a machine has written, in whatever version.
    /// - Returns: The same with another state and other data.
    /// - Throws: What a step throws.
    package static func migrated(_ archive: JSONValue) throws -> JSONValue {
        guard let version = archive["version"]?.intValue, let state = archive["state"]?.stringValue else {
            return archive
        }
        var raw = RawArchive(
            workflow: archive["workflow"]?.stringValue ?? "",
            version: version,
            revision: archive["revision"]?.intValue ?? 0,
            isActivated: archive["activated"]?.boolValue ?? true,
            state: state,
            data: archive["data"] ?? .null
        )
        for step in CompiledWorkflow<Self>.shared.definition.migrations where step.version > version {
            try step.change(&raw)
        }
        var migrated = archive
        migrated["state"] = .string(raw.state)
        migrated["data"] = raw.data
        return migrated
    }
}
