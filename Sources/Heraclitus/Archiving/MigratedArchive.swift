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

// MARK: - Steps without use

extension Workflow {
    /// The steps whose name is missing from all archives and effects of older versions.
    ///
    /// Such a name may be misspelt.
    /// - Parameters:
    ///   - archives: Archives, as ``migrated(_:)`` takes them.
    ///   - effects: Effects with the versions that saved them.
    /// - Returns: The steps.
    package static func stepsWithoutUse(
        for archives: [JSONValue],
        effects: [(version: Int, effect: RawEffect)]
    ) -> [Migration] {
        let steps = CompiledWorkflow<Self>.shared.definition.migrations
        var (asked, used) = (Set<Int>(), Set<Int>())
        for archive in archives {
            guard var raw = RawArchive(archive) else { continue }
            for (index, step) in steps.enumerated() where step.version > raw.version {
                asked.insert(index)
                if step.concerns(raw) { used.insert(index) }
                do { try step.apply(to: &raw) } catch { break }
            }
        }
        for (version, effect) in effects {
            var effect = effect
            for (index, step) in steps.enumerated() where step.version > version {
                if step.concerns(effect) { used.insert(index) }
                do { try step.apply(to: &effect) } catch { break }
            }
        }
        return asked.subtracting(used).sorted().map { steps[$0] }
    }
}

extension Migration {
    fileprivate func concerns(_ archive: RawArchive) -> Bool {
        switch change {
        case .archives(let state, _): state == nil || state == archive.state
        case .state(let name, _, _): name == archive.state
        case .values(let key, _): archive.data.hasValue(under: key)
        case .effect, .effectName: false
        case .nothing: true
        }
    }

    fileprivate func concerns(_ effect: RawEffect) -> Bool {
        switch change {
        case .effect(let name, _), .effectName(let name, _): name == effect.name
        case .values(let key, _): effect.data.hasValue(under: key)
        case .archives(let state, _): state == nil
        case .state: false
        case .nothing: true
        }
    }
}

extension JSONValue {
    /// Whether an object has a key, at any depth.
    fileprivate func hasValue(under key: String) -> Bool {
        switch self {
        case .array(let elements): elements.contains { $0.hasValue(under: key) }
        case .object(let members): members[key] != nil || members.values.contains { $0.hasValue(under: key) }
        default: false
        }
    }
}

extension RawArchive {
    fileprivate init?(_ archive: JSONValue) {
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

// MARK: - Names

extension TransitionValidator {
    /// The current names of an occurrence's states, as far as migrations know them.
    package func namesToday(of occurrence: Occurrence) -> (source: String, destination: String?) {
        definition.namesToday(of: occurrence)
    }
}

extension DrawnMoment {
    /// The current names of an occurrence's states, as far as migrations know them.
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
            guard step.version > version, case .state(state, let name, _) = step.change else { return state }
            return name
        }
    }
}
