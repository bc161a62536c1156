/// A table of yes and no over two lists of states, a bit each.
@usableFromInline
struct StateMatrix: Sendable {
    @usableFromInline let columns: Int
    @usableFromInline let stride: Int
    @usableFromInline var words: [UInt64]

    init(rows: Int, columns: Int) {
        self.columns = columns
        stride = (columns + 63) / 64
        words = Array(repeating: 0, count: rows * stride)
    }

    @inlinable
    subscript(row: Int, column: Int) -> Bool {
        get { words[row * stride + column / 64] & (1 << UInt64(column % 64)) != 0 }
        set {
            let bit: UInt64 = 1 << UInt64(column % 64)
            if newValue {
                words[row * stride + column / 64] |= bit
            } else {
                words[row * stride + column / 64] &= ~bit
            }
        }
    }

    @inlinable
    func hasAny(in row: Int) -> Bool {
        for word in words[row * stride..<(row + 1) * stride] where word != 0 { return true }
        return false
    }

    func columns(in row: Int) -> some Sequence<Int> {
        (0..<columns).lazy.filter { self[row, $0] }
    }
}
