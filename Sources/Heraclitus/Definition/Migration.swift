/// A step that converts archives of an older version of a workflow to a newer version.
///
/// ``Workflow/migrations`` lists the steps, older versions first. They run in that order, on the raw data, before typed
/// decoding. A step can therefore handle removed classes.
///
/// ```swift
/// static var version: Int { 3 }
/// static var migrations: [Migration] {
///     [
///         .state("Waiting", becomes: "Idle", in: 2),
///         .state("Paused", becomes: "Idle", in: 3) { data in data["since"] = nil },
///         .step("one url becomes a list", in: 3) { archive in
///             guard let url = archive.data["url"] else { return }
///             archive.data["urls"] = .array([url])
///             archive.data["url"] = nil
///         },
///     ]
/// }
/// ```
///
/// A machine in a state has its own archive within the state's archive. The steps of its own workflow migrate it.
public struct Migration: Sendable {
    /// The version that the step leads to.
    package let version: Int

    /// The description of the step, for errors and diagnostics.
    package let name: String

    package let change: Change

    /// The change of a step; other archives and effects stay as they are.
    package enum Change: Sendable {
        package typealias Data = @Sendable (inout JSONValue) throws -> Void

        /// A closure changes the archives of a state, or of all states for `nil`.
        case archives(of: String?, @Sendable (inout RawArchive) throws -> Void)

        /// The machines of a state move to another one, and a closure changes their data.
        case state(String, to: String, Data)

        /// The effects of a type get another name or keep their own, and a closure changes their data.
        case effect(String, to: String, Data)

        /// A closure changes the values under a key, in states and effects.
        case values(key: String, Data)
        case nothing
    }

    private init(_ name: String, in version: Int, _ change: Change) {
        self.name = name
        self.version = version
        self.change = change
    }

    /// Makes a step from a closure.
    ///
    /// The closure gets every archive of an older version, or those in one state after the earlier steps. It may also
    /// change the state, for example to one of several states into which it was split. If it throws, the archive is
    /// unreadable.
    /// - Parameters:
    ///   - name: The description of the step.
    ///   - version: The version that the step leads to, 2 or later.
    ///   - state: The name of the state after the earlier steps; by default archives in any state.
    ///   - change: Changes the archive.
    /// - Returns: The step.
    public static func step(
        _ name: String,
        in version: Int,
        of state: String? = nil,
        _ change: @escaping @Sendable (inout RawArchive) throws -> Void
    ) -> Migration {
        Migration(name, in: version, .archives(of: state, change))
    }

    /// Makes a step for a renamed state, or for a removed one, whose machines move to another state.
    ///
    /// ```swift
    /// .state("Paused", becomes: "Idle", in: 2) { data in data["since"] = nil }
    /// ```
    /// - Parameters:
    ///   - name: The name of the state after the earlier steps.
    ///   - other: The new name, or the name of the new state of its machines.
    ///   - version: The version in which it was renamed or removed, 2 or later.
    ///   - change: Converts the data to that of the other state; by default it stays.
    /// - Returns: The step.
    public static func state(
        _ name: String,
        becomes other: String,
        in version: Int,
        data change: @escaping @Sendable (inout JSONValue) throws -> Void = { _ in }
    ) -> Migration {
        Migration("turn the state \(name) into \(other)", in: version, .state(name, to: other, change))
    }

    /// Makes a step for the waiting effects of a type: a new name, changed data, or both.
    ///
    /// ```swift
    /// .effect("SendLetter", becomes: "SendMail", in: 2)
    /// .effect("SendMail", in: 3) { data in data["subject"] = "Thank you" }
    /// ```
    ///
    /// The closure gets the data of each effect of an older version. If it throws, the effect is parked.
    /// - Parameters:
    ///   - name: The name of the type of effects after the earlier steps.
    ///   - newName: The new name; by default the type keeps its name.
    ///   - version: The version that the step leads to, 2 or later.
    ///   - change: Changes the data; by default it stays.
    /// - Returns: The step.
    public static func effect(
        _ name: String,
        becomes newName: String? = nil,
        in version: Int,
        data change: @escaping @Sendable (inout JSONValue) throws -> Void = { _ in }
    ) -> Migration {
        let text = newName.map { "turn the effect \(name) into \($0)" } ?? "convert the effect \(name)"
        return Migration(text, in: version, .effect(name, to: newName ?? name, change))
    }

    /// Makes a step for a type of values that several states or effects contain.
    ///
    /// The closure gets each value under the key, in the data of all states and of waiting effects, at any depth. For a
    /// list it gets each element. Machines within the data are migrated by the steps of their own workflow.
    /// - Parameters:
    ///   - key: The key of the values.
    ///   - version: The version that the step leads to, 2 or later.
    ///   - change: Changes a value.
    /// - Returns: The step.
    public static func values(
        under key: String,
        in version: Int,
        _ change: @escaping @Sendable (inout JSONValue) throws -> Void
    ) -> Migration {
        Migration("convert values under \(key)", in: version, .values(key: key, change))
    }

    /// Makes a step for a version that reads all older archives unchanged.
    /// - Parameter version: The version, 2 or later.
    /// - Returns: The step.
    public static func unchanged(in version: Int) -> Migration {
        Migration("leave everything as it is", in: version, .nothing)
    }
}

extension Migration {
    /// Carries out the step.
    /// - Parameter archive: The archive.
    /// - Returns: Whether the archive has what the step is for.
    /// - Throws: The error of the step's closure.
    @discardableResult
    package func apply(to archive: inout RawArchive) throws -> Bool {
        switch change {
        case .archives(let state, let change):
            guard state == nil || state == archive.state else { return false }
            try change(&archive)
            return true
        case .state(let name, let other, let change):
            guard archive.state == name else { return false }
            archive.state = other
            try change(&archive.data)
            return true
        case .values(let key, let change): return try archive.data.changeValues(under: key, change)
        case .effect: return false
        case .nothing: return true
        }
    }
}

extension Definition {
    /// Migrates an archive to this version, step by step.
    /// - Parameters:
    ///   - archive: The archive.
    ///   - path: The path of the archive.
    /// - Returns: The archive with its migrated state and data.
    /// - Throws: ``ArchiveError/failedMigration(_:version:path:underlyingError:)``.
    package func migrated(_ archive: RawArchive, at path: String) throws(ArchiveError) -> RawArchive {
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

/// An archive before typed decoding: the name of a state, and its data.
public struct RawArchive: Sendable {
    /// The name of the workflow.
    package let workflow: String

    /// The version of the workflow that wrote the archive.
    package let version: Int

    /// The machine's revision.
    package let revision: Int

    /// The name of the state.
    public var state: String

    /// The state's data.
    public var data: JSONValue

    package init(workflow: String, version: Int, revision: Int, state: String, data: JSONValue) {
        (self.workflow, self.version, self.revision, self.state, self.data) = (workflow, version, revision, state, data)
    }
}

extension JSONValue {
    /// Changes each value under a key, at any depth; for a list, each element.
    ///
    /// Archives of machines are left alone, because they are migrated by the steps of their own workflow.
    /// - Returns: Whether there is such a value, or an empty list, which may have had some.
    package mutating func changeValues(
        under key: String,
        _ change: (inout JSONValue) throws -> Void
    ) rethrows -> Bool {
        var isFound = false
        switch self {
        case .array(var elements):
            for index in elements.indices {
                if try elements[index].changeValues(under: key, change) { isFound = true }
            }
            self = .array(elements)
        case .object(var members) where !isArchive:
            for name in members.keys.sorted() {
                guard var value = members[name] else { continue }
                if try value.changeValues(under: key, change) { isFound = true }
                if name == key {
                    if case .array(var elements) = value {
                        if elements.isEmpty { isFound = true }
                        for index in elements.indices where !elements[index].isArchive {
                            try change(&elements[index])
                            isFound = true
                        }
                        value = .array(elements)
                    } else if !value.isArchive {
                        try change(&value)
                        isFound = true
                    }
                }
                members[name] = value
            }
            self = .object(members)
        default: break
        }
        return isFound
    }

    /// Whether the value is an archive of a machine or of a single state.
    package var isArchive: Bool {
        func member(_ key: EnvelopeKey) -> JSONValue? { self[key.stringValue] }
        return member(.format)?.intValue != nil && member(.version)?.intValue != nil
            && member(.workflow)?.stringValue != nil && member(.state)?.stringValue != nil && member(.data) != nil
    }
}
