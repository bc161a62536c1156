public import Heraclitus
public import HeraclitusEssentials

/// A store that writes one file for each machine into a folder.
///
/// A file has two lines: a header, and the archive.
///
/// ```
/// $ cat orders/42.json
/// {"id":"42","revision":3,"state":"PlacedState","workflow":"Order"}
/// {"activated":true,"data":{…},"format":1,"revision":2,"state":"PlacedState","version":1,"workflow":"Order"}
/// ```
///
/// Any number of processes may use the folder at once. A file is written elsewhere, synced and renamed, under a lock that the
/// system releases when a process ends. So a process that is killed at any moment leaves the old file or the new one, never a
/// part of one. Its unfinished files are removed when the next store is made for the folder. The subfolder `.store` contains
/// locks, unfinished files and the last revisions of deleted machines. Do not delete it. Several machines that are saved together
/// are written there as well, with a record of them: from the moment when that is complete all of them count, and whoever uses the
/// folder next puts them into their places if the process has died meanwhile.
///
/// The methods read and write on the calling thread. A save waits until the disk has synced. Errors of the file system are
/// `ArchiveError.inaccessibleFile(_:explanation:)`.
public final class DirectoryStore: ArchiveStore {
    private let folder: Folder
    private let own: Folder
    private let limit: Int
    private let transaction: DirectoryTransaction

    /// What every JSON reader keeps exactly.
    private static let revisions = 1...(Int(exactly: UInt64(1) << 53) ?? .max)

    /// What the first line of a file says.
    private struct Header: Codable {
        /// As archives have dates.
        let due: String?

        /// When the next effect may be carried out, as archives have dates.
        let effects: String?
        let id: String
        let revision: Int
        let state: String
        let workflow: String

        /// Whether it is of a workflow and in a state, as far as these are given.
        func isOf(_ workflow: String?, in state: String? = nil) -> Bool {
            (workflow ?? self.workflow) == self.workflow && (state ?? self.state) == self.state
        }
    }

    /// Opens a folder, or makes it.
    ///
    /// It reads the names of the files, and no file.
    /// - Parameters:
    ///   - folder: The folder.
    ///   - limit: The maximum size of a file in bytes, 64 MiB by default.
    /// - Throws: `ArchiveError.inaccessibleFile(_:explanation:)`.
    public init(at folder: URL, limit: Int = 64 << 20) throws(ArchiveError) {
        self.folder = Folder(path: folder.path)
        own = Folder(path: self.folder.file(".store"))
        self.limit = limit
        transaction = DirectoryTransaction(folder: self.folder, own: own)
        try own.make()
        try transaction.complete()
        try sweep()
    }

    /// Loads the archive that is stored for an id.
    /// - Parameter id: Any text.
    /// - Returns: The archive; `nil` if nothing is stored.
    /// - Throws: `ArchiveError`; ``StoreError/damaged(id:explanation:)`` for a file that is not one of a store.
    public func load(_ id: String) async throws -> StoredArchive? {
        try transaction.complete()
        guard let content = try folder.content(of: FileName.of(id), limit: limit) else { return nil }
        let (header, rest) = try Self.header(of: content, id)
        guard header.id.utf8.elementsEqual(id.utf8) else { return nil }
        let archive = rest.last == UInt8(ascii: "\n") ? rest.dropLast() : rest
        return StoredArchive(
            id: id,
            revision: header.revision,
            workflow: header.workflow,
            state: header.state,
            due: header.due.flatMap(ArchivedDate.date(of:)),
            archive: Data(archive)
        )
    }

    /// Stores an archive, which replaces the one with its revision.
    /// - Parameter archive: The archive.
    /// - Returns: The new revision.
    /// - Throws: ``StoreError/conflict(id:expected:found:)`` if another revision is stored; ``StoreError/damaged(id:explanation:)``;
    ///   `ArchiveError`. The stored archive does not change then.
    @discardableResult
    public func save(_ archive: StoredArchive) async throws -> Int {
        let name = FileName.of(archive.id)
        let lock = try lock(name)
        try expect(archive.revision, of: archive.id, in: name)
        let (content, revision) = try content(of: archive, after: archive.revision == 0 ? try lock.number() : nil)
        var file = try ReplacingFile(at: folder.file(name), draft: own.file(name))
        try file.write(content)
        try file.finish()
        _ = consume lock
        return revision
    }

    /// Stores several archives, or none of them.
    /// - Parameter archives: The archives.
    /// - Returns: The new revisions in the order of the archives.
    /// - Throws: What ``save(_:)`` throws of the first that cannot be saved. No stored archive changes then.
    @discardableResult
    public func save(together archives: [StoredArchive]) async throws -> [Int] {
        guard let first = archives.first else { return [] }
        if archives.count == 1 { return [try await save(first)] }
        let names = archives.map { FileName.of($0.id) }
        let pending = try transaction.begin()
        // In one order, so that no two wait for one another.
        let stripes = Set(names.map(FileName.stripe)).sorted()
        let locks = try stripes.map { try HeldLock(own.file("\($0)")) }
        var revisions: [Int] = []
        do {
            for (archive, name) in zip(archives, names) {
                if let earlier = names.prefix(revisions.count).lastIndex(of: name) {
                    throw StoreError.conflict(id: archive.id, expected: archive.revision, found: revisions[earlier])
                }
                try expect(archive.revision, of: archive.id, in: name)
                let lock = locks[stripes.firstIndex(of: FileName.stripe(of: name)) ?? 0]
                let last = archive.revision == 0 ? try lock.number() : nil
                let (content, revision) = try content(of: archive, after: last)
                var file = try ReplacingFile(at: folder.file(name), draft: own.file(name))
                try file.write(content)
                pending.add(try file.leave(), for: name)
                revisions.append(revision)
            }
            try pending.commit()
        } catch {
            pending.giveUp()
            throw error
        }
        withExtendedLifetime(locks) {}
        return revisions
    }

    /// What is written of an archive, and its new revision.
    private func content(of archive: StoredArchive, after last: Int?) throws -> (Data, Int) {
        let revision = (last ?? archive.revision) &+ 1
        guard Self.revisions.contains(revision) else {
            throw StoreError.damaged(id: archive.id, explanation: "There is no revision after \(revision &- 1).")
        }
        let header = Header(
            due: archive.due.flatMap(ArchivedDate.text),
            effects: archive.effectsDue.flatMap(ArchivedDate.text),
            id: archive.id,
            revision: revision,
            state: archive.state,
            workflow: archive.workflow
        )
        let line = Data(try ArchiveEncoder.bytes(of: header))
        let content = line + Data("\n".utf8) + archive.archive + Data("\n".utf8)
        guard content.count <= limit else { throw ArchiveError.tooLarge(content.count, limit: limit) }
        return (content, revision)
    }

    /// Deletes the stored archive.
    /// - Parameters:
    ///   - id: The id.
    ///   - revision: The revision to delete; `nil` for any, also for a damaged file.
    /// - Returns: Whether there was an archive.
    /// - Throws: ``StoreError/conflict(id:expected:found:)`` if another revision is stored;
    ///   ``StoreError/damaged(id:explanation:)`` if the revision cannot be read; `ArchiveError`.
    @discardableResult
    public func delete(_ id: String, expecting revision: Int? = nil) async throws -> Bool {
        let name = FileName.of(id)
        // First: where there is no descriptor left for them, nothing must have happened yet.
        let names = try folder.opened()
        let locks = try own.opened()
        let lock = try lock(name)
        let last = try lock.number()
        let found: Int
        do {
            found = try self.revision(of: id, in: name)
        } catch  where revision == nil && Self.isDamage(error) {
            // Whatever it was, it was less.
            found = min(last, Self.revisions.upperBound / 2) + 1_000_000_000
        }
        if let revision, revision != found { throw StoreError.conflict(id: id, expected: revision, found: found) }
        if found > 0 {
            // First: who dies in between leaves a file that is still there, and not a revision that comes again.
            // One that nobody can have reached by saving would leave none for what is made anew.
            if found > last {
                try lock.keep(min(found, Self.revisions.upperBound / 2))
                try locks.sync()
            }
            try folder.remove(name)
            try names.sync()
        }
        _ = consume lock
        return found > 0
    }

    /// Finds the ids of all archives, or of those of a workflow, or of those in a state.
    ///
    /// For all ids it reads the names of the files, whatever is in them. It reads the first line only where a name does not say the id, because
    /// that is too long. For the ids of a workflow or a state it reads the first line of each file. Where it reads first lines, damaged files, and
    /// files that are not those of a store, are left out.
    /// - Parameters:
    ///   - workflow: The name of the workflow; `nil` for any.
    ///   - state: The name of the state; `nil` for any.
    /// - Returns: The ids, sorted by their UTF-8.
    /// - Throws: `ArchiveError.inaccessibleFile(_:explanation:)`.
    public func ids(of workflow: String?, in state: String?) async throws -> [String] {
        try transaction.complete()
        var ids: [String] = []
        for name in try folder.names() where FileName.isOne(name) {
            if workflow == nil, state == nil, let id = FileName.id(of: name) {
                ids.append(id)
                continue
            }
            guard let header = try header(of: name) else { continue }
            if header.isOf(workflow, in: state) { ids.append(header.id) }
        }
        return ids.sortedByUTF8()
    }

    /// Finds the next ids of a listing.
    ///
    /// It reads the names of all files, and the first lines of those whose ids are too long for a name, but of others no more than it needs.
    /// - Parameters:
    ///   - workflow: The name of the workflow; `nil` for any.
    ///   - state: The name of the state; `nil` for any.
    ///   - id: The last id of the page before; `nil` for the first page.
    ///   - limit: The maximum number of ids.
    /// - Returns: The ids, sorted by their UTF-8; fewer than `limit` if there are no more.
    /// - Throws: `ArchiveError.inaccessibleFile(_:explanation:)`.
    public func ids(
        of workflow: String?,
        in state: String?,
        after id: String?,
        limit: Int
    ) async throws -> [String] {
        var page: [String] = []
        for id in try await ids(of: nil, in: nil).following(id) where page.count < limit {
            if workflow != nil || state != nil {
                guard let header = try header(of: FileName.of(id)), header.isOf(workflow, in: state) else { continue }
            }
            page.append(id)
        }
        return page
    }

    /// Finds the machines of a workflow with a deadline that has passed.
    ///
    /// It looks at the beginning of each file. One that is none of a store, or damaged, is left out.
    /// - Parameters:
    ///   - date: By when it is due.
    ///   - workflow: The name of the workflow; `nil` for any.
    /// - Returns: The ids, those first in which something is due first.
    /// - Throws: `ArchiveError.inaccessibleFile(_:explanation:)`.
    public func ids(dueBy date: Date, of workflow: String?) async throws -> [String] {
        try ids(of: workflow, by: date) { $0.due }
    }

    /// Finds the machines with effects that may be carried out by a date.
    ///
    /// It looks at the beginning of each file.
    /// - Parameters:
    ///   - date: By when; in the distant future also machines all of whose effects are parked.
    ///   - workflow: The name of the workflow; `nil` for any.
    ///   - limit: The maximum number of ids.
    /// - Returns: The ids, those first that have waited longest.
    /// - Throws: `ArchiveError.inaccessibleFile(_:explanation:)`.
    public func ids(withEffectsBy date: Date, of workflow: String?, limit: Int) async throws -> [String] {
        Array(try ids(of: workflow, by: date) { $0.effects }.prefix(max(0, limit)))
    }

    // MARK: -

    /// The ids by a date that the first lines of their files have, the earliest first.
    private func ids(of workflow: String?, by date: Date, _ column: (Header) -> String?) throws -> [String] {
        try transaction.complete()
        var found: [(date: Date, id: String)] = []
        try forEachHeader { header in
            guard header.isOf(workflow), let due = column(header).flatMap(ArchivedDate.date(of:)), due <= date
            else { return }
            found.append((due, header.id))
        }
        return found.sorted { ($0.date, $0.id) < ($1.date, $1.id) }.map(\.id)
    }

    /// Takes the lock of a file when no transaction is under way that may replace it.
    private func lock(_ name: String) throws(ArchiveError) -> FileLock {
        while true {
            try transaction.complete()
            let lock = try FileLock.take(lockFile(of: name))
            if try !transaction.isUnderWay { return lock }
            _ = consume lock
        }
    }

    /// Calls a body with what the first line of each file says; not of one that is none of a store, or damaged.
    private func forEachHeader(_ body: (Header) -> Void) throws(ArchiveError) {
        for name in try folder.names() where FileName.isOne(name) {
            if let header = try header(of: name) { body(header) }
        }
    }

    private func header(of name: String) throws(ArchiveError) -> Header? {
        guard let content = try beginning(of: name), let header = try? Self.header(of: content, name).header,
            FileName.of(header.id) == name
        else { return nil }
        return header
    }

    private func expect(_ revision: Int, of id: String, in name: String) throws {
        let found = try self.revision(of: id, in: name)
        if found != revision { throw StoreError.conflict(id: id, expected: revision, found: found) }
    }

    /// The revision that is kept for an id, 0 for none.
    private func revision(of id: String, in name: String) throws -> Int {
        guard let content = try folder.content(of: name, firstLineOnly: true, limit: limit) else { return 0 }
        let header = try Self.header(of: content, id).header
        guard header.id.utf8.elementsEqual(id.utf8) else { throw StoreError.ambiguousID(id, taken: header.id) }
        return header.revision
    }

    private static func isDamage(_ error: any Error) -> Bool {
        switch error {
        case StoreError.damaged, ArchiveError.tooLarge: true
        default: false
        }
    }

    /// The first line of a file; `nil` for one that cannot be a store's.
    private func beginning(of name: String) throws(ArchiveError) -> Data? {
        do {
            return try folder.content(of: name, firstLineOnly: true, limit: limit)
        } catch .tooLarge {
            return nil
        }
    }

    private static func header(of content: Data, _ id: String) throws(StoreError) -> (header: Header, rest: Data) {
        guard let end = content.firstIndex(of: UInt8(ascii: "\n")) else {
            throw .damaged(id: id, explanation: "The file does not have two lines.")
        }
        do {
            let header = try Header(from: ArchiveDecoder(try JSONValue(text: [UInt8](content[..<end]))))
            guard revisions.contains(header.revision) else {
                throw StoreError.damaged(id: id, explanation: "\(header.revision) is not a revision.")
            }
            return (header, content[(end + 1)...])
        } catch let error as StoreError {
            throw error
        } catch let problem as JSONProblem {
            throw .damaged(id: id, explanation: problem.description)
        } catch {
            throw .damaged(id: id, explanation: ArchiveError.explanation(of: error))
        }
    }

    private func lockFile(of name: String) -> String { own.file("\(FileName.stripe(of: name))") }

    /// Removes what processes have left behind that were killed while they wrote.
    private func sweep() throws(ArchiveError) {
        for draft in try own.names() where draft.hasSuffix(".tmp") {
            // NAME.json.RANDOM.tmp
            let name = draft.split(separator: ".").dropLast(2).joined(separator: ".")
            // Whoever is still writing it has the lock.
            let path = name == DirectoryTransaction.record ? transaction.lockPath : lockFile(of: name)
            guard let lock = try FileLock.takeIfFree(path) else { continue }
            // Somebody may have died just now who had saved it together with others.
            if try !transaction.isUnderWay { try own.remove(draft) }
            _ = consume lock
        }
    }
}
