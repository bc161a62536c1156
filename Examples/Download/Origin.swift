import Foundation

/// The source and the target of a file.
struct Origin: Codable, Equatable {
    let url: URL

    /// An absolute path, which is valid in any working directory.
    let target: String

    /// The file of an incomplete download.
    var partPath: String { target + ".part" }

    /// The file of the archive of an incomplete download.
    var archivePath: String { target + ".download" }

    /// Parses a URL, or the path of a file.
    init(_ text: String, to target: String?) throws {
        let scheme = text.contains("://") ? text.prefix { $0 != ":" }.lowercased() : nil
        switch scheme {
        case nil: url = URL(fileURLWithPath: text).absoluteURL
        case "http", "https", "file":
            guard let url = URL(string: text) else { throw Refusal("\(text) is no URL") }
            self.url = url
        default: throw Refusal("\(text) is neither a file nor of http or https")
        }
        let name = target ?? url.lastPathComponent
        // A name chosen by a server stays in this folder.
        if target == nil, name.isEmpty || name == "." || name == ".." || name.contains("/") || name.contains("\0") {
            throw Refusal("\(text) has no file name; say --to FILE")
        }
        self.target = URL(fileURLWithPath: name).standardizedFileURL.path
        var isDirectory: ObjCBool = false
        guard !name.isEmpty,
            unsafe !(FileManager.default.fileExists(atPath: self.target, isDirectory: &isDirectory)
                && isDirectory.boolValue)
        else { throw Refusal("\"\(name)\" is no name of a file") }
        if url.isFileURL {
            let source = url.resolvingSymlinksInPath().path
            for path in [self.target, partPath, archivePath] where Self.isSame(path, source) {
                throw Refusal("\(text) is where it would go itself; say --to another FILE")
            }
        }
    }

    /// Whether two paths lead to one file, through any links.
    private static func isSame(_ path: String, _ other: String) -> Bool {
        var one = stat()
        var two = stat()
        if unsafe stat(path, &one) == 0, unsafe stat(other, &two) == 0 {
            return one.st_ino == two.st_ino && one.st_dev == two.st_dev
        }
        return path == other
    }
}

/// Why something is not done.
struct Refusal: LocalizedError, CustomStringConvertible {
    let description: String

    var errorDescription: String? { description }

    init(_ description: String) { self.description = description }
}
