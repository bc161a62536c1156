import Heraclitus
import HeraclitusEssentials

/// A file that takes another one's place when it is complete.
///
/// It is written elsewhere, synced and renamed, and its folder is synced: whoever looks, and whatever happens to the process, finds
/// the old file or the new one, which has the old one's mode, and never a part of one. What is not finished is removed.
struct ReplacingFile: ~Copyable {
    private static let bufferSize = 1 << 16

    private let path: String
    private let temporaryPath: String
    private let file: SystemFile

    /// Open from the beginning: where there is no descriptor left for the folder, nothing must have happened yet.
    private let folder: SyncedFolder
    private var buffer = Data()
    private var isInPlace = false

    /// Begins a file that will be at `path`, and until then is at what begins with `draft`, on the same file system.
    init(at path: String, draft: String) throws(ArchiveError) {
        // With a name that nobody else takes.
        let temporaryPath = "\(draft).\(String(UInt64.random(in: 0...UInt64.max), radix: 36)).tmp"
        let folder = try SyncedFolder(of: path)
        self.init(at: path, temporaryPath, try Self.make(temporaryPath, for: path), folder)
    }

    /// Begins a file that will be at `path`, and until then is beside it.
    ///
    /// What processes have left there that were killed while they wrote the same file is removed.
    init(at path: String) throws(ArchiveError) {
        let folder = try SyncedFolder(of: path)
        Draft.sweep(of: path)
        var draft = Draft(of: path)
        var file = try Self.make(draft.path, for: path)
        // Locked, so that nobody else takes it for one that was left. Somebody may have done so just before.
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
        _ folder: consuming SyncedFolder
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

    /// Makes a file with the mode that any new file has.
    private static func make(_ temporaryPath: String, for path: String) throws(ArchiveError) -> SystemFile {
        try ArchiveError.of(path) { () throws(SystemError) in try SystemFile(temporaryPath, for: .making) }
    }

    mutating func write(_ data: Data) throws(ArchiveError) {
        buffer.append(data)
        if buffer.count >= Self.bufferSize { try flush() }
    }

    /// Puts the file into its place; a loss of power may bring the old file back if it is not lasting.
    consuming func finish(isLasting: Bool = true) throws(ArchiveError) {
        try flush()
        do throws(SystemError) {
            try file.sync()
            try SystemFile.move(temporaryPath, to: path)
        } catch {
            throw .file(path, error)
        }
        isInPlace = true
        if isLasting { try folder.sync() }
    }

    /// Leaves the file where it was written, synced, for somebody to put it into its place.
    /// - Returns: Where it is.
    consuming func leave() throws(ArchiveError) -> String {
        try flush()
        do throws(SystemError) { try file.sync() } catch { throw .file(path, error) }
        isInPlace = true
        return temporaryPath
    }

    private mutating func flush() throws(ArchiveError) {
        do throws(SystemError) { try file.append(buffer) } catch { throw .file(path, error) }
        buffer.removeAll(keepingCapacity: true)
    }
}
