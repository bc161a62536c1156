import Foundation

/// The lines of a file, in constant memory.
///
/// An overlong line keeps its beginning.
///
/// ```swift
/// repeat {
///     while let line = reader.next() { … }
/// } while try reader.fill()
/// ```
struct LineReader: ~Copyable {
    /// All lines of dpkg are shorter.
    static let longest = 1 << 16

    /// A line, as a range of ``bytes``, without its end.
    struct Line {
        let range: Range<Int>
        /// Whether NUL bytes before the line were dropped.
        let isBehindHole: Bool
        /// Whether a part of the line was dropped.
        let isTooLong: Bool
    }

    private let source: ByteSource
    private(set) var bytes = [UInt8](repeating: 0, count: 1 << 17)

    /// The beginning of the next line, in bytes from the beginning of the file.
    private(set) var offset = 0

    /// The bytes that were read and not returned yet.
    private var rest = 0..<0
    /// The number of dropped bytes of the line that begins there.
    private var dropped = 0
    private var isTooLong = false

    init(_ source: ByteSource) { self.source = source }

    /// Returns the next complete line of the buffer; `nil` if there is none.
    mutating func next() -> Line? {
        guard let end = newline() else { return nil }
        defer { rest = end + 1..<rest.upperBound }
        return give(rest.lowerBound..<end, ending: 1)
    }

    /// Returns the rest at the end of the file, if the last line has no newline.
    mutating func half() -> Line? {
        guard !rest.isEmpty || dropped > 0 else { return nil }
        defer { rest = rest.upperBound..<rest.upperBound }
        return give(rest, ending: 0)
    }

    /// Reads more.
    /// - Returns: `false` at the end.
    mutating func fill() throws(Refused) -> Bool {
        if rest.count > Self.longest { shorten() }
        let (length, source) = (rest.count, source)
        let old = rest
        let result = unsafe bytes.withUnsafeMutableBytes { all in
            if let start = all.baseAddress, old.lowerBound > 0 { unsafe memmove(start, start + old.lowerBound, length) }
            return Result { () throws(Refused) in
                try unsafe source.read(into: UnsafeMutableRawBufferPointer(rebasing: all[length...]))
            }
        }
        let count = try result.get()
        rest = 0..<length + count
        return count > 0
    }

    private mutating func give(_ line: Range<Int>, ending: Int) -> Line {
        offset += dropped + line.count + ending
        defer { (dropped, isTooLong) = (0, false) }
        var content = line
        while let first = content.first, bytes[first] == 0 { content.removeFirst() }
        let isBehindHole = content.lowerBound > line.lowerBound
        if let last = content.last, bytes[last] == UInt8(ascii: "\r") { content.removeLast() }
        return Line(range: content, isBehindHole: isBehindHole, isTooLong: isTooLong)
    }

    private func newline() -> Int? {
        guard !rest.isEmpty else { return nil }
        return unsafe bytes.withUnsafeBytes { all -> Int? in
            guard let start = unsafe all.baseAddress?.advanced(by: rest.lowerBound) else { return nil }
            guard let found = unsafe memchr(start, Int32(UInt8(ascii: "\n")), rest.count) else { return nil }
            return unsafe rest.lowerBound + (UnsafeRawPointer(found) - start)
        }
    }

    /// Keeps the beginning of an overlong line, or the bytes after its last hole.
    private mutating func shorten() {
        let length = rest.count
        if let hole = bytes[rest].lastIndex(of: 0), rest.upperBound - hole <= Self.longest {
            // One NUL stays as the mark of the hole.
            rest = hole..<rest.upperBound
            isTooLong = false
        } else {
            rest = rest.lowerBound..<rest.lowerBound + 1_000
            isTooLong = true
        }
        dropped += length - rest.count
    }
}

extension Range where Bound == Int {
    fileprivate mutating func removeFirst() { self = lowerBound + 1..<upperBound }
    fileprivate mutating func removeLast() { self = lowerBound..<upperBound - 1 }
}
