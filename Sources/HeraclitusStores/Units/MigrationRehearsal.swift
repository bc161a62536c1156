public import Heraclitus

/// The result of reading all archives of a store with the current workflow: see ``StoredWorkflow/rehearseMigration()``.
public struct MigrationRehearsal: Sendable {
    /// The number of readable archives, by version.
    public private(set) var readable: [Int: Int] = [:]

    /// The unreadable archives, by id: the version that wrote the archive, if it can be read, and the error.
    public private(set) var failures: [(id: String, version: Int?, error: ArchiveError)] = []

    fileprivate mutating func add<W: Workflow>(_ stored: StoredArchive, in workflow: StoredWorkflow<W>) {
        var version: Int?
        do {
            version = stored.writtenVersion
            _ = try workflow.machine(of: stored)
            try stored.checkEffects(of: workflow.knownEffects)
            readable[version ?? workflow.workflowVersion, default: 0] += 1
        } catch {
            add(error, of: stored.id, version: version)
        }
    }

    fileprivate mutating func add(_ error: ArchiveError, of id: String, version: Int? = nil) {
        failures.append((id, version, error))
    }
}

extension StoredArchive {
    /// Throws unless the effects that wait can be handed to handlers.
    fileprivate func checkEffects(of known: KnownEffects) throws(ArchiveError) {
        guard let effects else { return }
        let outbox: Outbox
        do throws(StoreError) { outbox = try Outbox(effects, of: id) } catch {
            throw .malformed(path: "", explanation: "\(error)")
        }
        for entry in outbox.entries { _ = try outbox.effect(entry, of: id).effect(of: known) }
    }
}

extension MigrationRehearsal: CustomStringConvertible {
    /// The numbers by version, and a line for each unreadable archive.
    public var description: String {
        let versions = Set(readable.keys).union(failures.compactMap(\.version)).sorted()
        let lines = versions.map { version in
            let failed = failures.count { $0.version == version }
            let others = failed == 0 ? "" : ", \(failed) cannot"
            return "version \(version): \(readable[version] ?? 0) can be read\(others)"
        }
        return (lines + failures.map { "  \($0.id.shortened): \($0.error)" }).joined(separator: "\n")
    }
}

extension StoredWorkflow {
    /// Reads every archive of the workflow with the current definition, including migrations and waiting effects.
    ///
    /// The store stays unchanged.
    ///
    /// The rehearsal loads all ids of the store, because a damaged archive may hide its workflow. Damaged archives
    /// therefore count for every workflow. A damaged file of a ``DirectoryStore`` is skipped if its id is too long for
    /// the file name.
    ///
    /// Run it with a copy of the store before users get a new version:
    ///
    /// ```swift
    /// let rehearsal = try await orders.rehearseMigration()
    /// print(rehearsal)             // version 1: 214 can be read, 1 cannot …
    /// rehearsal.failures.map(\.id)
    /// ```
    /// - Returns: The number of readable archives by version, and the unreadable ones.
    /// - Throws: Errors of the store's medium.
    public func rehearseMigration() async throws -> MigrationRehearsal {
        var rehearsal = MigrationRehearsal()
        let listed = Set(try await ids().map(ExactID.init))
        // A damaged archive may hide its workflow.
        for id in try await store.ids() {
            do {
                // A machine deleted during the rehearsal is skipped.
                guard let stored = try await store.load(id), workflowNames.contains(stored.workflow) else { continue }
                rehearsal.add(stored, in: self)
            } catch StoreError.damaged(_, let explanation) {
                rehearsal.add(.malformed(path: "", explanation: explanation), of: id)
            } catch let error as ArchiveError {
                guard case .tooLarge = error else { throw error }
                // An unlisted machine is of another workflow.
                if listed.contains(ExactID(id)) { rehearsal.add(error, of: id) }
            }
        }
        return rehearsal
    }
}
