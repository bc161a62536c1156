import Foundation
import Testing

/// A log of processes that are killed: complete lines, each with a keyword.
struct KillLog: Sendable {
    private let url: URL

    /// Names the log beside a folder.
    init(beside folder: URL) { url = URL(fileURLWithPath: folder.path + ".log") }

    func remove() { try? FileManager.default.removeItem(at: url) }

    /// The words of the complete lines with a keyword.
    func lines(_ word: String) throws -> [[String]] {
        guard let text = try? String(contentsOf: url, encoding: .utf8) else { return [] }
        return text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
            .filter { $0.first == word && $0.last == "." }
    }

    /// Opens the log for lines that outlive the process, unlike a pipe's buffer.
    func opened() throws -> Writer {
        let file = unsafe Foundation.open(url.path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        try #require(file >= 0)
        return Writer(file: file)
    }

    struct Writer: Sendable {
        fileprivate let file: Int32

        func note(_ line: String) {
            let bytes = Array("\(line) .\n".utf8)
            _ = unsafe write(file, bytes, bytes.count)
        }
    }

    /// Kills this process at a random moment.
    static func killSoon(within seconds: ClosedRange<Double>) {
        let moment = Double.random(in: seconds)
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: moment)
            kill(getpid(), SIGKILL)
        }
    }
}
