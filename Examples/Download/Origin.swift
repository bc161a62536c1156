import Foundation

/// Where a file comes from, and where it goes.
struct Origin: Codable, Equatable {
    let url: URL
    let target: String

    /// What is written until it is complete.
    var partPath: String { target + ".part" }

    /// Where the machine is kept meanwhile.
    var archivePath: String { target + ".download" }

    /// Understands a URL, or the path of a file.
    init(_ text: String, to target: String?) throws {
        let url = URL(string: text).flatMap { ["http", "https", "file"].contains($0.scheme) ? $0 : nil }
        self.url = url ?? URL(fileURLWithPath: text)
        let name = self.url.lastPathComponent
        guard let target = target ?? (name.isEmpty || name == "/" ? nil : name) else {
            throw Refusal("\(text) has no file name; say --to FILE")
        }
        self.target = target
        guard
            !self.url.isFileURL
                || self.url.standardizedFileURL.path != URL(fileURLWithPath: target).standardizedFileURL.path
        else {
            throw Refusal("\(target) would be its own copy")
        }
    }
}

/// Why something is not done.
struct Refusal: LocalizedError {
    let errorDescription: String?

    init(_ text: String) { errorDescription = text }
}
