// How is a compiled workflow kept, so that nobody counts references to it?
//
// Every fire of every machine reads its workflow's definition. Counting references to it would make the threads of all machines
// write to the same few words. So it is written once, before anybody else sees it, and neither changed nor freed.

import Synchronization

/// A value that is made once and lives as long as the program.
///
/// Measured: to count a reference to a definition once costs 12 ns of a transition, and more where other threads count it, too.
///
/// Invariant: the memory is initialised before the first value of this type exists, and never written or freed after that.
@safe @usableFromInline
struct Immortal<Value: ~Copyable>: @unchecked Sendable {
    @usableFromInline let address: UnsafePointer<Value>

    init(_ value: consuming Value) {
        let memory = UnsafeMutablePointer<Value>.allocate(capacity: 1)
        unsafe memory.initialize(to: value)
        unsafe address = UnsafePointer(memory)
    }

    /// For this file, which knows that there is such a value.
    @usableFromInline
    init(at address: UnsafePointer<Value>) { unsafe self.address = unsafe address }

    /// The value, read where it is.
    @inlinable var value: Value {
        @inline(__always) unsafeAddress { unsafe address }
    }
}

/// An immortal value that comes later than what refers to it.
///
/// Invariant: the address is that of an immortal value, and what a thread wrote before it published it is seen by who reads it.
@safe
struct LateImmortal<Value>: Sendable {
    private let address = unsafe Immortal(Atomic<UnsafePointer<Value>?>(nil))

    /// The value that was published last.
    @inline(__always)
    var value: Immortal<Value>? { unsafe address.value.load(ordering: .acquiring).map { unsafe Immortal(at: $0) } }

    func publish(_ value: Immortal<Value>) { unsafe address.value.store(value.address, ordering: .releasing) }
}

/// A list that is made once and lives as long as the program.
///
/// Invariant: as of ``Immortal``, for `count` elements from `start` on. Every access checks its index.
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
            precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "There is no such element.")
            return unsafe start + index
        }
    }

    /// An element that is referred to on its own.
    @inline(__always)
    func element(_ index: Int) -> Immortal<Element> {
        precondition(indices.contains(index), "There is no such element.")
        return unsafe Immortal(at: start + index)
    }
}

/// An immortal value of a type that only who reads it knows.
///
/// Invariant: the address is that of an immortal value of the type.
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
