import Foundation

/// Shows the progress of reading on a terminal.
struct ProgressBar {
    private static let pace = Duration.milliseconds(100)

    private let isShown = isatty(2) == 1
    /// The number of bytes to read; `nil` if it is unknown.
    private let total: Int?
    private var nextTime = ContinuousClock.now + pace
    private var isVisible = false

    init(total: Int?) { self.total = total }

    mutating func show(bytes: Int, lines: Int) {
        guard isShown, ContinuousClock.now >= nextTime else { return }
        nextTime = .now + Self.pace
        isVisible = true
        let width = 30
        let bar = total.map { total in
            let part = min(1, Double(bytes) / Double(max(1, total)))
            let done = Int(part * Double(width))
            return "[\(String(repeating: "#", count: done))\(String(repeating: ".", count: width - done))] "
                + "\(Int(part * 100)) % "
        }
        Self.write("\r\(bar ?? "")\(lines) lines")
    }

    /// Leaves the line as it was.
    mutating func clear() {
        guard isVisible else { return }
        isVisible = false
        Self.write("\r\(String(repeating: " ", count: 70))\r")
    }

    private static func write(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }
}
