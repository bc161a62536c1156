import Foundation
import Testing

@testable import Fixtures

/// Random JSON and damaged JSON, the same for the same seed.
struct FuzzingSource: RandomNumberGenerator {
    private var seed: Seed

    init(_ seed: UInt64) { self.seed = Seed(seed) }

    mutating func next() -> UInt64 { seed.next() }

    mutating func below(_ bound: Int) -> Int { seed.below(bound) }

    // MARK: JSON

    /// A JSON value as text.
    mutating func json(depth: Int = 0) -> String {
        switch below(depth > 6 ? 8 : 11) {
        case 0: return ["null", "true", "false"][below(3)]
        case 1...3: return number()
        case 4...7: return text()
        case 8, 9:
            let elements = (0..<below(5)).map { _ in json(depth: depth + 1) }
            return "[\(space())\(elements.joined(separator: ",\(space())"))]"
        default:
            // An archive has each key once.
            let members = (0..<below(5)).map { index in
                "\(text().dropLast())\(index)\":\(space())\(json(depth: depth + 1))"
            }
            return "{\(members.joined(separator: ",\(space())"))\(space())}"
        }
    }

    mutating func number() -> String {
        switch below(6) {
        case 0: return "\(Int(truncatingIfNeeded: next()))"
        case 1: return "\(next())"
        case 2:
            return "\(Double(bitPattern: next() & 0x7FEF_FFFF_FFFF_FFFF))".replacingOccurrences(of: "inf", with: "1")
        case 3: return "-\(next() >> UInt64(below(64))).\(below(10_000))"
        case 4:
            return ["0", "-0", "-0.0", "1e400", "-1e-400", "1E+2", "0.1", "9007199254740993", "1e99999999999"][below(9)]
        default:
            let digits = (0..<(1 + below(60))).map { _ in "\(below(10))" }.joined()
            return "1\(digits).\(digits)e\(below(600) - 300)"
        }
    }

    mutating func text() -> String {
        let pieces = [
            "a", "state", "data", "ü", "👩‍👩‍👧", "\\n", "\\u00e9", "\\ud83d\\udc69", "\\\\", "\\\"", "]}", "e\u{301}", "",
        ]
        return "\"" + (0..<below(4)).map { _ in pieces[below(pieces.count)] }.joined() + "\""
    }

    private mutating func space() -> String { ["", "", " ", "\n\t"][below(4)] }

    /// A damaged text: bytes are flipped, removed, doubled, or replaced by JSON syntax.
    mutating func damaged(_ text: String) -> Data {
        var bytes = Array(text.utf8)
        for _ in 0..<(1 + below(3)) where !bytes.isEmpty {
            let place = below(bytes.count)
            let end = min(bytes.count, place + 1 + below(12))
            switch below(8) {
            case 0: bytes[place] ^= 1 << UInt8(below(8))
            case 1: bytes.removeSubrange(place..<end)
            case 2: bytes.insert(contentsOf: bytes[place..<end], at: below(bytes.count))
            case 3: bytes.removeLast(bytes.count - place)
            case 4: bytes.replaceSubrange(place..<end, with: json().utf8)
            case 5:
                let opening = ["[", "{\"a\":", "[{\"b\":"][below(3)]
                let count = [1, 60, 64, 65, 511, 512, 513, 514, 3_000][below(9)]
                bytes.insert(contentsOf: String(repeating: opening, count: count).utf8, at: place)
            case 6: bytes[place] = Array("[]{}:,\"\\0-9eE.NI\0 ".utf8)[below(18)]
            default: bytes.insert(contentsOf: number().utf8, at: place)
            }
        }
        return Data(bytes)
    }
}
