// How does every machine find its workflow's definition without a lock?

import Synchronization

/// A table from types to immortal values that any thread reads without a lock, while one after another adds to it.
///
/// An open hash table, at most half full. Invariants: a slot's key is published after its value, and neither changes again. A table
/// that has become too small is left as it is, for somebody may be reading it; all those together are smaller than the one in
/// use.
@safe
struct PublishedTable<Value>: ~Copyable, @unchecked Sendable {
    private struct Slot: ~Copyable {
        let key = Atomic<UInt>(0)
        let value = Atomic<UInt>(0)
    }

    @safe
    private struct Slots: @unchecked Sendable {
        let start: UnsafeMutablePointer<Slot>
        let bits: Int

        init(bits: Int) {
            self.bits = bits
            unsafe start = .allocate(capacity: 1 << bits)
            for index in 0..<(1 << bits) { unsafe (start + index).initialize(to: Slot()) }
        }

        /// The slot of a key, or the free one where it would be.
        func slot(of key: UInt) -> UnsafeMutablePointer<Slot> {
            // Fibonacci hashing: the high bits of a product with 2^64 divided by the golden ratio.
            var index = Int(truncatingIfNeeded: (UInt64(key) &* 0x9E37_79B9_7F4A_7C15) >> UInt64(64 - bits))
            while true {
                let found = unsafe start[index].key.load(ordering: .acquiring)
                if found == key || found == 0 { return unsafe start + index }
                index = (index + 1) & (1 << bits - 1)
            }
        }

        func add(_ value: UInt, for key: UInt) {
            let slot = unsafe slot(of: key)
            unsafe slot.pointee.value.store(value, ordering: .relaxed)
            unsafe slot.pointee.key.store(key, ordering: .releasing)
        }
    }

    private let slots: Atomic<UnsafePointer<Slots>>
    private let count = Lock(0)

    init() { unsafe slots = Atomic(Immortal(Slots(bits: 6)).address) }

    /// The value for a type, if there is one.
    subscript(type: Any.Type) -> Immortal<Value>? {
        let slots = unsafe slots.load(ordering: .acquiring)
        let key = Self.key(of: type)
        let slot = unsafe slots.pointee.slot(of: key)
        // Asked once more for the key itself: a slot that was free a moment ago may have become another type's.
        guard unsafe slot.pointee.key.load(ordering: .acquiring) == key else { return nil }
        return unsafe Immortal(bits: slot.pointee.value.load(ordering: .relaxed))
    }

    /// Adds a value, unless another thread was faster.
    /// - Parameters:
    ///   - type: The type.
    ///   - make: Makes the value, which is never freed, if there is none. It calls no user code.
    /// - Returns: The value that is there now.
    func add(for type: Any.Type, _ make: () -> Immortal<Value>) -> Immortal<Value> {
        count.withLock { count in
            if let found = self[type] { return found }
            let value = make()
            let current = unsafe slots.load(ordering: .relaxed).pointee
            count += 1
            if 2 * count <= 1 << current.bits {
                current.add(value.bits, for: Self.key(of: type))
                return value
            }
            let larger = Slots(bits: current.bits + 1)
            for index in 0..<(1 << current.bits) {
                let key = unsafe current.start[index].key.load(ordering: .relaxed)
                if key != 0 { unsafe larger.add(current.start[index].value.load(ordering: .relaxed), for: key) }
            }
            larger.add(value.bits, for: Self.key(of: type))
            unsafe slots.store(Immortal(larger).address, ordering: .releasing)
            return value
        }
    }

    private static func key(of type: Any.Type) -> UInt { UInt(bitPattern: ObjectIdentifier(type)) }
}
