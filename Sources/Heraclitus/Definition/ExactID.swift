/// An id as stores distinguish it: by its UTF-8.
///
/// A `String` equals others that are written differently.
package struct ExactID: Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }
}

extension ExactID: Hashable, Comparable {
    package static func == (left: ExactID, right: ExactID) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

    package static func < (left: ExactID, right: ExactID) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
        // No UTF-8 has this byte, so the id ends here, whatever is hashed after it.
        hasher.combine(UInt8.max)
    }
}
