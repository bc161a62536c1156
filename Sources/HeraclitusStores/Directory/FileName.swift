import Heraclitus

/// File names for ids: readable, safe for any id, and different for different ids on every file system.
enum FileName {
    /// The longest name of an id that is its own; longer ones are cut and told apart by a hash.
    private static let longest = 180

    private static let suffix = ".json"

    /// The name of the file for an id.
    ///
    /// Letters, digits, `-` and `_` stand for themselves; a capital has a `^` before it, because some file systems do not tell it
    /// from a small letter; everything else is written as `%` and two hexadecimal digits for each byte of its UTF-8.
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

    /// Whether a file is one of an id.
    static func isOne(_ name: String) -> Bool { name.hasSuffix(suffix) }

    /// The id of a file, if the name says it all.
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

    /// 128 bits of FNV-1a; that two ids have the same is found, not excluded.
    private static func hash(_ id: String) -> String {
        var high: UInt64 = 0xCBF2_9CE4_8422_2325
        var low: UInt64 = 0x9AE1_6A3B_2F90_404F
        for byte in id.utf8 {
            high = (high ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
            low = (low ^ UInt64(byte) &+ high) &* 0x0000_0100_0000_01B3
        }
        return String(high, radix: 36) + String(low, radix: 36)
    }

    /// One of the numbers 0 to 63, always the same for a name.
    static func stripe(of name: String) -> Int {
        Int(name.utf8.reduce(UInt64(5381)) { $0 &* 33 &+ UInt64($1) } % 64)
    }
}
