public import Heraclitus
public import HeraclitusEssentials

/// Makes stores, and writes and reads many machines as JSON lines.
///
/// A store keeps each machine by its id:
///
/// ```swift
/// let store = try Archive.directory(at: folder)
/// ```
///
/// A file of JSON lines has one archive per line, and is written and read with one machine in memory at a time:
///
/// ```swift
/// try Archive.write(machines, to: file)
/// for try await line in Archive.lines(of: Order.self, in: file) {
///     switch line.result {
///     case .success(let machine): …
///     case .failure(let error): print("line \(line.number): \(error)")     // the other lines are read
///     }
/// }
/// ```
public enum Archive {
    /// Makes an empty store in memory, for tests and previews.
    ///
    /// The store saves several machines together, and rings its bell after each save. It throws no errors but
    /// ``StoreError/conflict(id:expected:found:)`` and ``StoreError/effectsChanged(id:)``.
    ///
    /// Finding, counting and claiming look at all machines of the store.
    /// - Returns: The store.
    public static func inMemory() -> some ArchiveStore { InMemoryStore() }

    /// Opens a folder as a store with one file for each machine.
    ///
    /// The first line of a file is a header, the second one the archive. Waiting effects and handled messages follow.
    ///
    /// ```
    /// $ cat orders/42.json
    /// {"entered":"2026-01-01T12:00:00Z","id":"42","revision":3,"state":"PlacedState","version":1,"workflow":"Order"}
    /// {"activated":true,"data":{…},"format":1,"revision":2,"state":"PlacedState","version":1,"workflow":"Order"}
    /// ```
    ///
    /// Any number of processes may use the folder at once. A save writes a draft, syncs it and renames it, under a lock
    /// that the system releases when a process ends. A killed process therefore leaves either the old file or the new
    /// one, complete. The next process that opens the folder removes unfinished drafts.
    ///
    /// The subfolder `.store` contains locks, drafts and the last revisions of deleted machines. Do not delete it. A
    /// transaction writes its files there, too, with a record of them. The complete record commits all files. If the
    /// process dies, the next user of the folder moves them into place.
    ///
    /// `.store` also has an index: links to files of machines with a deadline or effects, in the order of dates.
    /// Workers read only the linked files. From time to time, a store compares the index with the first lines of all
    /// files: earlier releases write no index, and a loss of power may lose links.
    ///
    /// Opening reads only the names of the files. Listing all ids reads the names, and first lines only for ids too
    /// long for a name. Other queries and counts read the first line of each file, from ``ArchiveQuery/after`` up to
    /// the limit. Damaged files and foreign files are skipped.
    ///
    /// The methods read and write on the calling thread. A save waits until the disk has synced. After an error, all
    /// files are unchanged, unless the folder could not be synced after the change. A loss of power may undo the lease
    /// of effects. The bell rings after a save that may bring work, also by another process of the same computer.
    ///
    /// Errors of the file system are `ArchiveError.inaccessibleFile(_:explanation:)`. Loading a file that belongs to no
    /// store throws ``StoreError/damaged(id:explanation:)``.
    /// - Parameters:
    ///   - folder: The folder, which is made if it is missing.
    ///   - limit: The maximum size of a file in bytes, 64 MiB by default. Reading or writing a larger one throws
    ///     `ArchiveError.tooLarge(_:limit:)`.
    /// - Returns: The store.
    /// - Throws: `ArchiveError.inaccessibleFile(_:explanation:)`.
    public static func directory(at folder: URL, limit: Int = 64 << 20) throws(ArchiveError) -> some ArchiveStore {
        try DirectoryStore(at: folder, limit: limit)
    }
}
