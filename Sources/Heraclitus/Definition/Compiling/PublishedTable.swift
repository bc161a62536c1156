// Finds a workflow's definition without a lock.

/// A table from types to immortal values, read by any thread without a lock.
///
/// Adding takes a lock.
///
/// A hash table of lists. Invariant: a published entry is complete, immutable and permanent.
///
/// Measured: creating a machine takes 77 ns with it and 100 ns with a dictionary in a lock.
struct PublishedTable<Value>: ~Copyable, Sendable {
    private struct Entry {
        let type: ObjectIdentifier
        let value: Immortal<Value>

        /// The next entry of the list.
        let next: Immortal<Entry>?
    }

    /// The first entry of each list.
    private let firsts = ImmortalArray((0..<256).map { _ in LateImmortal<Entry>() })
    private let adding = Lock(())

    /// The value for a type, if there is one.
    subscript(type: Any.Type) -> Immortal<Value>? {
        let type = ObjectIdentifier(type)
        var next = first(for: type).value
        while let entry = next {
            if entry.value.type == type { return entry.value.value }
            next = entry.value.next
        }
        return nil
    }

    /// Adds a value, unless another thread was faster.
    /// - Parameters:
    ///   - type: The type.
    ///   - make: Makes the immortal value if it is missing. It calls no user code.
    /// - Returns: The stored value.
    func add(for type: Any.Type, _ make: () -> Immortal<Value>) -> Immortal<Value> {
        adding.withLock { _ in
            if let found = self[type] { return found }
            let type = ObjectIdentifier(type)
            let first = first(for: type)
            let value = make()
            first.publish(Immortal(Entry(type: type, value: value, next: first.value)))
            return value
        }
    }

    private func first(for type: ObjectIdentifier) -> LateImmortal<Entry> {
        // Fibonacci hashing: the high bits of a product with 2^64 divided by the golden ratio.
        let hash = UInt64(UInt(bitPattern: type)) &* 0x9E37_79B9_7F4A_7C15
        return firsts[Int(truncatingIfNeeded: hash >> 56)]
    }
}
