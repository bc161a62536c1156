/// An id as stores distinguish it: by its UTF-8.
///
/// A `String` also equals texts with other UTF-8.
struct ExactID: Sendable {
    let text: String

    init(_ text: String) { self.text = text }
}

extension ExactID: Codable {
    init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension ExactID: Hashable, Comparable {
    static func == (left: ExactID, right: ExactID) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

    static func < (left: ExactID, right: ExactID) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
        // This byte never occurs in UTF-8, so it marks the end of the id.
        hasher.combine(UInt8.max)
    }
}
