#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A store that keeps a file a machine in a folder.
///
/// A file has two lines: who it is, and the archive.
///
/// ```
/// $ cat orders/42.json
/// {"id":"42","revision":3,"state":"PlacedState","workflow":"Order"}
/// {"activated":true,"data":{…},"format":1,"revision":2,"state":"PlacedState","version":1,"workflow":"Order"}
/// ```
///
/// Any number of processes may use the folder at once. A file is written elsewhere, synced and renamed, with a lock that the
/// system lets go when a process dies: a process killed at any moment leaves the old file or the new one, never a part of one.
/// What such a process leaves behind is swept when a store is made for the folder. Locks, unfinished files, and the revisions
/// that what is made anew comes after are in the folder `.store` within; it stays as long as the folder does.
///
/// The methods read and write on the thread that calls them. A save takes as long as the disk takes to sync. Errors of the file
/// system are ``ArchiveError/inaccessibleFile(_:explanation:)``.
public final class DirectoryStore: ArchiveStore {
    private let folder: Folder
    private let own: Folder
    private let limit: Int

    /// What every JSON reader keeps exactly.
    private static let revisions = 1...MachineCore.largestRevision

    /// What the first line of a file says.
    private struct Header: Codable {
        let id: String
        let revision: Int
        let state: String
        let workflow: String
    }

    /// Opens a folder, or makes it.
    ///
    /// It looks at the names of the files and reads none.
    /// - Parameters:
    ///   - folder: The folder.
    ///   - limit: How many bytes a file may have; 64 MiB unless said otherwise.
    /// - Throws: ``ArchiveError/inaccessibleFile(_:explanation:)``.
    public init(at folder: URL, limit: Int = 64 << 20) throws(ArchiveError) {
        self.folder = Folder(path: folder.path)
        own = Folder(path: self.folder.file(".store"))
        self.limit = limit
        try own.make()
        try sweep()
    }

    /// Finds what is kept for an id.
    /// - Parameter id: Any text.
    /// - Returns: What is kept; `nil` if nothing is.
    /// - Throws: ``ArchiveError``; ``StoreError/damaged(id:explanation:)`` for a file that is none of a store.
    public func load(_ id: String) async throws -> StoredArchive? {
        guard let content = try folder.content(of: FileName.of(id), limit: limit) else { return nil }
        let (header, rest) = try Self.header(of: content, id)
        guard header.id.utf8.elementsEqual(id.utf8) else { return nil }
        let archive = rest.last == UInt8(ascii: "\n") ? rest.dropLast() : rest
        return StoredArchive(
            id: id,
            revision: header.revision,
            workflow: header.workflow,
            state: header.state,
            archive: Data(archive)
        )
    }

    /// Keeps an archive in the place of the one that has its revision.
    /// - Parameter archive: What to keep.
    /// - Returns: The revision that it has now.
    /// - Throws: ``StoreError/conflict(id:expected:found:)`` if what is kept has another revision; ``StoreError/damaged(id:explanation:)``;
    ///   ``ArchiveError``. What was kept is untouched then.
    @discardableResult
    public func save(_ archive: StoredArchive) async throws -> Int {
        let name = FileName.of(archive.id)
        let lock = try FileLock.take(lockFile(of: name))
        try expect(archive.revision, of: archive.id, in: name)
        let revision = (archive.revision == 0 ? try lock.number() : archive.revision) &+ 1
        guard Self.revisions.contains(revision) else {
            throw StoreError.damaged(id: archive.id, explanation: "There is no revision after \(revision &- 1).")
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let header = try encoder.encode(
            Header(id: archive.id, revision: revision, state: archive.state, workflow: archive.workflow)
        )
        let content = header + Data("\n".utf8) + archive.archive + Data("\n".utf8)
        guard content.count <= limit else { throw ArchiveError.tooLarge(content.count, limit: limit) }
        var file = try ReplacingFile(at: folder.file(name), draft: own.file(name))
        try file.write(content)
        try file.finish()
        _ = consume lock
        return revision
    }

    /// Forgets what is kept for an id.
    /// - Parameters:
    ///   - id: The id.
    ///   - revision: The revision that is to be forgotten; `nil` for whichever there is, also for a file that is damaged.
    /// - Returns: Whether anything was kept.
    /// - Throws: ``StoreError/conflict(id:expected:found:)`` if what is kept has another revision;
    ///   ``StoreError/damaged(id:explanation:)`` if that cannot be said; ``ArchiveError``.
    @discardableResult
    public func delete(_ id: String, expecting revision: Int? = nil) async throws -> Bool {
        let name = FileName.of(id)
        // First: where there is no descriptor left for them, nothing must have happened yet.
        let names = try folder.opened()
        let locks = try own.opened()
        let lock = try FileLock.take(lockFile(of: name))
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

    /// Finds the ids of everything that is kept, or of machines of a workflow, or of those in a state.
    ///
    /// For all of them it looks at the names of the files; otherwise at the beginning of each. A file that is none of a store, or
    /// damaged, is left out.
    /// - Parameters:
    ///   - workflow: The name of the workflow; `nil` for any.
    ///   - state: The name of the state; `nil` for any.
    /// - Returns: The ids, sorted.
    /// - Throws: ``ArchiveError/inaccessibleFile(_:explanation:)``.
    public func ids(of workflow: String?, in state: String?) async throws -> [String] {
        var ids: [String] = []
        for name in try folder.names() where FileName.isOne(name) {
            if workflow == nil, state == nil, let id = FileName.id(of: name) {
                ids.append(id)
                continue
            }
            guard let content = try beginning(of: name), let header = try? Self.header(of: content, name).header,
                FileName.of(header.id) == name
            else { continue }
            if (workflow ?? header.workflow) == header.workflow, (state ?? header.state) == header.state {
                ids.append(header.id)
            }
        }
        return ids.sorted()
    }

    // MARK: -

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
            throw .damaged(id: id, explanation: "The file has not two lines.")
        }
        do {
            let header = try Header(from: ArchiveDecoder(.text(try JSONText([UInt8](content[..<end])), 0)))
            guard revisions.contains(header.revision) else {
                throw StoreError.damaged(id: id, explanation: "\(header.revision) is no revision.")
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
            guard let lock = try FileLock.takeIfFree(lockFile(of: name)) else { continue }
            try own.remove(draft)
            _ = consume lock
        }
    }
}
