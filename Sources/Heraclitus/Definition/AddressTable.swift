import Synchronization

/// Finds words by address without a lock: states by class, compiled workflows by type.
///
/// An open hash table, at most half full, that may be read while one thread adds to it. It is never freed.
struct AddressTable: @unchecked Sendable {
    // Unchecked, because an entry's key is published after its value and neither changes again.
    private struct Slot: ~Copyable {
        let key = Atomic<UInt>(0)
        let value = Atomic<UInt>(0)
    }

    private let slots: UnsafeMutablePointer<Slot>
    private let bits: Int

    /// Makes a table with place for so many entries.
    init(for count: Int) {
        var bits = 2
        while 1 << bits < 2 * count { bits += 1 }
        self.bits = bits
        slots = .allocate(capacity: 1 << bits)
        for index in 0..<(1 << bits) { (slots + index).initialize(to: Slot()) }
    }

    var capacity: Int { 1 << (bits - 1) }

    subscript(address: UnsafeRawPointer) -> UInt? {
        let key = UInt(bitPattern: address)
        var index = home(of: key)
        while true {
            switch slots[index].key.load(ordering: .acquiring) {
            case key: return slots[index].value.load(ordering: .relaxed)
            case 0: return nil
            default: index = (index + 1) & (1 << bits - 1)
            }
        }
    }

    /// Adds an entry; there must be place for it, the address be new, and no other thread add one meanwhile.
    func add(_ value: UInt, for address: UnsafeRawPointer) {
        let key = UInt(bitPattern: address)
        var index = home(of: key)
        while slots[index].key.load(ordering: .relaxed) != 0 { index = (index + 1) & (1 << bits - 1) }
        slots[index].value.store(value, ordering: .relaxed)
        slots[index].key.store(key, ordering: .releasing)
    }

    var entries: [(address: UnsafeRawPointer, value: UInt)] {
        (0..<(1 << bits)).compactMap { index in
            let address = UnsafeRawPointer(bitPattern: slots[index].key.load(ordering: .relaxed))
            return address.map { ($0, slots[index].value.load(ordering: .relaxed)) }
        }
    }

    /// Fibonacci hashing: the high bits of a product with 2⁶⁴ divided by the golden ratio.
    private func home(of key: UInt) -> Int {
        Int(truncatingIfNeeded: (UInt64(key) &* 0x9E37_79B9_7F4A_7C15) >> UInt64(64 - bits))
    }
}
