extension Definition {
    /// Migrates an archive to this version, step by step.
    /// - Parameters:
    ///   - archive: The archive.
    ///   - path: The path of the archive.
    /// - Returns: The archive with its migrated state and data.
    /// - Throws: ``ArchiveError/failedMigration(_:version:path:underlyingError:)``.
    func migrated(_ archive: RawArchive, at path: String) throws(ArchiveError) -> RawArchive {
        var archive = archive
        for step in migrations where step.version > archive.version {
            do {
                try step.apply(to: &archive)
            } catch {
                throw .failedMigration(step.name, version: step.version, path: path, underlyingError: error)
            }
        }
        return archive
    }
}

extension Workflow {
    /// Migrates an archive before typed values are decoded.
    /// - Parameter archive: The archive of a state or machine, in any version.
    /// - Returns: The archive with its migrated state and data.
    /// - Throws: ``ArchiveError/failedMigration(_:version:path:underlyingError:)``.
    package static func migrated(_ archive: JSONValue) throws(ArchiveError) -> JSONValue {
        guard let raw = RawArchive(archive) else { return archive }
        let changed = try CompiledWorkflow<Self>.shared.definition.migrated(raw, at: ArchiveError.path([]))
        var migrated = archive
        migrated["state"] = .string(nameToday(ofState: changed.state))
        migrated["data"] = changed.data
        return migrated
    }
}

// MARK: - Effects

/// The types of effects that a workflow knows, with the migrations for effects of older versions.
package struct KnownEffects: Sendable {
    package let types: [any Effect.Type]

    /// The version of the workflow.
    package let version: Int

    private let migrations: [Migration]

    fileprivate init(_ types: [any Effect.Type], _ definition: Definition) {
        (self.types, version, migrations) = (types, definition.version, definition.migrations)
    }

    /// Migrates an effect from the version that saved it.
    package func migrated(_ effect: RawEffect, from version: Int) throws -> RawEffect {
        guard version < self.version else { return effect }
        var effect = effect
        for step in migrations where step.version > version { try step.apply(to: &effect) }
        return effect
    }

    /// The stored names of the effects that this version knows.
    package var storedNames: [String] {
        var names = types.flatMap { type -> [String] in
            guard let former = formerName(of: type, named: type.name), self.type(named: former) == type else {
                return [type.name]
            }
            return [type.name, former]
        }
        for step in migrations.reversed() {
            if case .effectName(let old, let new) = step.change, names.contains(new) { names.append(old) }
        }
        return names
    }

    /// The type of effects with a name, or with a unique default name of earlier versions.
    package func type(named name: String) -> (any Effect.Type)? {
        if let type = types.first(where: { $0.name == name }) { return type }
        let former = types.filter { formerName(of: $0, named: $0.name) == name }
        return former.count == 1 ? former[0] : nil
    }
}

extension Workflow {
    /// The effects that the workflow knows.
    package static var knownEffects: KnownEffects { KnownEffects(effects, CompiledWorkflow<Self>.shared.definition) }

    /// The effects that the workflow knows in a context.
    package static func knownEffects(in context: Context) -> KnownEffects {
        guard let given = StateMachine<Self>.given(context), let definition = given.definition else {
            return knownEffects
        }
        // Several states may declare effects of one type.
        let types = given.effects.map(\.type).reduce(into: [any Effect.Type]()) { types, type in
            if !types.contains(where: { $0 == type }) { types.append(type) }
        }
        return KnownEffects(types, definition)
    }
}

extension RawArchive {
    /// The raw archive of a JSON archive; `nil` for JSON without a version or a state.
    package init?(_ archive: JSONValue) {
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
