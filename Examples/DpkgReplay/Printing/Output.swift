import Foundation

/// The output of the report, without control characters for a terminal.
struct Output: ~Copyable {
    private var buffer: [UInt8] = []

    mutating func line(_ text: String = "") throws(Refused) {
        buffer += Self.printable(text).utf8
        buffer.append(UInt8(ascii: "\n"))
        if buffer.count > 1 << 16 { try flush() }
    }

    /// Call this last, or the end of the output is lost.
    mutating func flush() throws(Refused) {
        do {
            try FileHandle.standardOutput.write(contentsOf: buffer)
        } catch {
            throw Refused("The standard output cannot be written: \(Refused.explanation(of: error))")
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Prints a message beside the report.
    static func note(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data("heraclitus-dpkg-replay: \(printable(text))\n".utf8))
    }

    /// A text with its control characters in JSON's notation: `\u001b`.
    static func printable(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
