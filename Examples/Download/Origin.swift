import Foundation

/// Where a file comes from, and where it goes.
struct Origin: Codable, Equatable {
    let url: URL

    /// An absolute path, which means the same wherever the program is run.
    let target: String

    /// What is written until it is complete.
    var partPath: String { target + ".part" }

    /// Where the machine is kept meanwhile.
    var archivePath: String { target + ".download" }

    /// Understands a URL, or the path of a file.
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
        // A name that somebody else has chosen stays in this folder.
        if target == nil, name.isEmpty || name == "." || name == ".." || name.contains("/") || name.contains("\0") {
            throw Refusal("\(text) has no file name; say --to FILE")
        }
        self.target = URL(fileURLWithPath: name).standardizedFileURL.path
        if url.isFileURL {
            let source = url.resolvingSymlinksInPath().path
            for path in [self.target, partPath, archivePath]
            where URL(fileURLWithPath: path).resolvingSymlinksInPath().path == source {
                throw Refusal("\(text) is where it would go itself; say --to another FILE")
            }
        }
    }
}

/// Why something is not done.
struct Refusal: LocalizedError, CustomStringConvertible {
    let description: String

    var errorDescription: String? { description }

    init(_ description: String) { self.description = description }
}
