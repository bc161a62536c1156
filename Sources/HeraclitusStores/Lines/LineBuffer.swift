import Heraclitus
import HeraclitusEssentials

/// Cuts chunks into lines.
///
/// At most one incomplete line is in memory, up to a limit.
struct LineBuffer {
    enum Line {
        case blank
        case data(Data)
        case tooLarge(Int)
    }

    let limit: Int
    private var chunk = Data()
    private var rest = Data()

    /// The number of dropped bytes of the incomplete line.
    private var dropped = 0

    /// The number of bytes after the last line break, when all lines were taken.
    var incompleteCount: Int { rest.count + dropped }

    init(limit: Int) { self.limit = limit }

    /// Adds a chunk after all lines were taken.
    mutating func add(_ more: Data) { chunk = more }

    /// The next complete line.
    mutating func next() -> Line? {
        guard let end = chunk.firstIndex(of: UInt8(ascii: "\n")) else {
            keep(chunk)
            chunk = Data()
            return nil
        }
        let piece = chunk[..<end]
        chunk = chunk[(end + 1)...]
        keep(piece)
        return taken()
    }

    /// The bytes after the last line break.
    mutating func last() -> Line? { rest.isEmpty && dropped == 0 ? nil : taken() }

    private mutating func keep(_ piece: Data) {
        if dropped > 0 || rest.count + piece.count > limit {
            dropped += rest.count + piece.count
            rest = Data()
        } else if rest.isEmpty {
            rest = piece
        } else {
            rest.append(piece)
        }
    }

    private mutating func taken() -> Line {
        defer { (rest, dropped) = (Data(), 0) }
        if dropped > 0 { return .tooLarge(dropped) }
        return rest.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D } ? .blank : .data(rest)
    }
}
