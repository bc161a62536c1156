import Heraclitus
import HeraclitusEssentials

/// A file that replaces another one when it is complete.
///
/// The new file is written as a draft, synced and renamed, and its folder is synced. Readers always find the complete
/// old file or the complete new one, even after the process is killed. The new file has the old one's mode. Unfinished
/// drafts are removed.
struct ReplacingFile: ~Copyable {
    private static let bufferSize = 1 << 16

    private let path: String
    private let temporaryPath: String
    private let file: SystemFile

    /// The folder is opened first: opening can fail for lack of a descriptor.
    private let folder: SystemFile
    private var buffer = Data()
    private var isInPlace = false

    /// Begins a file for `path` with a draft whose path begins with `draft`, on the same file system.
    init(at path: String, draft: String) throws(ArchiveError) {
        // The random number makes the name unique.
        let temporaryPath = "\(draft).\(String(UInt64.random(in: 0...UInt64.max), radix: 36)).tmp"
        let folder = try Folder(of: path).opened()
        self.init(at: path, temporaryPath, try Self.make(temporaryPath, for: path), folder)
    }

    /// Begins a file for `path` with a draft beside it.
    ///
    /// Drafts of the same file left by killed processes are removed.
    init(at path: String) throws(ArchiveError) {
        let folder = try Folder(of: path).opened()
        Draft.sweep(of: path)
        var draft = Draft(of: path)
        var file = try Self.make(draft.path, for: path)
        // The lock marks the draft as being written. Another process may have removed the draft just before the lock
        // was taken.
        while (try? file.lock()) != nil, !file.isAt(draft.path) {
            draft = Draft(of: path)
            file = try Self.make(draft.path, for: path)
        }
        self.init(at: path, draft.path, file, folder)
    }

    private init(
        at path: String,
        _ temporaryPath: String,
        _ file: consuming SystemFile,
        _ folder: consuming SystemFile
    ) {
        file.takeMode(of: path)
        self.path = path
        self.temporaryPath = temporaryPath
        self.file = file
        self.folder = folder
    }

    deinit {
        if !isInPlace { try? SystemFile.remove(temporaryPath) }
    }

    /// Makes a file with the default mode of new files.
    private static func make(_ temporaryPath: String, for path: String) throws(ArchiveError) -> SystemFile {
        try ArchiveError.of(path) { () throws(SystemError) in
            try SystemFile(temporaryPath, for: .making, shownAs: path)
        }
    }

    mutating func write(_ data: Data) throws(ArchiveError) {
        buffer.append(data)
        if buffer.count >= Self.bufferSize { try flush() }
    }

    /// Puts the file in place.
    ///
    /// A loss of power may bring back the old file if `isLasting` is false.
    consuming func finish(isLasting: Bool = true) throws(ArchiveError) {
        try flush()
        try file.sync()
        do throws(SystemError) { try SystemFile.move(temporaryPath, to: path) } catch { throw .file(path, error) }
        isInPlace = true
        if isLasting { try folder.sync() }
    }

    /// Leaves the synced draft for a transaction to put in place.
    /// - Returns: The name of the draft.
    consuming func leave() throws(ArchiveError) -> String {
        try flush()
        try file.sync()
        isInPlace = true
        return Folder.name(of: temporaryPath)
    }

    private mutating func flush() throws(ArchiveError) {
        try file.append(buffer)
        buffer.removeAll(keepingCapacity: true)
    }
}
