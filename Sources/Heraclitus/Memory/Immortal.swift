// Keeps compiled workflows without counting references to them.
//
// Every fire of every machine reads its workflow's definition. With counted references, the threads of all machines
// would write to the same few words. The definition is therefore written once before it is shared, and then neither
// changed nor freed.

import Synchronization

/// A value that is made once and lives as long as the program.
///
/// Measured: one counted reference to a definition costs 12 ns of a transition, and more if other threads count it,
/// too.
///
/// Invariant: the memory is initialised before the first value of this type exists, and never written or freed
/// afterwards. Unchecked, because the compiler cannot see that.
@safe @usableFromInline
struct Immortal<Value: ~Copyable>: @unchecked Sendable {
    @usableFromInline let address: UnsafePointer<Value>

    init(_ value: consuming Value) {
        let memory = UnsafeMutablePointer<Value>.allocate(capacity: 1)
        unsafe memory.initialize(to: value)
        unsafe address = UnsafePointer(memory)
    }

    /// For this file, which guarantees that there is a value at the address.
    @usableFromInline
    init(at address: UnsafePointer<Value>) { unsafe self.address = unsafe address }

    /// The value, read in place.
    @inlinable var value: Value {
        @inline(__always) unsafeAddress { unsafe address }
    }
}

/// An immortal value that is published later than the objects that refer to it.
///
/// Invariant: the address is that of an immortal value. Readers see everything that was written before it was
/// published.
@safe
struct LateImmortal<Value>: Sendable {
    private let address = unsafe Immortal(Atomic<UnsafePointer<Value>?>(nil))

    /// The latest published value.
    @inline(__always)
    var value: Immortal<Value>? { unsafe address.value.load(ordering: .acquiring).map { unsafe Immortal(at: $0) } }

    func publish(_ value: Immortal<Value>) { unsafe address.value.store(value.address, ordering: .releasing) }
}

/// A list that is made once and lives as long as the program.
///
/// Invariant: that of ``Immortal``, for `count` elements from `start`. Every access checks its index.
/// Unchecked for the reason of ``Immortal``: threads only read.
@safe @usableFromInline
struct ImmortalArray<Element>: @unchecked Sendable, RandomAccessCollection {
    @usableFromInline let start: UnsafePointer<Element>
    @usableFromInline let count: Int

    init(_ elements: some Collection<Element>) {
        let memory = UnsafeMutableBufferPointer<Element>.allocate(capacity: Swift.max(1, elements.count))
        _ = unsafe memory.initialize(fromContentsOf: elements)
        unsafe start = unsafe UnsafePointer(memory.baseAddress.unsafelyUnwrapped)
        count = elements.count
    }

    @inlinable var startIndex: Int { 0 }

    @inlinable var endIndex: Int { count }

    @inlinable subscript(index: Int) -> Element {
        @inline(__always) unsafeAddress {
            precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "The index is out of range.")
            return unsafe start + index
        }
    }

    /// A reference to a single element.
    @inline(__always)
    func element(_ index: Int) -> Immortal<Element> {
        precondition(indices.contains(index), "The index is out of range.")
        return unsafe Immortal(at: start + index)
    }
}

/// An immortal value of a type that only its readers know.
///
/// Invariant: the address is that of an immortal value of `type`. Unchecked for the reason of ``Immortal``.
@safe @usableFromInline
struct ErasedImmortal: @unchecked Sendable {
    @usableFromInline let address: UnsafeRawPointer
    @usableFromInline let type: ObjectIdentifier

    init<Value>(_ value: Immortal<Value>) {
        unsafe address = UnsafeRawPointer(value.address)
        type = ObjectIdentifier(Value.self)
    }

    @inlinable @inline(__always)
    func typed<Value>(as type: Value.Type) -> Immortal<Value> {
        precondition(self.type == ObjectIdentifier(type), "The value is of another type.")
        return unsafe Immortal(at: address.assumingMemoryBound(to: Value.self))
    }
}
