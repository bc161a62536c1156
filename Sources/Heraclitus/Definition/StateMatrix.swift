// Both are read by every fire, and so made of memory that is written while the definition is compiled, by one thread, and
// then neither changed nor freed: nobody counts references to it, which the threads of all machines would share.

/// A set of states, a bit each.
@usableFromInline
struct StateSet: @unchecked Sendable {
    @usableFromInline let words: UnsafePointer<UInt64>

    init(_ states: some Sequence<Int>, of count: Int) {
        words = UnsafePointer(Self.words(states, of: count).compiled())
    }

    @inlinable @inline(__always)
    func contains(_ state: Int) -> Bool { words[state / 64] & (1 << UInt64(state % 64)) != 0 }

    static func words(_ states: some Sequence<Int>, of count: Int) -> [UInt64] {
        var words = [UInt64](repeating: 0, count: (count + 63) / 64)
        for state in states { words[state / 64] |= 1 << UInt64(state % 64) }
        return words
    }
}

/// Which states lead to which.
///
/// Most states of a large workflow lead nowhere by one event, and those that do lead to the same ones. So a row that
/// several states have in common is kept once.
@usableFromInline
struct StateMatrix: @unchecked Sendable {
    let count: Int
    @usableFromInline let stride: Int

    /// Of each state the row that it has; row 0 is the one without a bit.
    @usableFromInline let rows: UnsafePointer<UInt32>
    @usableFromInline let words: UnsafePointer<UInt64>

    /// - Parameters:
    ///   - destinations: Where each state leads that leads anywhere.
    ///   - count: The number of states.
    init(_ destinations: [Int: Set<Int>], of count: Int) {
        self.count = count
        stride = (count + 63) / 64
        var rows = [UInt32](repeating: 0, count: count)
        var words = [UInt64](repeating: 0, count: stride)
        var known: [[UInt64]: UInt32] = [words: 0]
        for (source, destinations) in destinations {
            let row = StateSet.words(destinations, of: count)
            if let number = known[row] {
                rows[source] = number
            } else {
                rows[source] = UInt32(known.count)
                known[row] = rows[source]
                words += row
            }
        }
        self.rows = UnsafePointer(rows.compiled())
        self.words = UnsafePointer(words.compiled())
    }

    @inlinable @inline(__always)
    subscript(source: Int, destination: Int) -> Bool {
        words[Int(rows[source]) * stride + destination / 64] & (1 << UInt64(destination % 64)) != 0
    }

    @inlinable @inline(__always)
    func hasAny(in source: Int) -> Bool { rows[source] != 0 }

    func columns(in source: Int) -> some Sequence<Int> {
        (0..<count).lazy.filter { self[source, $0] }
    }
}

extension Array {
    /// Copies the elements to where a part of a compiled workflow is, which lives as long as the program.
    func compiled() -> UnsafeMutablePointer<Element> {
        let memory = UnsafeMutablePointer<Element>.allocate(capacity: Swift.max(1, count))
        memory.initialize(from: self, count: count)
        return memory
    }
}
