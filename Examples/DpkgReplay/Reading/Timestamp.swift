/// Date and time in dpkg's notation: local time, in the time zone of the run.
struct Timestamp: Comparable, Sendable {
    /// The number of bytes in the log.
    static let length = 19

    private static let pattern = Array("0000-00-00 00:00:00".utf8)

    /// The digits, as one number.
    private var digits = 0

    init() {}

    /// Parses the beginning of a line; `nil` if it is not a timestamp.
    init?(_ bytes: [UInt8], _ line: Range<Int>) {
        guard line.count >= Self.length else { return nil }
        for index in 0..<Self.length {
            let byte = bytes[line.lowerBound + index]
            if Self.pattern[index] == UInt8(ascii: "0") {
                guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
                digits = digits &* 10 &+ Int(byte &- UInt8(ascii: "0"))
            } else {
                guard byte == Self.pattern[index] else { return nil }
            }
        }
    }

    static func < (left: Self, right: Self) -> Bool { left.digits < right.digits }
}

extension Timestamp: CustomStringConvertible {
    var description: String {
        var rest = digits
        var text = Self.pattern
        for index in text.indices.reversed() where text[index] == UInt8(ascii: "0") {
            text[index] += UInt8(rest % 10)
            rest /= 10
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension Timestamp: Codable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = Array(try container.decode(String.self).utf8)
        guard text.count == Self.length, let time = Self(text, text.indices) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "It is no date with a time.")
        }
        self = time
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
