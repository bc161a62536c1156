/// A position in a log, with the text there.
struct Place: Sendable {
    let log: String
    /// The line of that log.
    let line: Int
    let time: Timestamp?
    let text: String

    /// An excerpt of a line of readable length.
    static func excerpt(_ bytes: [UInt8], _ line: Range<Int>) -> String {
        let longest = 300
        let text = String(decoding: bytes[line.prefix(longest)], as: UTF8.self)
        return line.count > longest ? text + "…" : text
    }
}
