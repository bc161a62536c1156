import Foundation

/// A log in memory, line by line.
struct LogFile {
    struct Line {
        /// Without its end.
        let text: String
        /// Where the next one begins, in bytes.
        let end: Int
        let digest: String
    }

    let path: String
    private let bytes: Data

    init(path: String) throws(Refused) {
        self.path = path
        do {
            bytes = try Data(contentsOf: URL(fileURLWithPath: path), options: .mappedIfSafe)
        } catch {
            throw Refused("\(path) cannot be read: \(Refused.explanation(of: error))")
        }
        if bytes.starts(with: [0x1F, 0x8B]) || bytes.starts(with: [0xFD, 0x37, 0x7A]) {
            throw Refused("\(path) is compressed: unpack it first.")
        }
    }

    /// The line that begins somewhere; `nil` where there is none, or one without an end.
    func line(at offset: Int) -> Line? {
        guard offset < bytes.count, let newline = bytes[offset...].firstIndex(of: UInt8(ascii: "\n")) else {
            return nil
        }
        let content = bytes[offset..<newline]
        return Line(text: String(decoding: content, as: UTF8.self), end: newline + 1, digest: Self.digest(of: content))
    }

    /// Whether something stands behind the last whole line: a line that dpkg is writing, or could not write.
    func hasHalfLine(at offset: Int) -> Bool { offset < bytes.count }

    /// Whether the line that ends somewhere has a digest.
    func containsLine(endingAt end: Int, digest: String) -> Bool {
        guard end > 0, end <= bytes.count, bytes[end - 1] == UInt8(ascii: "\n") else { return false }
        let start = bytes[..<(end - 1)].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        return Self.digest(of: bytes[start..<(end - 1)]) == digest
    }

    /// 64-bit FNV-1a: enough to tell one log from another, and no secret depends on it.
    private static func digest(of bytes: Data) -> String {
        let hash = bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
        return String(repeating: "0", count: 16 - String(hash, radix: 16).count) + String(hash, radix: 16)
    }
}

/// Why the tool does not do what it was asked to do, in one sentence.
struct Refused: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// What the system says of an error, without the wrapping.
    static func explanation(of error: any Error) -> String {
        let error = error as NSError
        if let underlying = error.userInfo[NSUnderlyingErrorKey] as? any Error { return explanation(of: underlying) }
        if error.domain == NSPOSIXErrorDomain { return unsafe String(cString: strerror(Int32(error.code))) + "." }
        return error.localizedDescription
    }
}
