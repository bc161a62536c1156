/// A step that converts archives of an older version of a workflow to a newer version.
///
/// ``Workflow/migrations`` lists the steps, those of older versions first. They run in that order, on the raw data, before
/// anything typed is decoded. So a step can handle classes that are gone.
///
/// ```swift
/// static var version: Int { 3 }
/// static var migrations: [Migration] {
///     [
///         .renameState("Waiting", to: "Idle", in: 2),
///         .removeState("Paused", into: "Idle", in: 3),
///         .step("one url becomes a list", in: 3) { archive in
///             guard let url = archive.data["url"] else { return }
///             archive.data["urls"] = .array([url])
///             archive.data["url"] = nil
///         },
///     ]
/// }
/// ```
///
/// A machine that a state contains has an archive of its own within that of the state. The steps of its own workflow
/// migrate it.
public struct Migration: Sendable {
    /// The version that the step leads to.
    public let version: Int

    /// What the step does, for errors and diagnostics.
    public let name: String

    let change: @Sendable (inout RawArchive) throws -> Void

    /// What the step does to the names of states, as far as that is known.
    let renaming: Renaming

    enum Renaming: Sendable {
        case nothing
        case state(String, to: String)

        /// A closure decides.
        case unknown
    }

    private init(
        _ name: String,
        in version: Int,
        _ renaming: Renaming,
        _ change: @escaping @Sendable (inout RawArchive) throws -> Void
    ) {
        self.name = name
        self.version = version
        self.renaming = renaming
        self.change = change
    }

    /// Makes a step from a closure.
    ///
    /// The closure gets every archive of an older version, whatever its state. If it throws, the archive cannot be read.
    /// - Parameters:
    ///   - name: What the step does.
    ///   - version: The version that it leads to, 2 or later.
    ///   - change: Changes the archive.
    /// - Returns: The step.
    public static func step(
        _ name: String,
        in version: Int,
        _ change: @escaping @Sendable (inout RawArchive) throws -> Void
    ) -> Migration {
        Migration(name, in: version, .unknown, change)
    }

    /// Makes a step for the archives of one state.
    ///
    /// The closure gets every archive of an older version that is in that state when the step runs, after the steps before it. It may also change the
    /// state, such as to one of several into which it was split. If it throws, the archive cannot be read.
    /// - Parameters:
    ///   - name: What the step does.
    ///   - version: The version that it leads to, 2 or later.
    ///   - state: The name of the state, as the steps before have left it.
    ///   - change: Changes the archive.
    /// - Returns: The step.
    public static func step(
        _ name: String,
        in version: Int,
        of state: String,
        _ change: @escaping @Sendable (inout RawArchive) throws -> Void
    ) -> Migration {
        Migration(name, in: version, .unknown) { archive in if archive.state == state { try change(&archive) } }
    }

    /// Makes a step for a state that was renamed.
    /// - Parameters:
    ///   - name: The old name.
    ///   - newName: The new name.
    ///   - version: The version in which it was renamed, 2 or later.
    /// - Returns: The step.
    public static func renameState(_ name: String, to newName: String, in version: Int) -> Migration {
        Migration("rename the state \(name) to \(newName)", in: version, .state(name, to: newName)) { archive in
            if archive.state == name { archive.state = newName }
        }
    }

    /// Makes a step for a state that was removed: its machines are moved to another state.
    /// - Parameters:
    ///   - name: The name of the removed state.
    ///   - other: The name of the state to which its machines are moved.
    ///   - version: The version in which it was removed, 2 or later.
    ///   - change: Converts the data of the removed state to that of the other; changes nothing by default.
    /// - Returns: The step.
    public static func removeState(
        _ name: String,
        into other: String,
        in version: Int,
        data change: @escaping @Sendable (inout JSONValue) throws -> Void = { _ in }
    ) -> Migration {
        Migration("remove the state \(name) into \(other)", in: version, .state(name, to: other)) { archive in
            guard archive.state == name else { return }
            archive.state = other
            try change(&archive.data)
        }
    }

    /// Makes a step for a version that reads all older archives as they are.
    /// - Parameter version: The version, 2 or later.
    /// - Returns: The step.
    public static func unchanged(in version: Int) -> Migration {
        Migration("leave everything as it is", in: version, .nothing) { _ in }
    }
}

/// An archive before anything typed is decoded: the name of a state, and its data.
public struct RawArchive: Sendable {
    /// The name of the workflow.
    public let workflow: String

    /// The version of the workflow that wrote the archive.
    public let version: Int

    /// The machine's revision.
    public let revision: Int

    /// Whether the machine had been activated.
    public let isActivated: Bool

    /// The name of the state.
    public var state: String

    /// The state's data.
    public var data: JSONValue
}
