public import Foundation

/// A folder that is removed after the test.
public final class TemporaryFolder: Sendable {
    /// The folder, with a short path, because the paths of sockets are limited.
    public let url: URL

    /// Makes a folder.
    public init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "st-\(UInt32.random(in: .min ... .max))")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}
