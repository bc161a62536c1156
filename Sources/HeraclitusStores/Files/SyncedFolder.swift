import Heraclitus

/// The folder of a file.
///
/// Syncing the folder makes its names durable.
struct SyncedFolder: ~Copyable {
    private let folder: SystemFile
    private let path: String

    /// Opens the folder of a file.
    init(of file: String) throws(ArchiveError) {
        let path = Self.path(of: file)
        self.path = path
        folder = try ArchiveError.of(path) { () throws(SystemError) in try SystemFile(path, for: .folder) }
    }

    /// Makes the folder's names durable, where the file system supports it.
    func sync() throws(ArchiveError) {
        try ArchiveError.of(path) { () throws(SystemError) in try folder.sync() }
    }

    /// The path of the folder of a file.
    static func path(of file: String) -> String {
        guard let slash = file.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == file.startIndex ? "/" : String(file[..<slash])
    }
}
