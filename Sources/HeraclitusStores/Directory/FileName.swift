import Heraclitus

/// File names for ids: readable, safe, and unique on every file system.
enum FileName {
    /// The longest full name of an id.
    ///
    /// Longer names are cut and end in a hash.
    private static let longest = 180

    private static let suffix = ".json"

    /// The name of the file for an id.
    ///
    /// Letters, digits, `-` and `_` stand for themselves. A `^` precedes each capital, because some file systems ignore
    /// case. Each other byte of the UTF-8 is `%` and two hexadecimal digits.
    static func of(_ id: String) -> String {
        var name = ""
        for byte in id.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                UInt8(ascii: "_"):
                name.unicodeScalars.append(Unicode.Scalar(byte))
            case UInt8(ascii: "A")...UInt8(ascii: "Z"):
                name += "^"
                name.unicodeScalars.append(Unicode.Scalar(byte | 0x20))
            default:
                name += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
        if name.isEmpty { name = "%" }
        if name.utf8.count > longest { name = name.prefix(100) + "~" + hash(id) }
        return name + suffix
    }

    /// Whether a file belongs to an id.
    static func isOne(_ name: String) -> Bool { name.hasSuffix(suffix) }

    /// The id of a file; `nil` if the name was cut.
    static func id(of name: String) -> String? {
        guard isOne(name), !name.contains("~") else { return nil }
        var bytes: [UInt8] = []
        var rest = name.dropLast(suffix.count).utf8[...]
        if rest.elementsEqual("%".utf8) { return "" }
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "^"):
                guard let small = rest.popFirst() else { return nil }
                bytes.append(small & ~0x20)
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst(), let low = rest.popFirst(),
                    let value = UInt8(String(decoding: [high, low], as: UTF8.self), radix: 16)
                else { return nil }
                bytes.append(value)
            default: bytes.append(byte)
            }
        }
        guard let id = String(validating: bytes, as: UTF8.self), of(id) == name else { return nil }
        return id
    }

    /// FNV-1a with 128 bits.
    ///
    /// Readers detect two ids with the same hash.
    private static func hash(_ id: String) -> String {
        var high: UInt64 = 0xCBF2_9CE4_8422_2325
        var low: UInt64 = 0x9AE1_6A3B_2F90_404F
        for byte in id.utf8 {
            high = (high ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
            low = (low ^ UInt64(byte) &+ high) &* 0x0000_0100_0000_01B3
        }
        return String(high, radix: 36) + String(low, radix: 36)
    }

    /// A number from 0 to 63, always the same for a name.
    static func stripe(of name: String) -> Int {
        Int(name.utf8.reduce(UInt64(5381)) { $0 &* 33 &+ UInt64($1) } % 64)
    }
}
