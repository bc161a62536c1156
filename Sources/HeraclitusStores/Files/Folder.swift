import Heraclitus
import HeraclitusEssentials

/// The files of a folder, with typed errors.
struct Folder: Sendable {
    let path: String

    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Makes the folder and its parents.
    func make() throws(ArchiveError) {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            // `opened()` throws the system's error. Foundation's error below is for programmers.
            _ = try opened()
            throw .inaccessibleFile(path, explanation: "\(error)")
        }
    }

    /// The names of the files in the folder.
    func names() throws(ArchiveError) -> [String] {
        try ArchiveError.of(path) { () throws(SystemError) in try SystemFile.names(in: path) }
    }

    /// The content of a file up to a size, or up to the first line break; `nil` if the file is missing.
    func content(of name: String, firstLineOnly: Bool = false, limit: Int) throws(ArchiveError) -> Data? {
        let path = file(name)
        let file: SystemFile
        do throws(SystemError) {
            file = try SystemFile(path, for: .readingInFolder)
        } catch {
            if error.isMissing { return nil }
            throw .file(path, error)
        }
        guard file.isRegular else {
            throw .inaccessibleFile(path, explanation: "It is not a regular file.")
        }
        var content = Data()
        var size = 1 << (firstLineOnly ? 10 : 14)
        while true {
            let chunk = try file.next(size)
            if chunk.isEmpty { return content }
            content.append(chunk)
            guard content.count <= limit else { throw .tooLarge(max(content.count, file.size), limit: limit) }
            if firstLineOnly, chunk.contains(UInt8(ascii: "\n")) { return content }
            size = min(size * 2, 1 << 20)
        }
    }

    /// Removes a file if it exists.
    func remove(_ name: String) throws(ArchiveError) {
        do throws(SystemError) {
            try SystemFile.remove(file(name))
        } catch {
            if !error.isMissing { throw .file(file(name), error) }
        }
    }

    /// Opens the folder; a later sync makes its names durable, where the file system supports it.
    func opened() throws(ArchiveError) -> SystemFile {
        try ArchiveError.of(path) { () throws(SystemError) in try SystemFile(path, for: .folder) }
    }
}

extension Folder {
    /// The folder of a file.
    init(of file: String) {
        let slash = file.utf8.lastIndex(of: UInt8(ascii: "/"))
        self.init(path: slash.map { $0 == file.startIndex ? "/" : String(file[..<$0]) } ?? ".")
    }

    /// The name of a file in its folder.
    static func name(of file: String) -> String {
        file.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(file[file.utf8.index(after: $0)...]) } ?? file
    }
}
