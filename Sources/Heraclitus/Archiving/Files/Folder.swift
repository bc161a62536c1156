#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What can be done with the files of a folder, with typed errors.
struct Folder: Sendable {
    let path: String

    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Makes the folder and those that it is in.
    func make() throws(ArchiveError) {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw .inaccessibleFile(path, explanation: "\(error)")
        }
    }

    /// The names of the files in the folder.
    func names() throws(ArchiveError) -> [String] {
        guard let directory = opendir(path) else { throw .file(path) }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: name.pointee)) {
                    String(cString: $0)
                }
            }
            // Some file systems do not tell.
            if [DT_REG, DT_UNKNOWN].contains(Int(entry.pointee.d_type)), name != ".", name != ".." {
                names.append(name)
            }
        }
        return names
    }

    /// The content of a file up to a size, or up to the first line break; `nil` if there is no such file.
    func content(of name: String, firstLineOnly: Bool = false, limit: Int) throws(ArchiveError) -> Data? {
        let path = file(name)
        // Not waiting for a pipe that is named like a file, and not leaving the folder by a link.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .file(path)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .file(path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw .inaccessibleFile(path, explanation: "It is no regular file.")
        }
        var content = Data()
        var size = 1 << (firstLineOnly ? 10 : 14)
        while true {
            var chunk = Data(count: size)
            let count = chunk.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count == 0 { return content }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw .file(path)
            }
            chunk = chunk.prefix(count)
            content.append(chunk)
            guard content.count <= limit else { throw .tooLarge(content.count, limit: limit) }
            if firstLineOnly, chunk.contains(UInt8(ascii: "\n")) { return content }
            size = min(size * 2, 1 << 20)
        }
    }

    /// Removes a file; does nothing if there is none.
    func remove(_ name: String) throws(ArchiveError) {
        if unlink(file(name)) != 0, errno != ENOENT { throw .file(file(name)) }
    }
}
